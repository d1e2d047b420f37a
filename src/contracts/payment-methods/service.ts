import type { Connection } from '../../platform/database/db.ts';
import type { Findings } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { berlinDayOf } from '../../platform/time/berlin-calendar.ts';
import { isIban } from './iban.ts';
import { findPaymentMethod, insertPaymentMethod } from './queries.ts';
import type { NewPaymentMethod, PaymentMethod } from './schema.ts';

export const INVALID_IBAN = ruleCode(
  'invalid_iban',
  'The IBAN is not valid: its length or its check digits are not those of its country',
);

/** A way of payment as others show it inside their own answer, with the account masked. */
export async function shownPaymentMethod(
  connection: Connection,
  organization: string,
  id: string,
): Promise<PaymentMethod> {
  const row = await findPaymentMethod(connection, organization, id);
  if (row === undefined) throw new Error(`Payment method ${id} is referred to and does not exist`);
  const { iban, account_holder, created_at } = row;
  return {
    object: 'payment_method',
    id,
    type: 'sepa_debit',
    sepa_debit: { iban: maskedIban(iban), account_holder },
    created_at,
  };
}

/** Country code and the last four characters, asterisks between, the same length. */
export function maskedIban(iban: string): string {
  return `${iban.slice(0, 2)}${'*'.repeat(Math.max(iban.length - 6, 0))}${iban.slice(-4)}`;
}

/** What was sent, with the current account in full where it came masked, as it is shown. */
export async function withCurrentIban(
  connection: Connection,
  organization: string,
  current: string,
  sent: NewPaymentMethod,
): Promise<NewPaymentMethod> {
  const { sepa_debit } = sent;
  const row = await findPaymentMethod(connection, organization, current);
  if (row === undefined || sepa_debit.iban !== maskedIban(row.iban)) return sent;
  return { ...sent, sepa_debit: { ...sepa_debit, iban: row.iban } };
}

/** The form was checked before; whether the digits belong together is a rule. */
export function checkIban(method: { sepa_debit: { iban: string } }, findings: Findings): void {
  if (isIban(method.sepa_debit.iban)) return;
  findings.badRequest(INVALID_IBAN, 'payment_method.sepa_debit.iban', 'The IBAN is not valid');
}

/**
 * A way of payment never changes: another one is another row, so that past debits keep theirs. Each is a SEPA mandate of
 * its own, given on the day of the call; the database draws its reference.
 */
export async function createPaymentMethod(
  connection: Connection,
  organization: string,
  customer: string,
  { type, sepa_debit }: NewPaymentMethod,
  now: string,
): Promise<string> {
  const id = newId('pm');
  await insertPaymentMethod(connection, organization, {
    id,
    customer_id: customer,
    type,
    ...sepa_debit,
    mandate_signed_on: berlinDayOf(now),
    created_at: now,
  });
  return id;
}
