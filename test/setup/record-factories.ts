import { randomBytes, randomInt } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { Tables } from '../../src/platform/database/tables.ts';
import type { Deps } from '../../src/platform/deps.ts';
import { newId } from '../../src/platform/ids.ts';

/*
 * Rows straight into the tables, without the rules of the interface: for tests of what comes after them. Every column can
 * be given; what is not given is valid.
 */

type RecordDeps = Pick<Deps, 'database' | 'clock'>;
type Row<Table extends keyof Tables> = Partial<Omit<Insertable<Tables[Table]>, 'organization_id'>>;

const unique = () => randomBytes(6).toString('hex');

/** A consumption plan in force, with one row of terms that is always valid. */
export async function createPlan(
  { database, clock }: RecordDeps,
  organization: string,
  input: Row<'plans'> & { terms?: readonly Row<'plan_terms'>[] } = {},
): Promise<{ id: string; slug: string }> {
  const { terms = [{}], ...columns } = input;
  const now = clock.now().toISOString();
  const plan = {
    id: newId('pln'),
    slug: `plan-${unique()}`,
    name: 'Strom Dynamisch',
    type: 'consumption' as const,
    created_at: now,
    updated_at: now,
    ...columns,
  };
  const kind = plan.type === 'feed_in' ? { feed_in_kind: 'fixed' as const, feed_in_ct_net: '8' } : {};
  await database.inOrganization({ organization }, async (connection) => {
    await connection
      .insertInto('plans')
      .values({ ...plan, organization_id: organization })
      .execute();
    for (const term of terms) {
      await connection
        .insertInto('plan_terms')
        .values({
          base_fee_net: '5',
          ...kind,
          ...term,
          plan_id: plan.id,
          organization_id: organization,
        })
        .execute();
    }
  });
  return { id: plan.id, slug: plan.slug };
}

/** A supplier of the market; all organizations see it. */
export async function createMarketPartner(
  { database, clock }: RecordDeps,
  input: Row<'market_partners'> = {},
): Promise<{ id: string; code: string; name: string }> {
  const now = clock.now().toISOString();
  const partner = {
    id: newId('mp'),
    code: `99${String(randomInt(10 ** 11)).padStart(11, '0')}`,
    name: `Stadtwerke ${unique()}`,
    country: 'DE',
    created_at: now,
    updated_at: now,
    ...input,
  };
  await database.asService((connection) =>
    connection.insertInto('market_partners').values(partner).execute(),
  );
  return { id: partner.id, code: partner.code, name: partner.name };
}

/** A lead of the given plan, or of a new one. */
export async function createLead(
  deps: RecordDeps,
  organization: string,
  input: Row<'leads'> = {},
): Promise<{ id: string; plan: string }> {
  const plan_id = input.plan_id ?? (await createPlan(deps, organization)).id;
  const lead = {
    id: newId('lead'),
    details: JSON.stringify({ address: { zip: '20354' }, meter: { estimated_usage: 2500 } }),
    created_at: deps.clock.now().toISOString(),
    ...input,
    plan_id,
  };
  await deps.database.inOrganization({ organization }, (connection) =>
    connection
      .insertInto('leads')
      .values({ ...lead, organization_id: organization })
      .execute(),
  );
  return { id: lead.id, plan: plan_id };
}

export interface TestSubscription {
  id: string;
  plan: string;
  meter: string;
  payment_method: string;
  billing_address: string;
}

interface ContractPlace {
  household: string;
  customer: string;
  address: string | null;
}

interface SubscriptionInput extends Row<'subscriptions'> {
  /** Of the meter, where the household has none yet. */
  meter_number?: string;
  meter_type?: 'smart' | 'analog';
}

/**
 * A contract of a household, with the plan (a new one of the type where `plan_id` is absent), the household's meter, a
 * payment method and a billing address. Without dates: a pending one has none, an active one began a month before the
 * clock, an ended one ended then.
 */
export async function createSubscription(
  deps: RecordDeps,
  organization: string,
  place: ContractPlace,
  input: SubscriptionInput = {},
): Promise<TestSubscription> {
  const { meter_number, meter_type, ...columns } = input;
  const type = input.type ?? 'consumption';
  const plan_id = input.plan_id ?? (await createPlan(deps, organization, { type })).id;
  const now = deps.clock.now().toISOString();
  const owner = { organization_id: organization, customer_id: place.customer };
  return await deps.database.inOrganization({ organization }, async (connection) => {
    const known = await connection
      .selectFrom('meters')
      .select('id')
      .where('organization_id', '=', organization)
      .where('household_id', '=', place.household)
      .executeTakeFirst();
    const meter_id = input.meter_id ?? known?.id ?? newId('mtr');
    if (input.meter_id === undefined && known === undefined) {
      await connection
        .insertInto('meters')
        .values({
          ...owner,
          id: meter_id,
          household_id: place.household,
          number: meter_number ?? `1EMH${String(randomInt(10 ** 10)).padStart(10, '0')}`,
          type: meter_type ?? (type === 'feed_in' ? 'smart' : 'analog'),
          created_at: now,
          updated_at: now,
        })
        .execute();
    }
    const payment_method_id = input.payment_method_id ?? newId('pm');
    if (input.payment_method_id === undefined) {
      const account = { iban: 'DE89370400440532013000', account_holder: 'Käthe Voß' };
      await connection
        .insertInto('payment_methods')
        .values({
          ...{ ...owner, id: payment_method_id, type: 'sepa_debit', ...account, created_at: now },
          /* Before any day on which a test collects: by itself the column has the day of the machine. */
          mandate_signed_on: '2020-01-01',
        })
        .execute();
    }
    const billing_address_id = input.billing_address_id ?? newId('adr');
    if (input.billing_address_id === undefined) {
      const address = { street: 'Gänsemarkt', house_number: '12a', zip: '20354', city: 'Hamburg' };
      await connection
        .insertInto('addresses')
        .values({ ...owner, id: billing_address_id, ...address, created_at: now })
        .execute();
    }
    const id = input.id ?? newId('sub');
    await connection
      .insertInto('subscriptions')
      .values({
        number: randomBytes(4).toString('hex').toUpperCase(),
        address_id: place.address,
        estimated_usage: '2500',
        intended_start_on: now.slice(0, 10),
        created_at: now,
        updated_at: now,
        ...datesOf(input.status ?? 'pending', deps.clock.nowMilliseconds()),
        ...columns,
        ...owner,
        id,
        plan_id,
        type,
        household_id: place.household,
        meter_id,
        payment_method_id,
        billing_address_id,
      })
      .execute();
    return {
      id,
      plan: plan_id,
      meter: meter_id,
      payment_method: payment_method_id,
      billing_address: billing_address_id,
    };
  });
}

const MONTH_MILLISECONDS = 30 * 24 * 3_600_000;

function datesOf(
  status: 'pending' | 'active' | 'ended',
  nowMilliseconds: number,
): Row<'subscriptions'> & {
  status: 'pending' | 'active' | 'ended';
} {
  const monthsAgo = (months: number) => new Date(nowMilliseconds - months * MONTH_MILLISECONDS).toISOString();
  if (status === 'pending') return { status };
  const begun = { status, start_at: monthsAgo(status === 'ended' ? 2 : 1), confirmed_at: monthsAgo(3) };
  return status === 'active' ? begun : { ...begun, end_at: monthsAgo(1) };
}
