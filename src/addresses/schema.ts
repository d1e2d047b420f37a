import { z } from 'zod';
import { wireSchemas } from '../platform/interface/wire-schemas.ts';

const { name } = wireSchemas;

export const zip = z.string().regex(/^\d{5}$/, 'Not five digits');

/** A German delivery address as it is taken in. */
export const newAddress = z.object({
  street: name({ min: 2, max: 100 }).regex(/[a-zäöüß]/i, 'No letter in it'),
  house_number: name({ max: 10 }).regex(
    /^[\p{L}\p{Nd}\-/\s]*$/u,
    'Letters, digits, hyphen, slash and blanks only',
  ),
  zip,
  city: name({ min: 2, max: 100 }).regex(/^\D*$/, 'Digits are not allowed'),
});

export const address = z
  .object({
    object: z.literal('address'),
    id: z.string(),
    street: z.string(),
    house_number: z.string().meta({ description: 'With additions: `7a`' }),
    zip: z.string(),
    city: z.string(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Address' });

export type NewAddress = z.input<typeof newAddress>;
export type Address = z.input<typeof address>;
