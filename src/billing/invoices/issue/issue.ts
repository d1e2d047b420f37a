import { recordEvents } from '../../../events/record.ts';
import type { NewEvent } from '../../../events/topic.ts';
import { audit } from '../../../platform/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Connection, Database } from '../../../platform/database/db.ts';
import { newId } from '../../../platform/ids.ts';
import { enqueueEach } from '../../../platform/jobs/enqueue.ts';
import { Exact } from '../../../platform/money.ts';
import { type StaffAct, staffOf } from '../../../platform/staff-act.ts';
import {
  addDays,
  berlinDayOf,
  berlinMidnight,
  type CalendarDay,
} from '../../../platform/time/berlin-calendar.ts';
import { keepBilledRows } from '../../../tariffs/reference-data/keep-billed-rows.ts';
import type { DraftInvoice } from '../calculate/draft.ts';
import { INVOICES_OF_RENDERING_MAX, renderInvoicesJob } from '../jobs.ts';
import { YEARS_KEPT } from '../plan/periods.ts';
import { BillingRefused } from '../refusal.ts';
import { invoiceTopics } from '../topics.ts';
import {
  type IssuedInvoice,
  insertInvoices,
  insertLines,
  listBilledPlaces,
  listNumberedContracts,
  listUndebited,
  lockLedger,
  moveHolds,
  type NewLines,
  type NumberedContract,
  updateLedger,
} from './queries.ts';

/** There is a document for the period of a draft. */
interface AlreadyBilled {
  /** Its id. */
  readonly existing: string;
}

/**
 * Gives drafts their numbers and stores them, in the caller's transaction, which should be short: from here to its commit
 * nobody else issues documents of the organization, which is what keeps the numbers without a gap. One answer for each draft,
 * in their order. Leaves out what is billed already, so that the same drafts may come again.
 */
export async function issueInvoices(
  connection: Connection,
  organization: string,
  drafts: readonly DraftInvoice[],
  clock: Pick<Clock, 'now'>,
): Promise<(IssuedInvoice | AlreadyBilled | BillingRefused)[]> {
  if (drafts.length === 0) return [];
  for (const draft of drafts) checkSums(draft);
  const numbers = await Numbers.take(connection, organization, drafts);
  /* Read behind the lock: numbers and instants have one order. */
  const now = clock.now().toISOString();
  const billed = await listBilledPlaces(
    connection,
    organization,
    drafts.map((draft) => ({ ...draft, ...instantsOf(draft) })),
  );
  const invoices: IssuedInvoice[] = [];
  const lines: NewLines[] = [];
  const answers = drafts.map((draft, place) => {
    const existing = billed.get(place);
    if (existing !== undefined) return { existing };
    const number = numbers.next(draft.subscription);
    if (number instanceof BillingRefused) return number;
    const invoice = issued(draft, number, now);
    invoices.push(invoice);
    lines.push({ invoice: invoice.id, customer: draft.customer, lines: draft.lines });
    return invoice;
  });
  await numbers.keep();
  const charged = invoices.filter(({ total }) => new Exact(total).greaterThan(0));
  const undebited = await listUndebited(connection, organization, charged);
  for (const invoice of charged) {
    const way = undebited.get(invoice.id);
    const { facts } = invoice;
    if (way !== undefined) invoice.facts = { ...facts, payment: { ...facts.payment, way } };
  }
  await storeDocuments(connection, organization, invoices, () =>
    insertLines(connection, organization, lines),
  );
  await moveHolds(connection, organization, invoices);
  await keepBilledRows(connection, [
    ...lines.flatMap((document) => document.lines.flatMap(({ figures }) => figures)),
    ...drafts.flatMap(({ namedRows }) => namedRows),
  ]);
  return answers;
}

/** Issues the draft of a period that is free. */
export async function issueInvoice(
  connection: Connection,
  organization: string,
  draft: DraftInvoice,
  clock: Pick<Clock, 'now'>,
): Promise<IssuedInvoice | BillingRefused> {
  const [answer] = await issueInvoices(connection, organization, [draft], clock);
  if (answer === undefined || 'existing' in answer)
    throw new Error(`A period of ${draft.subscription} is billed that should be free: ${answer?.existing}`);
  return answer;
}

/** Stores documents that have their numbers, tells of them, and asks for their files. */
export async function storeDocuments(
  connection: Connection,
  organization: string,
  invoices: readonly IssuedInvoice[],
  storeLines: () => Promise<void>,
): Promise<void> {
  if (invoices.length === 0) return;
  await insertInvoices(connection, organization, invoices);
  await storeLines();
  await recordEvents(connection, organization, invoices.flatMap(eventsOf));
  await enqueueEach(
    connection,
    renderInvoicesJob,
    portionsOf(invoices).map(({ ids, runAt }) => ({ payload: { invoices: ids }, key: ids[0] ?? '', runAt })),
  );
}

function eventsOf({ id, subscription_id, status, issued_at }: IssuedInvoice): NewEvent[] {
  const event = { context: { invoice: id, subscription: subscription_id }, now: issued_at };
  const created = { topic: invoiceTopics.created, ...event };
  return status === 'paid' ? [created, { topic: invoiceTopics.paid, ...event }] : [created];
}

function portionsOf(invoices: readonly IssuedInvoice[]): { ids: string[]; runAt: string }[] {
  const portions: { ids: string[]; runAt: string }[] = [];
  for (let first = 0; first < invoices.length; first += INVOICES_OF_RENDERING_MAX) {
    const portion = invoices.slice(first, first + INVOICES_OF_RENDERING_MAX);
    portions.push({ ids: portion.map(({ id }) => id), runAt: portion[0]?.issued_at ?? '' });
  }
  return portions;
}

export interface TakenNumber {
  running_number: number;
  invoice_number: string;
  ledger_number: number;
}

