import { sql } from 'kysely';
import { runDunning } from '../../../billing/dunning/run.ts';
import { stopDunning } from '../../../billing/dunning/staff.ts';
import { voidInvoiceByStaff } from '../../../billing/invoices/issue/void.ts';
import { dueDocuments } from '../../../billing/invoices/plan/due.ts';
import { setBillingMode } from '../../../billing/invoices/prepayments/terms.ts';
import { billDue } from '../../../billing/invoices/runs/bill.ts';
import { listNewestRuns } from '../../../billing/invoices/runs/queries.ts';
import { askForBilling } from '../../../billing/invoices/runs/run.ts';
import { setIssuer } from '../../../billing/issuers/service.ts';
import { importStatement } from '../../../billing/payments/import.ts';
import { makeDebitFile, makeRefundFile, paymentFile } from '../../../billing/payments/make-file.ts';
import { settleDebits } from '../../../billing/payments/service.ts';
import { simulatedBank } from '../../../billing/payments/simulated-bank.ts';
import { enterPayment, giveUp } from '../../../billing/payments/staff.ts';
import type { ServiceConfig } from '../../../config/config.ts';
import { setPlant } from '../../../contracts/subscriptions/plant.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { type Connection, type Database, openDatabase } from '../../../platform/database/db.ts';
import { createLogger } from '../../../platform/log/logger.ts';
import { createMail } from '../../../platform/mail.ts';
import { createMetrics } from '../../../platform/metrics.ts';
import type { StaffAct } from '../../../platform/staff-act.ts';
import {
  addDays,
  addMonths,
  berlinDayAt,
  berlinDayOf,
  berlinMilliseconds,
  type CalendarDay,
  firstOfMonth,
} from '../../../platform/time/berlin-calendar.ts';

/*
 * Bills of the demo, as if somebody had billed since the first day of supply: month by month under a clock of that day, by the
 * functions that work every day. The simulated bank pays them and returns some. All of it is invented, and the name of who
 * bills says so.
 */

export const DEMO_ISSUER = {
  name: 'Demo Strom GmbH (erfunden)',
  ...{ street: 'Ackerstraße', house_number: '1', zip: '10115', city: 'Berlin', country: 'DE' as const },
  ...{ contact_name: 'Kundenservice', email: 'service@example.org', phone: '+49 30 1234567' },
  ...{ vat_id: 'DE123456788', supplier_code: '9907248000001', creditor_id: 'DE98ZZZ09999999999' },
  ...{ iban: 'DE02120300000000202051', account_holder: 'Demo Strom GmbH (erfunden)' },
};

/** Days behind the first of a month at which its work is done; the month before is settled by then. */
const BILLED_DAY = 17;
const DEBITED_DAY = BILLED_DAY + 13;
const REPORTED_DAY = BILLED_DAY + 22;
const FINAL_DAY = BILLED_DAY + 28;
const HOUR = 9;
const EVERY_CONTRACT = { first: '', last: 'sub_~' };

interface Billing {
  readonly database: Database;
  readonly config: Pick<ServiceConfig, 'APP_ENV' | 'SMTP_URL' | 'MAIL_FROM' | 'MAIL_FOLDER'>;
  readonly organization: string;
}

/** Returns what is to be said about it. A start that was cut off is gone on with by the next one. */
export async function ensureDemoBills(
  config: ServiceConfig & { readonly ownerUrl: string },
  organization: string,
  clock: Clock = systemClock(),
): Promise<string> {
  const database = openDatabase({
    url: config.DATABASE_URL,
    applicationName: 'voltstream-start',
    connectionsMax: 2,
    onError: () => {},
  });
  try {
    const billing = { database, config, organization };
    await setIssuer(
      database,
      organization,
      { ...DEMO_ISSUER, ...(await beginningOf(billing)) },
      actAt(clock),
    );
    await dateMandates(config.ownerUrl, organization);
    await liveThrough(billing, berlinDayAt(clock.nowMilliseconds()));
    await lookToday(billing, clock);
    const count = (await listDemoBills(database, organization)).length;
    return `bills: ${count}, paid by a simulated bank (npm run -s cli -- invoices list --organization ${organization})`;
  } finally {
    await database.close();
  }
}

/** Bills begin with the first supply; from the first document on that stays as it is. */
async function beginningOf({ database, organization }: Billing): Promise<{ bills_from?: CalendarDay }> {
  const first = await findFirstSupply(database, organization);
  const last = await findLastIssue(database, organization);
  return first === null || last !== null ? {} : { bills_from: firstOfMonth(first) };
}

/**
 * The contracts of the demo were made today and are called older; so are their mandates. The service itself may not do that:
 * a mandate never changes.
 */
