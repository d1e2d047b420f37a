import { isIban } from '../../../contracts/payment-methods/iban.ts';
import { Exact } from '../../../platform/money.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { isCreditorId } from '../../issuers/creditor-id.ts';
import { accountProblem, isBic } from './accounts.ts';
import { isBankIdentifier } from './text.ts';

/** Whose file it is: the account that is credited by debits and charged by transfers. */
export interface AccountOwner {
  readonly name: string;
  readonly iban: string;
  /** Null where the bank finds it by the IBAN. */
  readonly bic: string | null;
}

interface Instruction {
  /** Says whose payment it is when its result comes back; at most 35 characters. */
  readonly endToEndId: string;
  /** EUR with two decimals, more than zero. */
  readonly amount: string;
  /** Holder of the other account. */
  readonly name: string;
  readonly iban: string;
  /** What the holder reads on the statement of his account. */
  readonly purpose: string;
}

export type SequenceType = 'FRST' | 'RCUR';

export interface Debit extends Instruction {
  readonly mandateReference: string;
  readonly mandateSignedOn: CalendarDay;
  readonly sequenceType: SequenceType;
}

export type Transfer = Instruction;

/** What both files begin with. */
export interface FileHead {
  /** Names the file to the bank; at most 30 characters, so that the ids of its blocks fit. */
  readonly messageId: string;
  readonly createdAt: string;
  /** The day on which the bank collects or pays: one on which banks settle. */
  readonly on: CalendarDay;
  readonly owner: AccountOwner;
}

export interface DebitFile extends FileHead {
  readonly creditorId: string;
  readonly debits: readonly Debit[];
}

export interface TransferFile extends FileHead {
  readonly transfers: readonly Transfer[];
}

const MESSAGE_ID_CHARACTERS_MAX = 30;
/** What SEPA takes as one payment, in EUR. */
const AMOUNT_MAX = '999999999.99';
const AMOUNT = /^\d{1,9}\.\d{2}$/;
/* A mandate is named without blanks. */
const MANDATE = /^[A-Za-z0-9+?/:().,'-]{1,35}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Every rule that a bank would refuse the file by, told together, each with the payment that breaks it. */
export function debitFileProblems(file: DebitFile): string[] {
  return [
    ...headProblems(file, file.debits),
    ...(isCreditorId(file.creditorId) ? [] : [`creditor id "${file.creditorId}": not valid`]),
    ...file.debits.flatMap((debit) => [
      ...instructionProblems(debit),
      ...(MANDATE.test(debit.mandateReference)
        ? []
        : [`${debit.endToEndId}: mandate "${debit.mandateReference}": not a reference of a mandate`]),
      ...(DAY.test(debit.mandateSignedOn) && debit.mandateSignedOn <= file.on
        ? []
        : [
            `${debit.endToEndId}: mandate signed on "${debit.mandateSignedOn}": not a day before the collection`,
          ]),
    ]),
  ];
}

export function transferFileProblems(file: TransferFile): string[] {
  return [...headProblems(file, file.transfers), ...file.transfers.flatMap(instructionProblems)];
}

function headProblems({ messageId, on, owner }: FileHead, payments: readonly Instruction[]): string[] {
  const ids = new Set(payments.map(({ endToEndId }) => endToEndId));
  return [
    ...(isBankIdentifier(messageId, MESSAGE_ID_CHARACTERS_MAX)
      ? []
      : [`message id "${messageId}": not valid`]),
    ...(DAY.test(on) ? [] : [`day "${on}": not a day`]),
    ...(owner.name.trim() === '' ? ['name of the own account: missing'] : []),
    ...(isIban(owner.iban) ? [] : ['own account: the IBAN is not valid']),
    ...(owner.bic === null || isBic(owner.bic) ? [] : [`own account: BIC "${owner.bic}": not valid`]),
    ...(payments.length === 0 ? ['no payment in it'] : []),
    ...(ids.size < payments.length ? ['two payments have the same end-to-end id'] : []),
  ];
}

function instructionProblems({ endToEndId, amount, iban, name }: Instruction): string[] {
  const account = accountProblem(iban);
  return [
    ...(isBankIdentifier(endToEndId) ? [] : [`end-to-end id "${endToEndId}": not valid`]),
    ...(AMOUNT.test(amount) && new Exact(amount).gt(0) && new Exact(amount).lte(AMOUNT_MAX)
      ? []
      : [`${endToEndId}: amount "${amount}": not an amount from 0.01 to ${AMOUNT_MAX} EUR`]),
    ...(account === null ? [] : [`${endToEndId}: ${account}`]),
    ...(name.trim() === '' ? [`${endToEndId}: the name of the account holder is missing`] : []),
  ];
}

/** Exact, with two decimals. */
export function sumOf(payments: readonly { readonly amount: string }[]): string {
  return payments.reduce((sum, { amount }) => sum.plus(amount), new Exact(0)).toFixed(2);
}
