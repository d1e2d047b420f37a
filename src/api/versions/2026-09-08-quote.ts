import { z } from 'zod';
import type { VersionChange } from '../../platform/interface/version-change.ts';
import { Exact } from '../../platform/money.ts';
import { component, type Quote, quote, subcomponent } from '../../tariffs/quotes/schema.ts';

type Subcomponent = Quote['components'][number]['subcomponents'][number];

const OPTIMIZATION = 'optimization';

const componentBefore = component.extend({
  subcomponents: z.array(
    subcomponent.extend({ subgroup: subcomponent.shape.subgroup.exclude([OPTIMIZATION]) }),
  ),
});

export const quoteByPost: VersionChange = {
  version: '2026-09-08.gauss',
  summary: 'A quote is asked for by POST',
  before:
    '`GET /plans/{id}/quote` took parameters, `meter_type` among them; `energy` was shown with the discount for shifting load in it.',
  after:
    '`POST /plans/{id}/quote` takes `usage` as an object, `optimization_rate`, module 3 and no `meter_type`; `optimization` is a row of its own; `resolution` names the period of the amounts.',
  added: ['POST /plans/{id}/quote'],
  removed: [{ route: 'GET /plans/{id}/quote', instead: 'POST /plans/{id}/quote' }],
  appliesTo: ['GET /plans/{id}/quote'],
  schema: {
    response: (newer) =>
      (newer as typeof quote)
        .omit({ resolution: true })
        .extend({ components: z.array(componentBefore).meta(quote.shape.components.meta() ?? {}) })
        .meta({ id: 'Quote' }),
  },
  response: (newer) => {
    const { resolution, components, ...older } = newer as unknown as Quote;
    const folded = components.map((component) => ({
      ...component,
      subcomponents: foldedRows(component.subcomponents),
    }));
    return withComponents(older, folded);
  },
};

/** In the place where they were shown. */
function withComponents(
  { quoted_at, ...older }: Omit<Quote, 'resolution' | 'components'>,
  components: unknown,
) {
  return { ...older, components, quoted_at };
}

/** Both rows are decimals of 6 digits, and so is their sum. */
function foldedRows(rows: readonly Subcomponent[]): Subcomponent[] {
  const discount = rows.find(({ subgroup }) => subgroup === OPTIMIZATION)?.amount ?? 0;
  return rows
    .filter(({ subgroup }) => subgroup !== OPTIMIZATION)
    .map((row) =>
      row.subgroup === 'energy' ? { ...row, amount: new Exact(row.amount).plus(discount).toNumber() } : row,
    );
}
