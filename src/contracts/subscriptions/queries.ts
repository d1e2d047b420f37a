import { randomInt } from 'node:crypto';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newestFirst, type PageRequest } from '../../platform/interface/newest-first.ts';
import type { PagePosition } from '../../platform/interface/pagination.ts';
import { berlinMidnight, type CalendarDay } from '../../platform/time/berlin-calendar.ts';

/**
 * The delivery address of a `contract` in a `household`. CASE and not coalesce: under row-level security PostgreSQL takes
 * coalesce for a function that could tell of hidden rows, and compares it with each address of the organization in place of
 * a look into the index (70 ms a contract with 70,000 addresses).
 */
export const DELIVERY_ADDRESS_ID = sql`CASE WHEN contract.address_id IS NULL THEN household.address_id ELSE contract.address_id END`;

/** What a contract's row is read with everywhere. */
export const SUBSCRIPTION_COLUMNS = [
  'id',
  'number',
  'plan_id',
  'type',
  'customer_id',
  'household_id',
  'address_id',
  'billing_address_id',
  'meter_id',
  'payment_method_id',
  'supplier_id',
  'status',
  'estimated_usage',
  'intended_start_on',
  'confirmed_at',
  'start_at',
  'terminated_at',
  'termination_reason',
  'end_at',
  'metadata',
  'created_at',
  'updated_at',
] as const;

export type SubscriptionRow = Pick<
  Selectable<Tables['subscriptions']>,
  (typeof SUBSCRIPTION_COLUMNS)[number]
>;

const FILTER_COLUMNS = {
  status: 'status',
  customer: 'customer_id',
  plan: 'plan_id',
  household: 'household_id',
  meter: 'meter_id',
  created_at: 'created_at',
  updated_at: 'updated_at',
} as const;

const NUMBER_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const NUMBER_CHARACTERS = 8;
/** 36^8 numbers: a second draw is rare, a fifth one does not happen. */
const DRAWS_MAX = 5;

/** `withFeedIn: false` leaves feed-in contracts out, for versions that do not know them. */
export function listSubscriptions(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  list: PageRequest,
  { withFeedIn }: { withFeedIn: boolean },
): Promise<SubscriptionRow[]> {
  let query = connection
    .selectFrom('subscriptions')
    .select(SUBSCRIPTION_COLUMNS)
    .where('organization_id', '=', organization);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  if (!withFeedIn) query = query.where('type', '=', 'consumption');
  return newestFirst(query, list, FILTER_COLUMNS).execute();
}

