import { z } from 'zod';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';

const { objectName, ownId, createdAt } = wireSchemas;

const shown = {
  id: ownId,
  name: z.string().meta({ description: 'Name of the company' }),
  country: z.string().meta({ description: 'ISO 3166-1, two letters' }),
  created_at: createdAt,
};
const code = {
  code: z.string().meta({ description: 'BDEW code, 13 digits' }),
  code_type: z.literal('BDEW').meta({ description: 'Who gives the code' }),
};

export const marketPartner = z
  .object({
    object: objectName('market_partner'),
    ...shown,
    ...code,
    type: z.literal('supplier').meta({ description: 'Its role in the market' }),
  })
  .meta({ id: 'MarketPartner' });

/** Market partners as the older lists show them. */
export const listedSupplier = z
  .object({ object: objectName('supplier'), ...shown, ...code })
  .meta({ id: 'ListedSupplier' });

/** Part of a name, whatever the case of its letters. */
export const supplierSearch = z.object({
  name: z
    .string()
    .min(1)
    .max(255)
    .refine((value) => !value.includes('\0'), 'The character NUL is not allowed')
    .meta({ description: 'Part of the name; upper and lower case are the same' }),
});

/** The previous supplier of a contract. Versions that show its code too have it as `listedSupplier`. */
export const supplier = z
  .object({ object: objectName('supplier'), ...shown })
  .meta({ id: 'Supplier', description: 'Previous supplier' });

export type MarketPartner = z.input<typeof marketPartner>;
export type ListedSupplier = z.input<typeof listedSupplier>;
