import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { ServiceConfig } from '../../../config/config.ts';
import {
  acceptReduction,
  endReduction,
  rejectReduction,
} from '../../../contracts/grid-fee-reductions/move.ts';
import type { GridFeeReduction, ReductionType } from '../../../contracts/grid-fee-reductions/schema.ts';
import { leadVisited } from '../../../contracts/leads/service.ts';
import { importMarketPartners } from '../../../contracts/market-partners/service.ts';
import { advanceSubscriptions } from '../../../contracts/subscriptions/advance.ts';
import {
  confirmSubscription,
  rejectSubscription,
  setDates,
} from '../../../contracts/subscriptions/back-office.ts';
import type { Subscription, Termination } from '../../../contracts/subscriptions/schema.ts';
import { terminateForStaff } from '../../../contracts/subscriptions/terminate.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { type Connection, type Database, openDatabase } from '../../../platform/database/db.ts';
import { createLogger } from '../../../platform/log/logger.ts';
import type { StaffAct } from '../../../platform/staff-act.ts';
import {
  addMonths,
  berlinDayAt,
  berlinDayOf,
  berlinMidnight,
  type CalendarDay,
} from '../../../platform/time/berlin-calendar.ts';
import { importPlans } from '../../../tariffs/plans/import.ts';
import type { Demo } from './demo.ts';
import { DemoApi } from './demo-api.ts';
import { type DemoContract, demoContracts } from './demo-contracts.ts';
import { ensureReadings, ensureUsage } from './demo-measurements.ts';
import { contractsWithOrders, ensureOrdersMoved } from './demo-orders.ts';

const ZIP = { zip: '10115', city: 'Berlin' };
const IBAN = 'DE89370400440532013000';

type StoredRecords = Pick<Subscription, 'id' | 'status' | 'start_at' | 'terminated_at' | 'end_at'> & {
  metadata: Record<string, unknown> | null;
};

interface RecordDeps {
  api: DemoApi;
  database: Database;
  clock: Clock;
  demo: Demo;
  organization: string;
  today: CalendarDay;
  act: StaffAct;
}

/**
 * Plans, leads, contracts, readings and usage of the demo organization: made as an operator and a partner make them, by the
 * interface and the functions behind the command line. Records of an earlier start stay, and missing ones are added: the
 * next start completes one that was cut off.
 */
export async function ensureDemoRecords(
  config: Pick<ServiceConfig, 'DATABASE_URL'>,
  baseUrl: string,
  demo: Demo,
  clock: Clock = systemClock(),
): Promise<void> {
  const database = openDatabase({
    url: config.DATABASE_URL,
    applicationName: 'voltstream-start',
    connectionsMax: 2,
    onError: () => {},
  });
  try {
    const api = await DemoApi.open(baseUrl, demo);
    const parts: RecordDeps = {
      ...{ api, database, clock, demo, organization: demo.organization },
      today: berlinDayAt(clock.nowMilliseconds()),
      act: {
        staff: 'npm start',
        reason: 'records of the demo organization',
        command: 'start',
        now: clock.now().toISOString(),
      },
    };
    const contracts = [...demoContracts(parts.today), ...contractsWithOrders()];
    if (!(await isComplete(api, contracts))) await createAll(parts, contracts);
    await database.inOrganization({ organization: parts.organization }, (connection) =>
      updateDeclaredBefore(connection, parts.organization),
    );
    await measureAll(parts, contracts);
  } finally {
    await database.close();
  }
}

/* The last thing that is made. */
const LAST_LEAD = 'demo-open-2';

interface Lead {
  id: string;
  metadata: Record<string, string> | null;
}

/** A store of an earlier release has not all contracts. */
async function isComplete(api: DemoApi, contracts: readonly DemoContract[]): Promise<boolean> {
  const stored = await storedContracts(api);
  if (contracts.some(({ key }) => !stored.has(key))) return false;
  return (await leads(api)).some((lead) => lead.metadata?.demo === LAST_LEAD);
}

async function leads(api: DemoApi): Promise<Lead[]> {
  return (await api.call<{ items: Lead[] }>('GET', '/leads?limit=100')).items;
}

