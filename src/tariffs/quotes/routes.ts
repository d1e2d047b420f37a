import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, route } from '../../platform/interface/route.ts';
import { MARK_HEADERS } from '../day-ahead-means/service.ts';
import { MISSING_MODULE_1, UNSUPPORTED_PRODUCT } from '../plans/service.ts';
import { UNSERVICEABLE_ZIP } from '../reference-data/service.ts';
import { newQuoteExample, quoteExample } from './examples.ts';
import { newQuote, quote, quoteQuery } from './schema.ts';
import { quoteByBody, quoteByQuery } from './service.ts';

const SHARED = {
  path: '/plans/{id}/quote',
  summary: 'Quote a plan',
  tag: 'Plans',
  customerTokens: 'no',
  refusals: [UNSERVICEABLE_ZIP, UNSUPPORTED_PRODUCT, MISSING_MODULE_1],
  response: quote,
  answerHeaders: MARK_HEADERS,
} as const;

const DESCRIPTION =
  'What a plan costs in a month at a place, row by row as it stands on the bill, or what it pays for feeding in. Nothing is stored. Archived plans are quoted too.';

export function quoteRoutes(deps: Deps): ApiRoute[] {
  return [
    route({
      ...SHARED,
      method: 'POST',
      description: `${DESCRIPTION} Needs the scope \`write:*\`.`,
      body: newQuote,
      example: { response: quoteExample, body: newQuoteExample },
      handler: (request) => quoteByBody(deps, request),
    }),
    route({
      ...SHARED,
      method: 'GET',
      description: DESCRIPTION,
      query: quoteQuery,
      example: { response: quoteExample },
      handler: (request) => quoteByQuery(deps, request),
    }),
  ];
}