async function dateMandates(ownerUrl: string, organization: string): Promise<void> {
  const owner = openDatabase({
    url: ownerUrl,
    applicationName: 'voltstream-start',
    connectionsMax: 1,
    onError: () => {},
  });
  try {
    await owner.inOrganization({ organization }, (connection) =>
      dateMandatesByStart(connection, organization),
    );
  } finally {
    await owner.close();
  }
}

async function liveThrough(billing: Billing, today: CalendarDay): Promise<void> {
  const { database, organization } = billing;
  const first = await findFirstSupply(database, organization);
  if (first === null) return;
  await prepare(billing, today);
  const last = await findLastIssue(database, organization);
  for (let month = addMonths(firstOfMonth(first), 1); month <= today; month = addMonths(month, 1)) {
    const billedOn = addDays(month, BILLED_DAY);
    if (billedOn > today || (last !== null && billedOn <= last)) continue;
    await bill(billing, clockOf(billedOn));
    if (month === addMonths(firstOfMonth(today), -2)) await differ(billing, clockOf(addDays(billedOn, 2)));
    const days = { debited: addDays(month, DEBITED_DAY), reported: addDays(month, REPORTED_DAY) };
    if (addDays(month, FINAL_DAY) > today) continue;
    await pay(billing, clockOf(days.debited), clockOf(days.reported));
    const clock = clockOf(addDays(month, FINAL_DAY));
    await settleDebits({ database, clock }, organization);
    await remind(billing, clock);
  }
}

/**
 * What the demo's records were made with came in today, behind all of its bills: the run of today looks at it, as the daily one
 * does. Later starts leave that to the schedule.
 */
async function lookToday({ database, organization }: Billing, clock: Clock): Promise<void> {
  const now = clock.now().toISOString();
  await database.inOrganization({ organization }, async (connection) => {
    if ((await listNewestRuns(connection, organization, 1)).length > 0) return;
    await askForBilling(connection, organization, { dueAt: now, month: null, estimateGaps: false }, now);
  });
}

/** One household pays in advance, and the plant that feeds in is known: without it its credits are refused. */
async function prepare({ database, organization }: Billing, today: CalendarDay): Promise<void> {
  const feedIn = await findContract(database, organization, 'demo-feed-in');
  const plant = { plant_commissioned_on: '2024-05-06', plant_size_kw: '9.8' };
  if (feedIn !== undefined) await setPlant(database, organization, feedIn.id, plant, actAt(clockOf(today)));
  const inAdvance = await findContract(database, organization, 'demo-terminated');
  if (inAdvance === undefined || inAdvance.has_documents) return;
  const from = firstOfMonth(inAdvance.start_on);
  const mode = { mode: 'advance' as const, from, instalment: '72' };
  await setBillingMode({ database }, organization, inAdvance.id, mode, actAt(clockOf(from)));
}

function clockOf(day: CalendarDay): Clock {
  const milliseconds = berlinMilliseconds(day, HOUR);
  return { nowMilliseconds: () => milliseconds, now: () => new Date(milliseconds) };
}

function actAt(clock: Clock): StaffAct {
  return {
    ...{ staff: 'npm start', reason: 'bills of the demo organization', command: 'start' },
    now: clock.now().toISOString(),
  };
}

/** Quarter hours from before the first import are estimated: the bill says so. */
async function bill({ database, organization }: Billing, clock: Clock): Promise<void> {
  const moment = { nowMilliseconds: clock.nowMilliseconds(), month: null };
  const due = await database.inOrganization({ organization }, (connection) =>
    dueDocuments(connection, organization, EVERY_CONTRACT, moment),
  );
  const log = createLogger({ level: 'silent', name: 'start' });
  const options = { run: null, estimateGaps: true, mayGoOn: () => {}, log };
  await billDue({ database, clock }, organization, due, options);
}

/**
 * Plays the staff: one bill is reversed and made anew, one was paid in cash, one is disputed, one given up. The money for
 * the disputed one came without the number of a bill: that is left to whoever opens the console.
 */
async function differ(billing: Billing, clock: Clock): Promise<void> {
  const { database, organization } = billing;
  const bills = await listDemoBills(database, organization);
  const deps = { database, clock };
  const of = (rule: (bill: DemoBill) => boolean) => bills.find(rule)?.id;
  const paid = of(({ status, total }) => status === 'paid' && !total.startsWith('-'));
  if (paid !== undefined) {
    await voidInvoiceByStaff(deps, organization, paid, actAt(clock));
    await bill(billing, clock);
  }
  const open = bills.filter(({ status, total }) => status === 'open' && !total.startsWith('-'));
  const [cash, disputed, lost] = open.toReversed();
  if (cash !== undefined) await enterPayment({}, deps, organization, cash.id, actAt(clock));
  if (lost !== undefined) await giveUp(deps, organization, lost.id, actAt(clock));
  if (disputed === undefined) return;
  await stopDunning('disputed', deps, organization, disputed.id, actAt(clock));
  await transfer(billing, disputed.total, clock);
}

