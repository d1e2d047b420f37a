import { isDeepStrictEqual } from 'node:util';
import { holdContracts } from '../../../contracts/held-contracts/service.ts';
import { freezesAt } from '../../../contracts/usage/service.ts';
import type { Connection } from '../../../platform/database/db.ts';
import {
  addDays,
  addMonths,
  berlinDayAt,
  type CalendarDay,
  firstOfMonth,
  later,
} from '../../../platform/time/berlin-calendar.ts';
import { findIssuer } from '../../issuers/queries.ts';
import { type BillingPeriod, type BillingTerms, periodsOf, supplyDaysOf, YEARS_KEPT } from './periods.ts';
import {
  type IssuedPeriods,
  listBillingTerms,
  listEndedContracts,
  listIssuedPeriods,
  listScheduledContracts,
  type PortionBounds,
  type ScheduledContract,
} from './queries.ts';

/** A document that a contract should have and has not. */
export interface DueDocument {
  /** Id of the contract. */
  readonly subscription: string;
  readonly customer: string;
  readonly period: BillingPeriod;
  /** The first day that the organization bills, as the periods were counted; null: nobody billed for it then. */
  readonly billsFrom: CalendarDay | null;
}

interface Moment {
  readonly nowMilliseconds: number;
  /** First day of a month: only periods that end in it or with it; null: all. */
  readonly month: CalendarDay | null;
}

/**
 * Documents that are due for some contracts, one contract behind the other: its prepayments, then its bills, ascending,
 * because each bill needs those before it. Supply before the issuer's first month is billed elsewhere.
 */
export async function dueDocuments(
  connection: Connection,
  organization: string,
  bounds: PortionBounds,
  moment: Moment,
): Promise<DueDocument[]> {
  const billsFrom = (await findIssuer(connection, organization))?.bills_from ?? null;
  const contracts = await listScheduledContracts(connection, organization, bounds);
  const terms = await listBillingTerms(connection, organization, bounds);
  const issued = await listIssuedPeriods(connection, bounds);
  return contracts.flatMap((contract) => {
    const { id: subscription, customer_id: customer } = contract;
    const known = { terms: terms.get(subscription) ?? [], issued: issued.get(subscription), billsFrom };
    return duePeriods(contract, known, moment).map((period) => ({
      ...{ subscription, customer, period, billsFrom },
    }));
  });
}

interface TermsAndBills {
  readonly terms: readonly BillingTerms[];
  readonly issued: IssuedPeriods | undefined;
  readonly billsFrom: CalendarDay | null;
}

/** All that have begun, without those whose documents need not be there any more: they would be billed a second time. */
function countedPeriods(
  { start_at, end_at }: ScheduledContract,
  { terms, billsFrom, issued }: TermsAndBills,
  today: CalendarDay,
): BillingPeriod[] {
  const { first, end } = supplyDaysOf(start_at, end_at);
  const billed = { first: later(first, billsFrom ?? first), end };
  const begun = periodsOf(billed, terms, addDays(today, 1), issued?.prepayment);
  return begun.filter(({ until }) => addMonths(until, 12 * YEARS_KEPT) > today);
}

/**
 * Holds the contracts of some documents to the end of the transaction, and gives those whose periods are counted otherwise by
 * now: staff entered other days of supply or another mode while the run went on, and there was no document yet to refuse it.
 */
export async function countedOtherwise(
  connection: Connection,
  organization: string,
  documents: readonly DueDocument[],
  nowMilliseconds: number,
): Promise<ReadonlySet<string>> {
  const ids = documents.map(({ subscription }) => subscription).sort();
  const [first, last] = [ids[0], ids.at(-1)];
  if (first === undefined || last === undefined) return new Set();
  await holdContracts(connection, organization, ids);
  const rows = await listScheduledContracts(connection, organization, { first, last });
  const contracts = new Map(rows.map((row) => [row.id, row]));
  const terms = await listBillingTerms(connection, organization, { first, last });
  const issued = await listIssuedPeriods(connection, { first, last });
  const isCounted = ({ subscription, period, billsFrom }: DueDocument) => {
    const contract = contracts.get(subscription);
    if (contract === undefined) return false;
    const known = { terms: terms.get(subscription) ?? [], issued: issued.get(subscription), billsFrom };
    return countedPeriods(contract, known, berlinDayAt(nowMilliseconds)).some((counted) =>
      isDeepStrictEqual(counted, period),
    );
  };
  const others = documents.filter((document) => !isCounted(document));
  return new Set(others.map(({ subscription }) => subscription));
}

/**
 * Ended contracts of a customer with days that no bill is about: they are not billed to the end yet, or a bill was reversed
 * and its days are not billed again. Days before the issuer's first month are billed elsewhere.
 */
export async function listUnbilledContracts(
  connection: Connection,
  { organization, customer }: { organization: string; customer: string },
  today: CalendarDay,
): Promise<string[]> {
  const issuer = await findIssuer(connection, organization);
  if (issuer === undefined) return [];
  const found: string[] = [];
  for (const id of await listEndedContracts(connection, organization, customer, today)) {
    const bounds = { first: id, last: id };
    const [contract] = await listScheduledContracts(connection, organization, bounds);
    const terms = (await listBillingTerms(connection, organization, bounds)).get(id) ?? [];
    const issued = (await listIssuedPeriods(connection, bounds)).get(id);
    if (contract === undefined || issued?.has_exit_summary === true) continue;
    const periods = countedPeriods(contract, { terms, issued, billsFrom: issuer.bills_from }, today);
    if (periods.some((period) => period.type === 'usage' && !hasDocument(issued, period))) found.push(id);
  }
  return found;
}

function duePeriods(
  contract: ScheduledContract,
  known: TermsAndBills,
  { nowMilliseconds, month }: Moment,
): BillingPeriod[] {
  const { issued } = known;
  /* It closes the contract for good. */
  if (issued?.has_exit_summary === true) return [];
  const today = berlinDayAt(nowMilliseconds);
  const periods = countedPeriods(contract, known, today);
  const missing = periods.filter((period) => isAbout(period, month) && !hasDocument(issued, period));
  const closed = periods.filter(({ isClosing, until }) => isClosing && until <= today);
  /* Days that the closing bill has, or is about to bill, need no prepayment any more. */
  const prepayments = missing.filter(
    ({ type, from }) =>
      type === 'prepayment' &&
      from <= today &&
      !closed.some((closing) => closing.from <= from && from < closing.until),
  );
  const bills = missing.filter((period) => period.type === 'usage' && isSettled(period, nowMilliseconds));
  return [...prepayments, ...bills];
}

/**
 * A bill has all of its days, also where the periods would be counted otherwise now: how a person paid who was erased is not
 * known any more.
 */
function hasDocument(issued: IssuedPeriods | undefined, { type, from }: BillingPeriod): boolean {
  if (issued === undefined) return false;
  if (type === 'prepayment') return issued.prepayment.includes(from);
  return issued.usage_from.some((first, index) => first <= from && from < (issued.usage_until[index] ?? ''));
}

/** What the last month of a period came to is final. */
function isSettled({ until }: BillingPeriod, nowMilliseconds: number): boolean {
  return nowMilliseconds >= freezesAt(firstOfMonth(addDays(until, -1)));
}

function isAbout({ type, from, until }: BillingPeriod, month: CalendarDay | null): boolean {
  if (month === null) return true;
  const next = addMonths(month, 1);
  return type === 'prepayment' ? month <= from && from < next : month < until && until <= next;
}
