import { checkVAT, germany } from 'jsvat';
import { z } from 'zod';
import { isIban } from '../../contracts/payment-methods/iban.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { isFirstOfMonth } from '../../platform/time/berlin-calendar.ts';
import { isCreditorId } from './creditor-id.ts';

const line = (max: number) => wireSchemas.name({ max });
/** German tax offices write slashes, and programs do not. */
const TAX_NUMBER = /^[\d/ ]{10,20}$/;
const BIC = /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/;
const PHONE = /^\+?[\d ()/-]{4,30}$/;

function isGermanVatId(text: string): boolean {
  return /^DE\d{9}$/.test(text) && checkVAT(text, [germany]).isValid;
}

/** Who bills. The fields that a letter, a bill (section 14(4) UStG) and a direct debit must name are required. */
export const issuer = z
  .object({
    name: line(100),
    street: line(100),
    house_number: line(20),
    zip: z.string().regex(/^\d{5}$/, 'Not a German postal code (20357)'),
    city: line(100),
    /* A German VAT is charged; a supplier from elsewhere has its seat here. */
    country: z.literal('DE'),
    register_court: line(100).nullable(),
    register_number: line(50).nullable(),
    represented_by: line(200).nullable(),
    contact_name: line(100),
    email: z.email().max(254),
    phone: z.string().regex(PHONE, 'Not a telephone number (+49 40 123456)'),
    website: z
      .url({ protocol: /^https$/ })
      .max(200)
      .nullable(),
    vat_id: z
      .string()
      .refine(isGermanVatId, 'Not a German VAT id: form or check digit is wrong (DE123456788)')
      .nullable(),
    tax_number: z.string().regex(TAX_NUMBER, 'Not a tax number (22/123/45678)').nullable(),
    supplier_code: z.string().regex(/^\d{13}$/, 'Not a code of 13 digits'),
    iban: z
      .string()
      .transform((text) => text.replaceAll(' ', ''))
      .refine(isIban, 'Not an IBAN: form or check digits are wrong'),
    bic: z.string().regex(BIC, 'Not a BIC of 8 or 11 characters').nullable(),
    account_holder: line(70),
    creditor_id: z
      .string()
      .refine(isCreditorId, 'Not a SEPA creditor identifier: form or check digits are wrong'),
    language: z.enum(['de', 'en']),
    /* What was supplied before it is billed elsewhere. */
    bills_from: wireSchemas.date().refine(isFirstOfMonth, 'Not the first day of a month'),
    due_days: z.int().min(14).max(90),
    first_reminder_days: z.int().min(1).max(365),
    second_reminder_days: z.int().min(1).max(365),
    uncollectible_days: z.int().min(1).max(365),
  })
  .refine(({ vat_id, tax_number }) => vat_id !== null || tax_number !== null, {
    path: ['vat_id'],
    error: 'A VAT id or a tax number stands on each bill (section 14(4) no. 2 UStG)',
  })
  .refine(({ first_reminder_days, second_reminder_days }) => first_reminder_days < second_reminder_days, {
    path: ['second_reminder_days'],
    error: 'Comes after the first reminder',
  })
  .refine(({ second_reminder_days, uncollectible_days }) => second_reminder_days < uncollectible_days, {
    path: ['uncollectible_days'],
    error: 'Comes after the second reminder',
  });

export type Issuer = z.output<typeof issuer>;

/** What holds until somebody says otherwise; 14 days are the least (section 40c(1) EnWG). */
export const ISSUER_DEFAULTS = {
  country: 'DE',
  register_court: null,
  register_number: null,
  represented_by: null,
  website: null,
  vat_id: null,
  tax_number: null,
  bic: null,
  language: 'de',
  due_days: 14,
  first_reminder_days: 7,
  second_reminder_days: 21,
  uncollectible_days: 49,
} as const satisfies Partial<Issuer>;
