import { z } from 'zod';
import type { VersionChange } from '../platform/interface/versioning.ts';

type CustomerSchema = z.ZodDiscriminatedUnion<[z.ZodObject, z.ZodObject], 'type'>;

/** A customer as it was shown before, also inside another answer. */
export function customerSchemaBefore(newer: z.ZodType): z.ZodType {
  const [person, company] = (newer as CustomerSchema).options;
  return z
    .discriminatedUnion('type', [person.omit({ vat_id: true }), company.omit({ vat_id: true })])
    .meta({ id: 'Customer' });
}

export function customerBefore({ vat_id, ...older }: Record<string, unknown>): Record<string, unknown> {
  return older;
}

export const customerVatId: VersionChange = {
  version: '2026-05-27.curie',
  summary: 'Customers show their tax number',
  before: 'A customer had no `vat_id`.',
  after: '`vat_id` is the tax number or VAT identification number given at sign-up, or null.',
  appliesTo: ['GET /customers', 'GET /customers/{id}'],
  schema: { response: customerSchemaBefore },
  response: customerBefore,
};

export const customerNames: VersionChange = {
  version: '2026-05-27.curie',
  summary: 'Names of customers can be changed',
  before: 'A customer could be read only.',
  after: '`PATCH /customers/{id}` changes `first_name`, `last_name` and, of companies, `company_name`.',
  added: ['PATCH /customers/{id}'],
};