async function createAll(parts: RecordDeps, contracts: readonly DemoContract[]): Promise<void> {
  const { api, database, organization, act } = parts;
  await importMarketPartners(database, await ownFile('demo-market-partners.csv'), act);
  const plans = await importPlans(database, organization, await ownFile('demo-plans.csv'), act);
  const planIds = new Map(plans.map(({ slug, id }) => [slug, id]));
  const planId = (slug: string) => planIds.get(slug) ?? '';
  const [supplier] = (await api.call<{ items: { id: string }[] }>('GET', '/market-partners')).items;
  const stored = await storedContracts(api);
  for (const contract of contracts) {
    const signedUp =
      stored.get(contract.key) ?? (await signUp(parts, contract, planId(contract.plan), supplier?.id));
    await answerForGridOperator(parts, contract, signedUp);
  }
  await advance(parts);
  for (const contract of contracts) await endSupply(parts, contract);
  await advance(parts);
  const made = await storedContracts(api);
  await ensureOrdersMoved(parts, made);
  await ensureReductions(parts, made);
  const open = ['demo-open-1', LAST_LEAD];
  for (const key of open) {
    const lead = await ensureLead(api, key, planId('dynamisch'), { last_name: 'Interessent' });
    if (key === LAST_LEAD) await leadVisited(database, lead.id, act.now, act);
  }
}

async function ownFile(name: string) {
  return { name, bytes: await readFile(join(import.meta.dirname, name)) };
}

async function storedContracts(api: DemoApi): Promise<Map<string, StoredRecords>> {
  const { items } = await api.call<{ items: StoredRecords[] }>('GET', '/subscriptions?limit=100');
  return new Map(items.map((item) => [String(item.metadata?.demo), item]));
}

async function ensureLead(
  api: DemoApi,
  key: string,
  plan: string,
  customer: Record<string, string>,
): Promise<Lead> {
  const known = (await leads(api)).find((lead) => lead.metadata?.demo === key);
  const { email, first_name, last_name } = customer;
  return (
    known ??
    (await api.call<Lead>('POST', '/leads', {
      plan,
      address: ZIP,
      meter: { estimated_usage: 3000 },
      customer: { first_name, last_name, email },
      created_by: 'sales@example.org',
      metadata: { demo: key },
    }))
  );
}

async function signUp(
  { api, demo }: RecordDeps,
  contract: DemoContract,
  plan: string,
  supplier: string | undefined,
): Promise<StoredRecords> {
  const { more = {} } = contract;
  const lead =
    more.lead === true
      ? await ensureLead(api, `${contract.key}-lead`, plan, contract.customer ?? {})
      : undefined;
  const own = contract.customer === undefined ? await customerOf(api, demo.household) : undefined;
  return await api.call<StoredRecords>('POST', '/subscriptions', {
    plan,
    customer: own?.id ?? contract.customer,
    ...(own && { household: demo.household }),
    address: { ...contract.address, ...ZIP },
    meter: contract.meter,
    payment_method: {
      type: 'sepa_debit',
      sepa_debit: { iban: IBAN, account_holder: own?.name ?? nameOf(contract.customer ?? {}) },
    },
    next_possible_start: true,
    ...(lead && { lead: lead.id }),
    ...(more.previous_supplier === true && supplier !== undefined && { previous_supplier: supplier }),
    ...(more.product_orders && { product_orders: more.product_orders }),
    metadata: { demo: contract.key },
  });
}

async function customerOf(api: DemoApi, household: string): Promise<{ id: string; name: string }> {
  const { customer } = await api.call<{ customer: { id: string } & Record<string, string> }>(
    'GET',
    `/households/${household}`,
  );
  return { id: customer.id, name: nameOf(customer) };
}

function nameOf({ first_name, last_name }: Record<string, string>): string {
  return `${first_name} ${last_name}`;
}

async function answerForGridOperator(
  { database, clock, organization, act }: RecordDeps,
  { answered }: DemoContract,
  { id, status, start_at }: StoredRecords,
): Promise<void> {
  if (answered === undefined || status !== 'pending') return;
  if (answered === 'rejected') await rejectSubscription({ database, clock }, organization, id, act);
  else if (start_at === null) await confirmSubscription({ database, clock }, organization, id, answered, act);
}

/** By the rules a contract ends in the future; that it did before is what the back office enters. */
async function endSupply(parts: RecordDeps, { key, terminated, end_on }: DemoContract): Promise<void> {
  const { api, database, clock, organization, act, today } = parts;
  const stored = (await storedContracts(api)).get(key);
  if (terminated === undefined || stored === undefined || stored.status !== 'active') return;
  if (stored.terminated_at === null) {
    const termination: Termination =
      terminated === 'MOVE_OUT'
        ? { reason: terminated, intended_end_at: berlinMidnight(addMonths(today, 2)) }
        : { reason: terminated };
    await terminateForStaff({ database, clock }, organization, stored.id, termination, act);
  }
  if (end_on !== undefined) await setDates({ database, clock }, organization, stored.id, { end_on }, act);
}

