import { z } from 'zod';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';

const { name, objectName, ownId, createdAt } = wireSchemas;

export const zip = z.string().regex(/^\d{5}$/, 'Not five digits');

/** A German delivery address as it is taken in. */
export const newAddress = z.object({
  street: name({ min: 2, max: 100 })
    .regex(/[a-zäöüß]/i, 'No letter in it')
    .meta({ description: 'Street without the number' }),
  house_number: name({ max: 10 })
    .regex(/^[\p{L}\p{Nd}\-/\s]*$/u, 'Letters, digits, hyphen, slash and blanks only')
    .meta({ description: 'Number with its additions: `7a`' }),
  zip: zip.meta({ description: 'Postal code, five digits' }),
  city: name({ min: 2, max: 100 })
    .regex(/^\D*$/, 'Digits are not allowed')
    .meta({ description: 'City or municipality' }),
});

export const address = z
  .object({
    object: objectName('address'),
    id: ownId,
    street: z.string().meta({ description: 'Street without the number' }),
    house_number: z.string().meta({ description: 'With additions: `7a`' }),
    zip: z.string().meta({ description: 'Postal code, five digits' }),
    city: z.string().meta({ description: 'City or municipality' }),
    created_at: createdAt,
  })
  .meta({ id: 'Address', description: 'An address in Germany' });

export type NewAddress = z.input<typeof newAddress>;
export type Address = z.input<typeof address>;