export function findSubscription(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  id: string,
): Promise<SubscriptionRow | undefined> {
  let query = connection
    .selectFrom('subscriptions')
    .select(SUBSCRIPTION_COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', id);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  return query.executeTakeFirst();
}

/** By the number that people are told. */
export function findSubscriptionByNumber(
  connection: Connection,
  organization: string,
  number: string,
): Promise<SubscriptionRow | undefined> {
  return connection
    .selectFrom('subscriptions')
    .select(SUBSCRIPTION_COLUMNS)
    .where('organization_id', '=', organization)
    .where('number', '=', number)
    .executeTakeFirst();
}

/** Those whose number begins with a text, and those of some customers. */
export function listSubscriptionsKnownAs(
  connection: Connection,
  organization: string,
  { number, customers }: { number: string | null; customers: readonly string[] },
  list: PageRequest,
): Promise<SubscriptionRow[]> {
  /* Numbers have capitals and digits only. */
  const last = `${number}${'Z'.repeat(NUMBER_CHARACTERS)}`;
  const query = connection
    .selectFrom('subscriptions')
    .select(SUBSCRIPTION_COLUMNS)
    .where('organization_id', '=', organization)
    .where(
      sql<boolean>`(number BETWEEN ${number} AND ${last} OR customer_id = ANY (${[...customers]}::text[]))`,
    );
  return newestFirst(query, list, FILTER_COLUMNS).execute();
}

/** Sign-ups of which the grid operator has said nothing yet, those first that wait longest. */
export function listUnconfirmed(
  connection: Connection,
  organization: string,
  { after, rowsMax }: { after: PagePosition | null; rowsMax: number },
): Promise<SubscriptionRow[]> {
  return connection
    .selectFrom('subscriptions')
    .select(SUBSCRIPTION_COLUMNS)
    .where('organization_id', '=', organization)
    .where('status', '=', 'pending')
    .where('start_at', 'is', null)
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(created_at, id) > (${after?.created_at}::timestamptz, ${after?.id})`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(rowsMax)
    .execute();
}

/** How people know some contracts. */
export async function listNumbersOfSubscriptions(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection
    .selectFrom('subscriptions')
    .select(['id', 'number'])
    .where('organization_id', '=', organization)
    .where('id', '=', sql<string>`ANY (${[...ids]}::text[])`)
    .execute();
  return new Map(rows.map(({ id, number }) => [id, number ?? id]));
}

type Changes = Partial<
  Pick<
    SubscriptionRow,
    | 'status'
    | 'payment_method_id'
    | 'confirmed_at'
    | 'start_at'
    | 'terminated_at'
    | 'termination_reason'
    | 'end_at'
  >
> & { metadata?: string | null; updated_at: string };

/** Which meter each of some contracts has. */
export async function listMetersOfSubscriptions(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection
    .selectFrom('subscriptions')
    .select(['id', 'meter_id'])
    .where('organization_id', '=', organization)
    .where('id', '=', sql<string>`ANY (${ids}::text[])`)
    .execute();
  return new Map(rows.map(({ id, meter_id }) => [id, meter_id]));
}

/** All contracts that are or were supplied by a meter. */
export async function listContractsOfMeter(
  connection: Connection,
  organization: string,
  meter: string,
): Promise<string[]> {
  const rows = await connection
    .selectFrom('subscriptions')
    .select('id')
    .where('organization_id', '=', organization)
    .where('meter_id', '=', meter)
    .execute();
  return rows.map(({ id }) => id);
}

/** With a number for people that no other contract of the organization has. */
export async function insertSubscription(
  connection: Connection,
  organization: string,
  subscription: Omit<Insertable<Tables['subscriptions']>, 'organization_id' | 'number'>,
): Promise<SubscriptionRow> {
  for (let draw = 0; draw < DRAWS_MAX; draw += 1) {
    const row = await connection
      .insertInto('subscriptions')
      .values({ ...subscription, organization_id: organization, number: drawnNumber() })
      .onConflict((on) => on.columns(['organization_id', 'number']).doNothing())
      .returning(SUBSCRIPTION_COLUMNS)
      .executeTakeFirst();
    if (row !== undefined) return row;
  }
  throw new Error('No free subscription number was drawn');
}

function drawnNumber(): string {
  return Array.from({ length: NUMBER_CHARACTERS }, () =>
    NUMBER_ALPHABET.charAt(randomInt(NUMBER_ALPHABET.length)),
  ).join('');
}

export function updateSubscription(
  connection: Connection,
  organization: string,
  id: string,
  changes: Changes,
): Promise<SubscriptionRow> {
  return connection
    .updateTable('subscriptions')
    .set(changes)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .returning(SUBSCRIPTION_COLUMNS)
    .executeTakeFirstOrThrow();
}

const PLANT_COLUMNS = ['is_tax_exempt', 'plant_commissioned_on', 'plant_size_kw'] as const;

export type Plant = Pick<Selectable<Tables['subscriptions']>, (typeof PLANT_COLUMNS)[number]>;

/** What feed-in is paid by; null where it is not known. */
export function findPlant(
  connection: Connection,
  organization: string,
  id: string,
): Promise<Plant | undefined> {
  return connection
    .selectFrom('subscriptions')
    .select(PLANT_COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The contracts of a household that use electricity. */
export async function listSuppliesOfHousehold(
  connection: Connection,
  organization: string,
  household: string,
): Promise<string[]> {
  const rows = await connection
    .selectFrom('subscriptions')
    .select('id')
    .where('organization_id', '=', organization)
    .where('household_id', '=', household)
    .where('type', '=', 'consumption')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** The other contracts at the meter of a contract whose sign-up said that it is smart. */
export async function listOthersMadeSmart(
  connection: Connection,
  organization: string,
  id: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT other.id
      FROM subscriptions AS signed
      JOIN subscriptions AS other ON other.organization_id = ${organization} AND other.meter_id = signed.meter_id
     WHERE signed.organization_id = ${organization} AND signed.id = ${id} AND signed.meter_type = 'smart'
       AND other.id <> signed.id
     ORDER BY other.id`.execute(connection);
  return rows.map((row) => row.id);
}

/** Not shown by the interface, so `updated_at` stays. */
export function updatePlant(
  connection: Connection,
  organization: string,
  id: string,
  plant: Partial<Plant>,
): Promise<Plant> {
  return connection
    .updateTable('subscriptions')
    .set(plant)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .returning(PLANT_COLUMNS)
    .executeTakeFirstOrThrow();
}

/** A bill of the contract that stands and reaches an instant, or a prepayment that begins behind it; of several the last. */
export function findBillReaching(
  connection: Connection,
  organization: string,
  id: string,
  instant: string,
): Promise<{ invoice_number: string } | undefined> {
  return connection
    .selectFrom('invoices')
    .select('invoice_number')
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', id)
    .where((either) =>
      either.or([
        either('type', 'in', ['usage', 'exit_summary']).and('period_end', '>=', instant),
        either('type', '=', 'prepayment').and('period_start', '>=', instant),
      ]),
    )
    .where('status', '<>', 'voided')
    .orderBy('period_end', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Held until the end of the transaction: rules look at it and then change it. */
export function lockSubscription(
  connection: Connection,
  organization: string,
  id: string,
): Promise<SubscriptionRow | undefined> {
  return connection
    .selectFrom('subscriptions')
    .select(SUBSCRIPTION_COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** The contract that supplies the household on a day. */
export function findSupplyOn(
  connection: Connection,
  organization: string,
  household: string,
  day: CalendarDay,
): Promise<SubscriptionRow | undefined> {
  const midnight = berlinMidnight(day);
  return connection
    .selectFrom('subscriptions')
    .select(SUBSCRIPTION_COLUMNS)
    .where('organization_id', '=', organization)
    .where('household_id', '=', household)
    .where('type', '=', 'consumption')
    .where('start_at', '<=', midnight)
    .where((where) => where.or([where('end_at', 'is', null), where('end_at', '>', midnight)]))
    .executeTakeFirst();
}