/** What the worker does every minute: nobody should have to wait for it here. */
async function advance({ database, clock }: RecordDeps): Promise<void> {
  const run = { signal: new AbortController().signal, log: createLogger({ level: 'silent', name: 'start' }) };
  await advanceSubscriptions({ database, clock }, run);
}

/**
 * Contracts that are older than their entry were confirmed, and ended by their customers, two weeks before: else somebody who
 * was supplied for a year could withdraw.
 */
async function updateDeclaredBefore(connection: Connection, organization: string): Promise<void> {
  await sql`
    UPDATE subscriptions
       SET confirmed_at = least(confirmed_at, start_at - interval '14 days'),
           terminated_at = CASE WHEN terminated_at > end_at THEN end_at - interval '14 days' ELSE terminated_at END
     WHERE organization_id = ${organization} AND metadata ? 'demo' AND confirmed_at > start_at`.execute(
    connection,
  );
}

async function measureAll(parts: RecordDeps, contracts: readonly DemoContract[]): Promise<void> {
  const stored = await storedContracts(parts.api);
  for (const contract of contracts) {
    const known = stored.get(contract.key);
    if (known === undefined) continue;
    await ensureReadings(parts, { id: known.id, contract: withStoredDays(contract, known) });
    await ensureUsage(parts, { id: known.id, contract: withStoredDays(contract, known) });
  }
}

/** Contracts keep the days of the start that made them. */
function withStoredDays(contract: DemoContract, { start_at, end_at }: StoredRecords): DemoContract {
  const { answered, end_on, ...rest } = contract;
  if (typeof answered !== 'object' || start_at === null) return rest;
  const days = { answered: { start_on: berlinDayOf(start_at) } };
  if (end_on === undefined || end_at === null) return { ...rest, ...days };
  return { ...rest, ...days, end_on: berlinDayOf(end_at) };
}

/* A grid fee reduction in every status. Those of sign-ups are intended, and ordered where the contract is confirmed. */

interface ReductionParts {
  api: DemoApi;
  database: Database;
  clock: Clock;
  organization: string;
  today: CalendarDay;
  act: StaffAct;
}

interface DemoReduction {
  contract: string;
  type: ReductionType;
  answered: 'accepted' | 'rejected' | 'ended';
}

const REDUCTIONS: readonly DemoReduction[] = [
  { contract: 'demo-analog', type: 'enwg-14a-module-2', answered: 'accepted' },
  { contract: 'demo-terminated', type: 'enwg-14a-module-1', answered: 'ended' },
  { contract: 'demo-terminated', type: 'enwg-14a-module-2', answered: 'rejected' },
];

/** `contracts`: by their keys. */
async function ensureReductions(
  parts: ReductionParts,
  contracts: ReadonlyMap<string, { id: string; start_at: string | null }>,
): Promise<void> {
  const { api } = parts;
  const { items } = await api.call<{ items: GridFeeReduction[] }>('GET', '/grid-fee-reductions?limit=100');
  for (const { contract, type, answered } of REDUCTIONS) {
    const { id: subscription, start_at } = contracts.get(contract) ?? {};
    if (subscription === undefined || start_at === null || start_at === undefined) continue;
    const known = items.find((item) => item.subscription === subscription && item.type === type);
    const reduction =
      known ?? (await api.call<GridFeeReduction>('POST', '/grid-fee-reductions', { subscription, type }));
    await answer(parts, reduction, answered, berlinDayOf(start_at));
  }
}

/** Enters the answer of the grid operator. A start that was cut off in between goes on here. */
async function answer(
  { database, clock, organization, today, act }: ReductionParts,
  { id, status }: GridFeeReduction,
  answered: DemoReduction['answered'],
  valid_from: CalendarDay,
): Promise<void> {
  const deps = { database, clock };
  if (answered === 'rejected') {
    if (status === 'ordered') await rejectReduction(deps, organization, id, act);
    return;
  }
  if (status === 'ordered') await acceptReduction(deps, organization, id, { valid_from }, act);
  const isOver = status === 'ended' || status === 'rejected';
  if (answered !== 'ended' || isOver) return;
  await endReduction(deps, organization, id, { valid_until: addMonths(today, -1) }, act);
}
