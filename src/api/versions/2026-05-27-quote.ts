import type { VersionChange } from '../../platform/interface/version-change.ts';
import type { quoteQuery } from '../../tariffs/quotes/schema.ts';

export const quoteParameters: VersionChange = {
  version: '2026-05-27.curie',
  summary: 'Quotes know module 2 and exemption from VAT',
  before:
    '`GET /plans/{id}/quote` took `14a_module_1` alone; `14a_module_2` and `is_tax_exempt` were ignored.',
  after: '`14a_module_2` prices module 2; `is_tax_exempt` prices feeding in without VAT.',
  appliesTo: ['GET /plans/{id}/quote'],
  schema: {
    query: (newer) => (newer as typeof quoteQuery).omit({ '14a_module_2': true, is_tax_exempt: true }),
  },
  request: ({ query, body }) => ({
    query: { ...query, '14a_module_2': false, is_tax_exempt: false },
    body,
  }),
};
