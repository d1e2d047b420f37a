import { z } from 'zod';
import type { VersionChange } from '../../platform/interface/version-change.ts';

type CustomerSchema = z.ZodDiscriminatedUnion<[z.ZodObject, z.ZodObject], 'type'>;

export const customerVatId: VersionChange = {
  version: '2026-05-27.curie',
  summary: 'Customers show their tax number',
  before: 'A customer had no `vat_id`, wherever it was shown.',
  after: '`vat_id` is the tax number or VAT identification number given at sign-up, or null.',
  appliesTo: { object: 'customer' },
  schema: {
    response: (newer) => {
      const [person, company] = (newer as CustomerSchema).options;
      return z.discriminatedUnion('type', [person.omit({ vat_id: true }), company.omit({ vat_id: true })]);
    },
  },
  response: ({ vat_id, ...older }) => older,
};

export const customerNames: VersionChange = {
  version: '2026-05-27.curie',
  summary: 'Names of customers can be changed',
  before: 'A customer could be read only.',
  after: '`PATCH /customers/{id}` changes `first_name`, `last_name` and, of companies, `company_name`.',
  added: ['PATCH /customers/{id}'],
};
