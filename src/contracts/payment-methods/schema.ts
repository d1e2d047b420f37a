import { z } from 'zod';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';

const { objectName, ownId, createdAt } = wireSchemas;

const ACCOUNT_HOLDER_CHARACTERS_MAX = 255;

const ofForm = (form: RegExp) =>
  z.string().regex(form, 'Not an IBAN without spaces (DE89370400440532013000)');

/** The form only; whether the check digits are right is a rule of the business. */
export const ibanText = ofForm(/^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/);
export const accountHolder = wireSchemas.name({ max: ACCOUNT_HOLDER_CHARACTERS_MAX });

/** A way of payment as it is taken in. */
export const newPaymentMethod = z.object({
  type: z.literal('sepa_debit').meta({ description: 'SEPA direct debit' }),
  sepa_debit: z
    .object({
      iban: ibanText.meta({ description: 'IBAN without blanks' }),
      account_holder: accountHolder.meta({ description: 'Whose account it is' }),
    })
    .meta({ description: 'The account that is debited; the sign-up is its mandate' }),
});

/** For a change: clients send back what they read, and that is the account masked. */
export const changedPaymentMethod = newPaymentMethod.extend({
  sepa_debit: newPaymentMethod.shape.sepa_debit
    .extend({
      iban: ofForm(/^[A-Z]{2}(\d{2}[A-Z0-9]{1,30}|\*{1,28}[A-Z0-9]{4})$/).meta({
        description: 'IBAN without blanks; masked as it is shown, the account stays',
      }),
    })
    .meta({ description: 'The account that is debited; another one is another mandate' }),
});

export const paymentMethod = z
  .object({
    object: objectName('payment_method'),
    id: ownId,
    type: z.literal('sepa_debit').meta({ description: 'SEPA direct debit' }),
    sepa_debit: z
      .object({
        iban: z
          .string()
          .meta({ description: 'Country code and the last four characters; the rest is masked' }),
        account_holder: z.string().meta({ description: 'Whose account it is' }),
      })
      .meta({ description: 'The account that is debited' }),
    created_at: createdAt,
  })
  .meta({ id: 'PaymentMethod', description: 'How a contract is paid' });

export type NewPaymentMethod = z.output<typeof newPaymentMethod>;
export type PaymentMethod = z.input<typeof paymentMethod>;