const RUNNING_NUMBER_DIGITS_MIN = 3;
/** No contract has so many documents. */
const NUMBERS_OF_SERIES = 100_000;

const printed = (series: number, running: number) =>
  String(series * NUMBERS_OF_SERIES + running).padStart(RUNNING_NUMBER_DIGITS_MIN, '0');

/**
 * Behind a restore: documents that were issued after the backup are lost, and customers have them. From here on printed numbers
 * are others than theirs (section 14(4) no. 4 UStG); ledger and contracts count on without a gap. The series is the second of
 * the clock, which no restore takes back: whatever the database remembers of earlier ones, a later one is greater.
 */
export async function beginSeries(
  { database, clock }: { database: Database; clock: Clock },
  organization: string,
  act: StaffAct,
): Promise<{ organization: string; series: number; first_number: string }> {
  return await database.inOrganization({ organization }, async (connection) => {
    const last = (await lockLedger(connection, organization)).series;
    const series = Math.max(last + 1, seriesAt(clock.nowMilliseconds()));
    await updateLedger(connection, organization, { series });
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'invoices.begin_series',
      object_id: String(series),
    });
    return { organization, series, first_number: printed(series, 1) };
  });
}

/** Seconds since 2026 in UTC began. Earlier versions counted one by one: these are smaller. */
function seriesAt(milliseconds: number): number {
  return Math.floor((milliseconds - Date.UTC(2026, 0, 1)) / 1_000);
}

/** The numbers of one transaction. Those that it does not keep are as if they had never been taken. */
export class Numbers {
  readonly #connection: Connection;
  readonly #organization: string;
  readonly #contracts: Map<string, NumberedContract>;
  readonly #series: number;
  #last: number;

  private constructor(
    connection: Connection,
    organization: string,
    { last_number, series }: Awaited<ReturnType<typeof lockLedger>>,
    contracts: readonly NumberedContract[],
  ) {
    this.#connection = connection;
    this.#organization = organization;
    this.#series = series;
    this.#last = last_number;
    this.#contracts = new Map(contracts.map((contract) => [contract.id, contract]));
  }

  /** From here on until the commit nobody else takes numbers of the organization. */
  static async take(
    connection: Connection,
    organization: string,
    documents: readonly { subscription: string }[],
  ): Promise<Numbers> {
    const ledger = await lockLedger(connection, organization);
    const subscriptions = [...new Set(documents.map(({ subscription }) => subscription))];
    const contracts = await listNumberedContracts(connection, organization, subscriptions);
    return new Numbers(connection, organization, ledger, contracts);
  }

  next(subscription: string, { evenClosed = false } = {}): TakenNumber | BillingRefused {
    const contract = this.#contracts.get(subscription);
    if (contract === undefined)
      throw new Error(`A document is issued for ${subscription}, which is not there`);
    if (contract.number === null) {
      return new BillingRefused('not_numbered', `subscriptions.number of ${subscription} is empty`);
    }
    if (contract.is_closed && !evenClosed) {
      return new BillingRefused('closed', `invoices has an exit summary of ${subscription}`);
    }
    contract.last_number += 1;
    this.#last += 1;
    return {
      running_number: contract.last_number,
      invoice_number: `${contract.number}-${printed(this.#series, contract.last_number)}`,
      ledger_number: this.#last,
    };
  }

  keep(): Promise<void> {
    return updateLedger(this.#connection, this.#organization, { last_number: this.#last });
  }
}

function issued(draft: DraftInvoice, number: TakenNumber, now: string): IssuedInvoice {
  const { period, sums } = draft;
  const named = draft.type === 'exit_summary' ? addDays(period.until, -1) : period.from;
  const isSettled = new Exact(sums.total).isZero();
  return {
    ...number,
    id: newInvoiceId(),
    customer_id: draft.customer,
    subscription_id: draft.subscription,
    type: draft.type,
    month: Number(named.slice(5, 7)),
    year: Number(named.slice(0, 4)),
    ...instantsOf(draft),
    period_number: draft.periodNumber,
    /* Where nothing is to be paid, nothing is waited for. */
    status: isSettled ? 'paid' : 'open',
    is_estimated: draft.isEstimated,
    is_final: draft.isFinal,
    usage_kwh: draft.usageKwh,
    ...sums,
    voids: null,
    void_reason: null,
    due_on: draft.dueOn,
    issued_at: now,
    paid_at: isSettled ? now : null,
    facts: draft.facts,
    run_id: draft.run,
    retain_until: retainUntil(now),
  };
}

export function newInvoiceId(): string {
  return newId('inv');
}

/** The end of the eighth calendar year after that of the issue (section 147(3) and (4) AO, section 14b(1) UStG). */
export function retainUntil(issued_at: string): CalendarDay {
  return `${Number(berlinDayOf(issued_at).slice(0, 4)) + YEARS_KEPT}-12-31`;
}

const instantsOf = ({ period }: DraftInvoice) => ({
  period_start: berlinMidnight(period.from),
  period_end: berlinMidnight(period.until),
});

/** Figures that do not add up are a defect, and no customer is to find it. */
function checkSums({ subscription, lines, sums }: DraftInvoice): void {
  const sumOf = (values: readonly string[]) => values.reduce((sum, value) => sum.plus(value), new Exact(0));
  const { net, tax, taxes, deducted, total } = sums;
  const isRight =
    sumOf(lines.map((line) => line.net)).equals(net) &&
    sumOf(taxes.map((rate) => rate.net)).equals(net) &&
    sumOf(taxes.map((rate) => rate.tax)).equals(tax) &&
    new Exact(net).plus(tax).minus(deducted).equals(total);
  if (!isRight) throw new Error(`The document for ${subscription} does not add up`);
}
