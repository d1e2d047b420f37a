import { stopDunning } from '../../../billing/dunning/staff.ts';
import { dueDocuments } from '../../../billing/invoices/plan/due.ts';
import { billDue } from '../../../billing/invoices/runs/bill.ts';
import { setIssuer } from '../../../billing/issuers/service.ts';
import { enterPayment } from '../../../billing/payments/staff.ts';
import { findLead, insertLead } from '../../../contracts/leads/queries.ts';
import { createMeter } from '../../../contracts/meters/service.ts';
import { createPaymentMethod } from '../../../contracts/payment-methods/service.ts';
import { advanceSubscriptions } from '../../../contracts/subscriptions/advance.ts';
import { confirmSubscription } from '../../../contracts/subscriptions/back-office.ts';
import { findSubscription, insertSubscription } from '../../../contracts/subscriptions/queries.ts';
import { terminateForStaff, terminationOf } from '../../../contracts/subscriptions/terminate.ts';
import { subscriptionTopics } from '../../../contracts/subscriptions/topics.ts';
import { importUsage } from '../../../contracts/usage/import.ts';
import { measuredDays, wholeDays } from '../../../contracts/usage/measured.ts';
import { recordEvents } from '../../../events/record.ts';
import { createAddress } from '../../../identity/addresses/service.ts';
import { listHouseholds } from '../../../identity/households/queries.ts';
import { joinHousehold } from '../../../identity/households/service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Connection, Database } from '../../../platform/database/db.ts';
import type { Logger } from '../../../platform/log/logger.ts';
import type { StaffAct } from '../../../platform/staff-act.ts';
import { berlinMilliseconds, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { importPlans } from '../../../tariffs/plans/import.ts';
import { isServed } from '../../../tariffs/reference-data/service.ts';
import { DEMO_ISSUER } from '../start/demo-bills.ts';
import {
  idOf,
  LEARNING_DAYS,
  LEARNING_HOUSEHOLDS,
  LEARNING_ORGANIZATION,
  LEARNING_ZIP,
  placeOf,
  SIGNED_UP_AT,
  standingClock,
} from './households.ts';

/*
 * Contracts of two households that were supplied until the end of October, with their leads, usage and bills: everything that
 * there is to be billed is, so that no worker adds to it. One bill was paid. The other one is late and disputed: no reminder
 * leaves for it. The past is made under clocks of its days, by the functions that work every day.
 */

const ORGANIZATION = LEARNING_ORGANIZATION.id;
const TENANT = { organization: ORGANIZATION };
const DAYS = {
  confirmed: '2026-09-24',
  first: LEARNING_DAYS.first,
  terminated: '2026-10-12',
  end: '2026-11-01',
  /* The month is settled, and the bills are due within November. */
  billed: '2026-11-12',
  paid: '2026-11-20',
} as const;
const HOUR = 9;

const PLAN = idOf('pln', '1');
const PLANS = `id,slug,name,status,type,base_fee_net,margin_ct_net,cancellation_months
${PLAN},learning-dynamic,Learning: dynamic,active,consumption,5.00,1.80,1
`;

const ISSUER = {
  ...DEMO_ISSUER,
  ...{ name: LEARNING_ORGANIZATION.name, account_holder: LEARNING_ORGANIZATION.name },
  bills_from: '2026-10-01',
};

interface LearningContract {
  readonly id: string;
  readonly household: number;
  readonly isPaid: boolean;
}

const CONTRACTS: readonly LearningContract[] = [
  { id: idOf('sub', '1'), household: 1, isPaid: true },
  { id: idOf('sub', '4'), household: 4, isPaid: false },
];

/** Those of the contracts, and two people who did not sign up. */
const LEADS = [
  { number: '1', created_at: '2026-09-14T09:30:00.000Z', subscription_id: idOf('sub', '1') },
  { number: '2', created_at: '2026-09-18T16:10:00.000Z', subscription_id: idOf('sub', '4') },
  { number: '3', created_at: '2026-09-16T11:00:00.000Z', subscription_id: null },
  { number: '4', created_at: '2026-10-07T18:45:00.000Z', subscription_id: null },
] as const;

interface ContractParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How many contracts there are, or why there is none. */
export type LearningContracts = { contracts: number } | { leftOut: string };

/** What is missing of them. A run that was cut off is gone on with by the next one. */
export async function ensureLearningContracts(
  parts: ContractParts,
  act: StaffAct,
): Promise<LearningContracts> {
  const { database, log } = parts;
  const isSupplied = await database.inOrganization(TENANT, (connection) =>
    isServed(connection, LEARNING_ZIP, DAYS.first, log),
  );
  if (!isSupplied)
    return { leftOut: `the reference data of this database do not serve the zip ${LEARNING_ZIP}` };
  await importPlans(database, ORGANIZATION, { name: 'learning data', bytes: Buffer.from(PLANS) }, act);
  for (const contract of CONTRACTS) await ensureSupply(parts, contract, act);
  await database.inOrganization(TENANT, ensureLeads);
  await advanceSubscriptions(parts, { signal: new AbortController().signal, log });
  if ((await listBills(database)).length < CONTRACTS.length) {
    for (const contract of CONTRACTS) await readMeter(parts, contract, act);
    await setIssuer(database, ORGANIZATION, ISSUER, act);
    await bill(parts);
  }
  await settleBills(parts, act);
  return { contracts: CONTRACTS.length };
}

const householdOf = ({ household }: LearningContract) => {
  const found = LEARNING_HOUSEHOLDS.find(({ number }) => number === household);
  if (found === undefined) throw new Error(`There is no learning household ${household}`);
  return found;
};

const clockOf = (day: CalendarDay) => standingClock(berlinMilliseconds(day, HOUR));

async function ensureSupply(
  { database }: ContractParts,
  contract: LearningContract,
  act: StaffAct,
): Promise<void> {
  const { id } = contract;
  const stored = await database.inOrganization(
    TENANT,
    async (connection) =>
      (await findSubscription(connection, ORGANIZATION, undefined, id)) ??
      (await signUp(connection, contract)),
  );
  if (stored.start_at === null) {
    const deps = { database, clock: clockOf(DAYS.confirmed) };
    await confirmSubscription(deps, ORGANIZATION, id, { start_on: DAYS.first }, act);
  }
  if (stored.terminated_at === null) {
    const deps = { database, clock: clockOf(DAYS.terminated) };
    await terminateForStaff(deps, ORGANIZATION, id, terminationOf('MOVE_OUT', DAYS.end), act);
  }
}

/** As the sign-up of the interface writes it, with an id that is the same everywhere. */
async function signUp(connection: Connection, contract: LearningContract) {
  const { id: household, customer, number } = householdOf(contract);
  const now = SIGNED_UP_AT;
  const known = await listHouseholds(connection, ORGANIZATION, customer, {
    limit: 1,
    after: null,
    filters: [],
  });
  const newAddress = () => createAddress(connection, ORGANIZATION, customer, placeOf(number), now);
  const address = known[0]?.address_id ?? (await newAddress());
  await joinHousehold(connection, ORGANIZATION, household, { address, now });
  const meter = { number: `1EMH00990003${number}`, type: 'smart' } as const;
  const sepa_debit = { iban: 'DE89370400440532013000', account_holder: `Learning Household ${number}` };
  const row = await insertSubscription(connection, ORGANIZATION, {
    id: contract.id,
    plan_id: PLAN,
    type: 'consumption',
    customer_id: customer,
    household_id: household,
    address_id: address,
    billing_address_id: await newAddress(),
    meter_id: await createMeter(connection, ORGANIZATION, { customer, household }, meter, now),
    meter_type: meter.type,
    payment_method_id: await createPaymentMethod(
      connection,
      ORGANIZATION,
      customer,
      { type: 'sepa_debit', sepa_debit },
      now,
    ),
    supplier_id: null,
    status: 'pending',
    estimated_usage: '4200',
    intended_start_on: DAYS.first,
    metadata: null,
    created_at: now,
    updated_at: now,
  });
  await recordEvents(connection, ORGANIZATION, [
    { topic: subscriptionTopics.created, context: { subscription: row.id }, now },
  ]);
  return row;
}

async function ensureLeads(connection: Connection): Promise<void> {
  for (const { number, created_at, subscription_id } of LEADS) {
    const id = idOf('lead', number);
    if ((await findLead(connection, ORGANIZATION, id)) !== undefined) continue;
    const customer = { first_name: 'Learning', last_name: `Lead ${number}` };
    await insertLead(connection, ORGANIZATION, {
      ...{ id, plan_id: PLAN, created_at, subscription_id },
      subscribed_at: subscription_id === null ? null : SIGNED_UP_AT,
      details: JSON.stringify({ address: { zip: LEARNING_ZIP }, meter: { estimated_usage: 4200 }, customer }),
    });
  }
}

/** The metering operator says what the devices measured at the grid connection. */
async function readMeter(
  { database }: ContractParts,
  contract: LearningContract,
  act: StaffAct,
): Promise<void> {
  const { id: household } = householdOf(contract);
  const days = wholeDays(DAYS.first, DAYS.end, berlinMilliseconds(DAYS.end));
  const measured = await database.inOrganization(TENANT, (connection) =>
    measuredDays(connection, ORGANIZATION, household, days, { mayGoOn: () => {} }),
  );
  const lines = [...measured.values()]
    .flat()
    .map(
      ({ start: milliseconds, consumption }) => `${new Date(milliseconds).toISOString()},${consumption}\n`,
    );
  const file = { name: 'learning usage', bytes: Buffer.from(`start,kwh\n${lines.join('')}`) };
  const now = clockOf(DAYS.billed).now().toISOString();
  await importUsage(database, ORGANIZATION, contract.id, file, { ...act, now });
}

async function bill({ database, log }: ContractParts): Promise<void> {
  const clock = clockOf(DAYS.billed);
  const moment = { nowMilliseconds: clock.nowMilliseconds(), month: null };
  const bounds = { first: CONTRACTS[0]?.id ?? '', last: CONTRACTS.at(-1)?.id ?? '' };
  const due = await database.inOrganization(TENANT, (connection) =>
    dueDocuments(connection, ORGANIZATION, bounds, moment),
  );
  const options = { run: null, estimateGaps: true, mayGoOn: () => {}, log };
  await billDue({ database, clock }, ORGANIZATION, due, options);
}

interface LearningBill {
  readonly id: string;
  readonly subscription_id: string;
  readonly status: string;
  /** Null: a reminder would follow. */
  readonly held: string | null;
}

async function listBills(database: Database): Promise<LearningBill[]> {
  return await database.inOrganization(TENANT, (connection) =>
    connection
      .selectFrom('invoices')
      .leftJoin('dunning_holds', (join) =>
        join
          .onRef('dunning_holds.organization_id', '=', 'invoices.organization_id')
          .onRef('dunning_holds.invoice_id', '=', 'invoices.id'),
      )
      .select([
        'invoices.id',
        'invoices.subscription_id',
        'invoices.status',
        'dunning_holds.invoice_id as held',
      ])
      .where('invoices.organization_id', '=', ORGANIZATION)
      .execute(),
  );
}

async function settleBills({ database }: ContractParts, act: StaffAct): Promise<void> {
  const deps = { database, clock: clockOf(DAYS.paid) };
  for (const { id, subscription_id, status, held } of await listBills(database)) {
    if (status !== 'open') continue;
    const isPaid = CONTRACTS.find((contract) => contract.id === subscription_id)?.isPaid;
    if (isPaid === true) await enterPayment({}, deps, ORGANIZATION, id, act);
    else if (held === null) await stopDunning('disputed', deps, ORGANIZATION, id, act);
  }
}
