import { z } from 'zod';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { METER_TYPES } from '../../tariffs/reference-data/codes.ts';

const { objectName, ownId, createdAt } = wireSchemas;

/** From a cellar's light to twice the largest works of the country. */
export const estimatedUsage = wireSchemas.number({ min: 100, max: 1_000_000_000 });

export const meter = z
  .object({
    object: objectName('meter'),
    id: ownId,
    number: z.string().meta({ description: 'Upper-case, without blanks' }),
    type: z
      .enum(METER_TYPES)
      .meta({ description: '`smart`: it sends quarter hours; `analog`: somebody reads it' }),
    melo: z.string().nullable().meta({ description: 'Metering location, 33 characters' }),
    malo: z.string().nullable().meta({ description: 'Market location, 11 digits' }),
    created_at: createdAt,
  })
  .meta({ id: 'Meter', description: 'The meter of a household' });

export type Meter = z.input<typeof meter>;

const NUMBER_CHARACTERS_MAX = 255;

/** As it is sent: blanks go and letters become large when it is kept. */
export const meterNumberText = wireSchemas
  .text({ max: NUMBER_CHARACTERS_MAX })
  .refine((value) => value === '' || /\S/.test(value), {
    error: 'Nothing but blanks',
    params: { code: 'too_small' },
  });

/** The name by which the table of metering fees knows it. */
export const meteringOperator = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'Lower-case letters, digits and single hyphens between them');

/** Operator's code, postal code and twenty characters. */
const MELO = /^DE\d{11}[A-Z0-9]{20}$/;
const MALO = /^[1-9]\d{10}$/;

/** What the grid operator tells about the place of a meter. */
export const meterLocations = z.object({
  melo: z.string().regex(MELO, 'Not the 33 characters of a metering location').optional(),
  malo: z
    .string()
    .regex(MALO, 'Not the 11 digits of a market location')
    .refine(hasCheckDigit, { error: 'The check digit is wrong', params: { code: 'invalid_format' } })
    .optional(),
});

/** As a sign-up sends it: what has not the form of a market location is taken as not sent. */
export function sentMalo(sent: string | null | undefined): string | null {
  return typeof sent === 'string' && MALO.test(sent) ? sent : null;
}

/** Whether the market may know it: the check digit is right, too. */
export function isMalo(malo: string | null): boolean {
  return malo !== null && meterLocations.safeParse({ malo }).success;
}

/** The eleventh digit fills the ten others, those at even places doubled, up to a multiple of ten. */
function hasCheckDigit(malo: string): boolean {
  const digits = [...malo].map(Number);
  const sum = digits.slice(0, 10).reduce((total, digit, index) => total + digit * (1 + (index % 2)), 0);
  return digits[10] === (10 - (sum % 10)) % 10;
}

export type MeterLocations = z.output<typeof meterLocations>;
