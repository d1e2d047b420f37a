import { sql } from 'kysely';
import { DateTime } from 'luxon';
import { findBillThatTookOver } from '../../billing/invoices/queries.ts';
import {
  contractsWaitedFor,
  holdInvoicesOf,
  listUnbilledContracts,
  restrictInvoices,
} from '../../billing/invoices/service.ts';
import { listOverpaidOf } from '../../billing/payments/list.ts';
import { holdUsage } from '../../contracts/usage/service.ts';
import { type CustomerRow, findCustomer } from '../../identity/customers/queries.ts';
import { endCodesOf } from '../../identity/oauth/sign-in/end-codes.ts';
import { findOrganization, STANDINGS_AT_WORK } from '../../identity/organizations/queries.ts';
import { audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { LOCK_ORDER } from '../../platform/database/lock-order.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/enqueue.ts';
import { type JobResult, type JobRun, organizationOf } from '../../platform/jobs/jobs.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { berlinDayOf } from '../../platform/time/berlin-calendar.ts';
import { NEVER_IN_USE } from '../../telemetry/assets/queries.ts';
import { eraseLateSnapshotsJob } from './jobs.ts';
import { type Person, type Place, places, snapshotPlaces } from './places.ts';

/*
 * Erasure of one customer (Art. 17 GDPR, section 35(3) BDSG): what no duty keeps is deleted, bills are restricted to the
 * finance role, and rows that others point to say nothing of the person any more. By the owner of the tables: the service
 * itself cannot delete readings, and does not see restricted bills.
 *
 * One transaction decides: it holds all rows of the person, erases whatever is not measured by devices, closes these, marks the
 * customer (`erased_at`), writes the line of the audit log and asks for the job. Either all of it happened or nothing. From then
 * on nothing new is taken of the person. Snapshots are erased behind it, as years of them are more than a transaction may take:
 * by the command, and by the job whatever becomes of the command. Repeated it goes on where it was stopped.
 */

/** Why a customer cannot be erased yet. */
export interface Obstacle {
  reason:
    | 'running_contract'
    | 'open_invoice'
    | 'payment_under_way'
    | 'overpaid'
    | 'unmatched_movement'
    | 'bill_missing'
    | 'may_be_corrected'
    | 'changed_since_run'
    | 'correction_under_way'
    | 'correction_waits';
  /** The contract, the invoice, or the movement on the account. */
  object: string;
}

export class ErasureRefused extends Error {
  readonly obstacles: readonly Obstacle[];

  constructor(customer: string, obstacles: readonly Obstacle[]) {
    const lines = obstacles.map(({ reason, object }) => `${reason}: ${SENTENCES[reason](object)}`);
    super([`Customer ${customer} cannot be erased:`, ...lines].join('\n'));
    this.name = 'ErasureRefused';
    this.obstacles = obstacles;
  }
}

const SENTENCES: Readonly<Record<Obstacle['reason'], (object: string) => string>> = {
  running_contract: (id) => `contract ${id} has not ended`,
  open_invoice: (id) => `invoice ${id} is not settled`,
  payment_under_way: (id) => `invoice ${id} has a payment that is with the bank, or may come back`,
  overpaid: (id) => `invoice ${id} was paid too much, and nobody has paid that back`,
  unmatched_movement: (id) => `movement ${id} of the person's account is assigned to no bill yet`,
  bill_missing: (id) => `contract ${id} was supplied on days that have no bill`,
  may_be_corrected: (id) =>
    `contract ${id} may be corrected until a daily run has looked six weeks after its end`,
  changed_since_run: (id) =>
    `contract ${id} has bills that depend on what came in since the last daily run: the next one looks at it; jobs list names a look that was given up`,
  correction_under_way: (id) =>
    `contract ${id} waits for jobs of corrections: jobs list says which were given up, and the next daily run does their work, jobs retry at once`,
  correction_waits: (id) =>
    `contract ${id} has a correction that is not made yet: invoices deadlines --subscription ${id} says what it waits for`,
};

export interface ErasedRows {
  table: string;
  what: 'deleted' | 'restricted' | 'blanked' | 'kept';
  rows: number;
}

/** A household that measures every second has a hundred million snapshots: to count them takes longer than a statement may. */
const COUNTED_MAX = 100_000;

interface PlannedRows extends Omit<ErasedRows, 'rows'> {
  /** Beyond a number: that they are more. */
  rows: number | string;
}

/** What an erasure would do now, and changes nothing. */
export async function erasureOf(database: Database, person: Person, now: string): Promise<PlannedRows[]> {
  const { organization } = person;
  return await database.inOrganization({ organization }, async (connection) => {
    await findKnown(connection, person);
    await assertErasable(connection, person, now);
    const found: PlannedRows[] = [];
    for (const place of places) {
      const { rows } = await sql<{ rows: number }>`
        SELECT count(*)::int AS rows
          FROM (SELECT 1 FROM ${sql.table(place.table)} AS t WHERE ${place.rowsOf(person)}
                 LIMIT ${COUNTED_MAX + 1}) AS counted`.execute(connection);
      const count = rows[0]?.rows ?? 0;
      const shown = count > COUNTED_MAX ? `more than ${COUNTED_MAX}` : count;
      if (count > 0) found.push({ table: place.table, what: whatOf(place), rows: shown });
    }
    return found;
  });
}

/**
 * A batch may have been accepted before the devices were closed and be stored behind their erasure. By then nothing of it is
 * under way any more: assets are believed for 5 s, a request ends after 20 s, and a transaction after 40 s. To ask in the
 * transaction of each batch whether its assets are still there would cost every gateway a statement.
 */
const LATE = { minutes: 2 };

export async function eraseCustomer(
  database: Database,
  { organization, customer }: Person,
  act: StaffAct,
  { clock, pepper }: { clock: Clock; pepper: string },
): Promise<ErasedRows[]> {
  const person = { organization, customer };
  const { keys, erased } = await database.inOrganization({ organization }, async (connection) => {
    const codes = await holdPerson(connection, person, pepper);
    /* Whoever confirmed may have taken his time. */
    const now = clock.now().toISOString();
    await assertErasable(connection, person, now);
    const done: ErasedRows[] = [
      { table: 'one_time_codes, wrong_one_time_codes', what: 'deleted', rows: codes },
    ];
    const restricted = await restrictInvoices(connection, customer, now);
    done.push({ table: 'invoices', what: 'restricted', rows: restricted });
    for (const place of places.filter((candidate) => !snapshotPlaces.includes(candidate))) {
      const rows = await eraseAt(connection, place, person);
      done.push({ table: place.table, what: whatOf(place), rows });
    }
    await audit(connection, { ...staffOf(act, organization), act: 'customer.erase', object_id: customer });
    const closed = await listClosedAssets(connection, person);
    if (closed.length > 0) {
      /* At the end: counted from the commit, as nearly as it can be. */
      const runAt = DateTime.fromJSDate(clock.now(), { zone: 'utc' }).plus(LATE).toISO() ?? now;
      await enqueue(connection, eraseLateSnapshotsJob, { customer }, { runAt });
    }
    return { keys: closed, erased: done };
  });
  const snapshots = await eraseSnapshots(database, organization, keys);
  const measured = snapshotPlaces.map(({ table }) => table).join(', ');
  return [{ table: measured, what: 'deleted' as const, rows: snapshots }, ...erased].filter(
    ({ rows }) => rows > 0,
  );
}

/** For the devices of who was erased, with sums and what waits to be summed: what came late, or what a command that died left. */
export async function eraseLateSnapshots(
  { database, maintenance }: { database: Database; maintenance: Database },
  run: Pick<JobRun<{ customer: string }>, 'organization' | 'payload' | 'signal'>,
): Promise<JobResult> {
  const organization = organizationOf(run);
  const person = { organization, customer: run.payload.customer };
  const keys = await database.inOrganization({ organization }, (connection) =>
    listClosedAssets(connection, person),
  );
  return { rows: await eraseSnapshots(maintenance, organization, keys, run.signal) };
}

async function listClosedAssets(
  connection: Connection,
  { organization, customer }: Person,
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    SELECT key::text FROM assets
     WHERE organization_id = ${organization} AND customer_id = ${customer}
       AND decommissioned_at = ${NEVER_IN_USE}::timestamptz`.execute(connection);
  return rows.map(({ key }) => key);
}

async function eraseSnapshots(
  database: Database,
  organization: string,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const key of keys) {
    for (let rows = 1; rows > 0; total += rows) {
      signal?.throwIfAborted();
      rows = await database.inOrganization({ organization }, async (connection) => {
        const erased = await sql<{ rows: number }>`
          SELECT erase_asset_snapshots(${key}::bigint)::int AS rows`.execute(connection);
        return erased.rows[0]?.rows ?? 0;
      });
    }
  }
  return total;
}

async function eraseAt(connection: Connection, place: Place, person: Person): Promise<number> {
  const { onErasure } = place;
  if (onErasure === 'kept' || onErasure === 'restricted') return 0;
  const table = sql.table(place.table);
  const rows = place.rowsOf(person);
  if (onErasure === 'deleted') return await count(connection, sql`DELETE FROM ${table} AS t WHERE ${rows}`);
  const set = Object.entries(onErasure.blanked).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  return await count(connection, sql`UPDATE ${table} AS t SET ${sql.join(set)} WHERE ${rows}`);
}

async function count(connection: Connection, statement: ReturnType<typeof sql>): Promise<number> {
  return Number((await statement.execute(connection)).numAffectedRows ?? 0n);
}

function whatOf({ onErasure }: Place): ErasedRows['what'] {
  return typeof onErasure === 'string' ? onErasure : 'blanked';
}

/** Obstacles that are told at once. */
const OVERPAID_MAX = 100;

/** Throws `NotFound`. */
async function findKnown(connection: Connection, { organization, customer }: Person): Promise<CustomerRow> {
  const known = isId(customer) ? await findCustomer(connection, organization, customer) : undefined;
  if (known === undefined) throw notFound();
  return known;
}

/**
 * Whatever others hold when they change or add something of the person, in the one order, first what is locked by name: they are
 * through before, or see afterwards who was erased. Ends sign-ins on the way, and returns how many codes there were: codes for
 * portal and hosted screens are kept under the hash of the address alone.
 */
async function holdPerson(connection: Connection, person: Person, pepper: string): Promise<number> {
  const { organization, customer } = person;
  const { email } = await findKnown(connection, person);
  const codes = await endCodesOf(connection, pepper, { organization, email });
  const contracts = await sql<{ id: string }>`
    SELECT id FROM subscriptions WHERE organization_id = ${organization} AND customer_id = ${customer}
     ORDER BY id`.execute(connection);
  for (const { id: subscription } of contracts.rows)
    await holdUsage(connection, { organization, subscription });
  for (const table of LOCK_ORDER) {
    const place = places.find((candidate) => candidate.table === table);
    if (place === undefined) continue;
    await sql`
      SELECT FROM ${sql.table(table)} AS t WHERE ${place.rowsOf(person)} ORDER BY t.id
         FOR NO KEY UPDATE OF t`.execute(connection);
  }
  await holdInvoicesOf(connection, organization, customer);
  return codes;
}

/**
 * Where the person is held, it is true until the transaction ends. An ended contract is billed for the last time only after
 * its end; without its usage it never could be, nor corrected by what comes in within six weeks. One that ended before bills
 * began is billed elsewhere. Money that moves, is to be paid back, or was taken back from a paid bill, is found by nobody once
 * its payments are restricted and the account is gone. In an organization that is switched off no job ends a contract on its
 * day: the day alone counts there. In a deleted one none bills it ever, so nobody waits for its bill.
 */
async function assertErasable(
  connection: Connection,
  { organization, customer }: Person,
  now: string,
): Promise<void> {
  const owner = await findOrganization(connection, organization);
  const runsCome = owner !== undefined && STANDINGS_AT_WORK.includes(owner.standing);
  const { rows } = await sql<Obstacle>`
    SELECT 'running_contract' AS reason, id AS object FROM subscriptions
     WHERE organization_id = ${organization} AND customer_id = ${customer} AND status <> 'ended'
       AND (${runsCome} OR end_at IS NULL OR end_at > ${now}::timestamptz)
    UNION ALL
    SELECT 'open_invoice', id FROM invoices
     WHERE organization_id = ${organization} AND customer_id = ${customer} AND status = 'open'
    UNION ALL
    SELECT 'open_invoice', paid.id FROM invoices AS paid
      JOIN payments AS p ON p.organization_id = paid.organization_id AND p.invoice_id = paid.id
     WHERE paid.organization_id = ${organization} AND paid.customer_id = ${customer} AND paid.status = 'paid'
       AND paid.restricted_at IS NULL AND ${findBillThatTookOver('paid', 'id')} IS NULL
     GROUP BY paid.id, paid.total
    HAVING bool_or(p.status = 'returned')
       AND paid.total > coalesce(sum(CASE p.direction WHEN 'in' THEN p.amount ELSE -p.amount END)
                                   FILTER (WHERE p.status = 'settled'), 0)
    UNION ALL
    SELECT DISTINCT 'payment_under_way', invoice_id FROM payments
     WHERE organization_id = ${organization} AND customer_id = ${customer} AND status IN ('requested', 'credited')
       AND restricted_at IS NULL
    UNION ALL
    SELECT 'unmatched_movement', movement.id FROM bank_entries AS movement
     WHERE movement.organization_id = ${organization} AND movement.state IN ('new', 'unmatched')
       AND movement.restricted_at IS NULL
       AND movement.iban IN (SELECT iban FROM payment_methods
                              WHERE organization_id = ${organization} AND customer_id = ${customer})
     ORDER BY reason, object`.execute(connection);
  const person = { organization, customer };
  /* A suspension ends: what customers have paid in advance is to be credited then. */
  const isBilledOnce = owner !== undefined && owner.standing !== 'deleted';
  const unbilled = isBilledOnce ? await listUnbilledContracts(connection, person, berlinDayOf(now)) : [];
  const nowMilliseconds = DateTime.fromISO(now).toMillis();
  const waitedFor = await contractsWaitedFor(connection, person, { nowMilliseconds, runsCome });
  const overpaid = await listOverpaidOf(connection, organization, customer, OVERPAID_MAX);
  const obstacles = [
    ...rows,
    ...overpaid.map(({ invoice_id }) => ({ reason: 'overpaid', object: String(invoice_id) }) as const),
    ...unbilled.map((object) => ({ reason: 'bill_missing', object }) as const),
    ...waitedFor.map(({ id, reason }) => ({ reason, object: id })),
  ];
  if (obstacles.length > 0) throw new ErasureRefused(customer, obstacles);
}