async function transfer({ database, config, organization }: Billing, amount: string, clock: Clock) {
  const nothing = { endToEndId: null, blockId: null, returnReason: null, iban: null };
  const identity = 'simulated-transfer';
  const said = {
    name: 'Erika Beispiel',
    text: 'Strom, wie besprochen',
    bookedOn: berlinDayAt(clock.nowMilliseconds()),
  };
  const entry = {
    ...nothing,
    ...said,
    amount,
    identity,
    path: identity,
    elsewhere: null,
    hasReference: true,
  };
  const bank = {
    ...simulatedBank(config.APP_ENV),
    results: async () => ({ entries: [entry], pending: 0, problems: [] }),
  };
  const statement = { name: identity, source: (async function* () {})() };
  await importStatement({ database, clock }, organization, statement, bank, actAt(clock));
}

async function pay(billing: Billing, order: Clock, reported: Clock): Promise<void> {
  const { database, config, organization } = billing;
  const provider = simulatedBank(config.APP_ENV);
  for (const make of [makeDebitFile, makeRefundFile]) {
    const { id } = await make({ database, clock: order }, organization, { provider }, actAt(order));
    if (id === null) continue;
    const { content } = await paymentFile({ database }, organization, id, actAt(order));
    const source = (async function* () {
      yield content;
    })();
    const deps = { database, clock: reported };
    await importStatement(deps, organization, { name: 'simulated', source }, provider, actAt(reported));
  }
}

/** Reminders have the day on which they would have left: the newest mail stays the one that somebody waits for. */
async function remind({ database, organization, config }: Billing, clock: Clock): Promise<void> {
  const { signal } = new AbortController();
  const log = createLogger({ level: 'silent', name: 'start' });
  const mail = createMail({ config, log, metrics: createMetrics({ runtime: false }), clock });
  try {
    await runDunning({ database, clock, mail }, { organization, signal, log });
  } finally {
    await mail.close();
  }
}

/** The first day on which a contract of the demo was supplied. */
async function findFirstSupply(database: Database, organization: string): Promise<CalendarDay | null> {
  return await database.inOrganization({ organization }, async (connection) => {
    const row = await connection
      .selectFrom('subscriptions')
      .select((of) => of.fn.min('start_at').as('first'))
      .where('organization_id', '=', organization)
      .executeTakeFirst();
    return row?.first == null ? null : berlinDayOf(row.first);
  });
}

/** The day of the newest document. */
async function findLastIssue(database: Database, organization: string): Promise<CalendarDay | null> {
  return await database.inOrganization({ organization }, async (connection) => {
    const row = await connection
      .selectFrom('invoices')
      .select((of) => of.fn.max('issued_at').as('last'))
      .where('organization_id', '=', organization)
      .executeTakeFirst();
    return row?.last == null ? null : berlinDayOf(row.last);
  });
}

interface DemoBill {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly total: string;
}

/** Oldest first. */
async function listDemoBills(database: Database, organization: string): Promise<DemoBill[]> {
  return await database.inOrganization({ organization }, (connection) =>
    connection
      .selectFrom('invoices')
      .select(['id', 'type', 'status', sql<string>`total::text`.as('total')])
      .where('organization_id', '=', organization)
      .orderBy('ledger_number')
      .execute(),
  );
}

async function dateMandatesByStart(connection: Connection, organization: string): Promise<void> {
  await sql`
    UPDATE payment_methods AS m SET mandate_signed_on = (s.start_at AT TIME ZONE 'Europe/Berlin')::date - 14
      FROM subscriptions AS s
     WHERE m.organization_id = ${organization} AND s.organization_id = m.organization_id AND s.payment_method_id = m.id
       AND m.mandate_signed_on > (s.start_at AT TIME ZONE 'Europe/Berlin')::date - 14`.execute(connection);
}

/** The contract with this name in its metadata. */
async function findContract(
  database: Database,
  organization: string,
  name: string,
): Promise<{ id: string; start_on: CalendarDay; has_documents: boolean } | undefined> {
  return await database.inOrganization({ organization }, async (connection) => {
    const { rows } = await sql<{ id: string; start_on: CalendarDay; has_documents: boolean }>`
      SELECT id, (start_at AT TIME ZONE 'Europe/Berlin')::date AS start_on,
             EXISTS (SELECT FROM invoices AS i
                      WHERE i.organization_id = s.organization_id AND i.subscription_id = s.id) AS has_documents
        FROM subscriptions AS s
       WHERE organization_id = ${organization} AND metadata ->> 'demo' = ${name} AND start_at IS NOT NULL`.execute(
      connection,
    );
    return rows[0];
  });
}
