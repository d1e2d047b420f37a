import { isDatabaseUnavailable } from '../../platform/database/pg-errors.ts';
import { Failure } from '../../platform/errors.ts';

/** Why there is no bill, by what has to be entered or waited for. `cli invoices report` counts by them. */
export const REFUSALS = {
  missing_reference: 'a row of reference data is missing for the day; nothing is carried forward',
  missing_price: 'a spot price of the period is missing',
  missing_usage: 'quarter hours of the period are missing',
  missing_reading: 'a meter reading for the period is missing',
  missing_issuer: 'who bills is not entered',
  missing_terms: 'the plan has no terms for the day',
  missing_address: 'the contract has no address of delivery',
  not_settled: 'the period is not settled yet',
  payment_under_way:
    'money for the bill, or for a prepayment that it closes, is with the bank or may come back',
  not_numbered: 'the contract has no number',
  not_reversible: 'the bill that should be replaced is uncollectible; it is corrected when it is paid',
  unpaid_void: 'the document that reverses an earlier one is not settled',
  earlier_refused: 'an earlier bill of the contract is refused; it comes first',
  too_early: 'six weeks after the end of supply have not passed',
  defect: 'the calculation failed; the log of the worker or the answer of the command says where',
  closed: 'the contract has its exit summary: nothing is issued after it',
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/** One document cannot be made; the others of a run go on. */
export class BillingRefused extends Error {
  readonly code: RefusalCode;
  /** What is missing and where it is entered: table, key, day, value. It is shown to the back office. */
  readonly detail: string;

  constructor(code: RefusalCode, detail: string) {
    super(`${code}: ${detail}`);
    this.name = 'BillingRefused';
    this.code = code;
    this.detail = detail;
  }
}

export const DEFECT = {
  code: 'defect',
  detail: 'The calculation failed; the log of the worker or the answer of the command says where.',
} as const;

/** A `defect`, and not the database that is away, busy or full: done again, the same would fail the same way. */
export function isOwnDefect(error: unknown): boolean {
  if (error instanceof Failure) return error.status !== 503;
  return !isDatabaseUnavailable(error);
}
