import { DateTime } from 'luxon';
import { createAddress } from '../../../identity/addresses/service.ts';
import { insertCustomer } from '../../../identity/customers/queries.ts';
import { insertHousehold, listHouseholds } from '../../../identity/households/queries.ts';
import { findOrganization, insertOrganization } from '../../../identity/organizations/queries.ts';
import { audit } from '../../../platform/audit.ts';
import { JsonText } from '../../../platform/body/json-text.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Connection, Database } from '../../../platform/database/db.ts';
import { FairQueue } from '../../../platform/fair-queue.ts';
import type { Logger } from '../../../platform/log/logger.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { type StaffAct, staffOf } from '../../../platform/staff-act.ts';
import type { PriceParts } from '../../../spot-prices/parts.ts';
import {
  type AssetRow,
  insertAsset,
  listAssets,
  type NewAssetRow,
} from '../../../telemetry/assets/queries.ts';
import { createKnownAssets } from '../../../telemetry/snapshots/known-assets.ts';
import { type SnapshotStore, storeSnapshots } from '../../../telemetry/snapshots/service.ts';
import { createSnapshotWriter } from '../../../telemetry/snapshots/writer.ts';
import { BATCH_ROWS_MAX, composeBatch } from '../../simulation/batch.ts';
import { SimulatedHousehold } from '../../simulation/household.ts';
import { ensureLearningContracts, type LearningContracts } from './contracts.ts';
import {
  LEARNING_HOUSEHOLDS,
  LEARNING_ORGANIZATION,
  LEARNING_SPAN,
  LEARNING_STEP_SECONDS,
  type LearningAsset,
  type LearningHousehold,
  placeOf,
  SIGNED_UP_AT,
  standingClock,
} from './households.ts';
import { forecastLearningDays, importLearningPrices, type LearningPrices } from './prices.ts';

interface LearnOptions {
  act: StaffAct;
  openFeed: Parameters<typeof importLearningPrices>[1];
  onSent?: (total: SentSnapshots) => void;
}

/**
 * Stores the learning data, or what is missing of them: interrupted or run again it sends everything once more, and rows
 * that are there with equal values stay as they are.
 */
export async function learn(
  parts: PriceParts,
  { act, openFeed, onSent = () => {} }: LearnOptions,
): Promise<{ snapshots: SentSnapshots; prices: LearningPrices; contracts: LearningContracts }> {
  await ensureLearningRecords(parts.database, act);
  const prices = await importLearningPrices(parts, openFeed);
  const snapshots = await sendLearningSnapshots(parts, onSent);
  if ('leftOut' in prices) {
    return { prices, snapshots, contracts: { leftOut: 'bills are made of invented prices only' } };
  }
  await forecastLearningDays(parts);
  return { prices, snapshots, contracts: await ensureLearningContracts(parts, act) };
}

const ORGANIZATION = LEARNING_ORGANIZATION.id;

/** Rows of devices say when their first snapshot was measured: the same on every machine. */
const FIRST_INSTANT = new Date(LEARNING_SPAN.begins * 1000).toISOString();
const MOMENTS = { created_at: FIRST_INSTANT, updated_at: FIRST_INSTANT };
const MOMENTS_OF_PERSONS = { created_at: SIGNED_UP_AT, updated_at: SIGNED_UP_AT };

/** More than the learning data have: what else is there is found. */
const ALL = { limit: 1_000, after: null, filters: [] };

/** Makes organization, households and assets where they are missing; whole, or not at all. */
async function ensureLearningRecords(database: Database, act: StaffAct): Promise<void> {
  await database.inOrganization({ organization: ORGANIZATION }, async (connection) => {
    const found = await findOrganization(connection, ORGANIZATION);
    if (found === undefined) await createOrganization(connection, act);
    else if (found.name !== LEARNING_ORGANIZATION.name || found.standing !== 'in_order') {
      throw notOurs(`it is called "${found.name}" and its standing is ${found.standing}`);
    }
    const households = (await listHouseholds(connection, ORGANIZATION, undefined, ALL)).map(({ id }) => id);
    const assets = (await listAssets(connection, ORGANIZATION, undefined, ALL)).map(({ id }) => id);
    refuseOthers(households, assets);
    for (const household of LEARNING_HOUSEHOLDS) {
      if (!households.includes(household.id)) await createHousehold(connection, household);
      for (const asset of household.assets) {
        if (!assets.includes(asset.id)) await createAsset(connection, household, asset);
      }
    }
  });
}

const notOurs = (why: string) =>
  new Error(
    `The organization ${ORGANIZATION} is not that of the learning data: ${why}. Nothing was changed.`,
  );

/** Somebody else's rows in this organization would change every sum. */
function refuseOthers(households: readonly string[], assets: readonly string[]): void {
  const known = new Set(
    LEARNING_HOUSEHOLDS.flatMap(({ id, assets: own }) => [id, ...own.map((asset) => asset.id)]),
  );
  const other = [...households, ...assets].find((id) => !known.has(id));
  if (other !== undefined) throw notOurs(`it has ${other}`);
}

async function createOrganization(connection: Connection, act: StaffAct): Promise<void> {
  await insertOrganization(connection, {
    ...LEARNING_ORGANIZATION,
    standing: 'in_order',
    forecast_enabled: true,
    created_at: act.now,
    updated_at: act.now,
  });
  await audit(connection, {
    ...staffOf(act, ORGANIZATION),
    act: 'organization.create',
    object_id: ORGANIZATION,
  });
}

async function createHousehold(
  connection: Connection,
  { id, customer, number, displayName }: LearningHousehold,
): Promise<void> {
  await insertCustomer(connection, ORGANIZATION, {
    id: customer,
    type: 'person',
    first_name: 'Learning',
    last_name: `Household ${number}`,
    email: `learning-${number}@example.org`,
    ...MOMENTS_OF_PERSONS,
  });
  await insertHousehold(connection, ORGANIZATION, {
    id,
    customer_id: customer,
    address_id: await createAddress(connection, ORGANIZATION, customer, placeOf(number), SIGNED_UP_AT),
    display_name: displayName,
    ...MOMENTS_OF_PERSONS,
  });
}

async function createAsset(
  connection: Connection,
  { id: household_id, customer: customer_id }: LearningHousehold,
  asset: LearningAsset,
): Promise<AssetRow | undefined> {
  return await insertAsset(connection, ORGANIZATION, {
    id: asset.id,
    household_id,
    customer_id,
    type: asset.type,
    external_id: asset.externalId ?? null,
    display_name: asset.displayName ?? null,
    parent_inverter: asset.parentInverter ?? null,
    ...dataOf(asset),
    ...MOMENTS,
  });
}

/** The data of a type are its columns. */
function dataOf(asset: LearningAsset): Partial<NewAssetRow> {
  switch (asset.type) {
    case 'inverter':
      return asset.inverter;
    case 'solar':
      return asset.solar;
    case 'battery':
      return asset.battery;
    case 'wallbox':
      return asset.wallbox;
    case 'heat_pump':
      return asset.heat_pump;
    default:
      return {};
  }
}

interface SentSnapshots {
  sent: number;
  stored: number;
  /** Rows that were there already with equal values. */
  duplicates: number;
}

/** A gateway was not sure of its answer, and sent one day again. */
const SENT_TWICE = {
  household: 1,
  from: DateTime.fromISO('2026-10-15T00:00:00Z').toSeconds(),
  until: DateTime.fromISO('2026-10-16T00:00:00Z').toSeconds(),
};

const WRITER = {
  INGEST_GROUP_ROWS_MAX: BATCH_ROWS_MAX,
  INGEST_GROUPS_MAX: 1,
  INGEST_SMALL_GROUPS_MAX: 1,
};

/** Sends what the gateways measured by the rules of the interface, as it would have been taken when the days were over. */
async function sendLearningSnapshots(
  parts: SendingParts,
  onSent: (total: SentSnapshots) => void,
): Promise<SentSnapshots> {
  const store = openStore(parts);
  const total: SentSnapshots = { sent: 0, stored: 0, duplicates: 0 };
  const send = async (body: string) => {
    const json = new JsonText(Buffer.from(body));
    const answer = await storeSnapshots(store, {
      principal: { organization: LEARNING_ORGANIZATION.id },
      caller: { path: [LEARNING_ORGANIZATION.id], weight: 1 },
      takeJson: () => json,
      signal: new AbortController().signal,
    });
    total.sent += answer.total;
    total.stored += answer.stored;
    total.duplicates += answer.duplicates;
    onSent(total);
  };
  for (const household of LEARNING_HOUSEHOLDS) {
    for (const body of bodiesOf(household, LEARNING_SPAN.begins, LEARNING_SPAN.ends)) await send(body);
    if (household.number !== SENT_TWICE.household) continue;
    for (const body of bodiesOf(household, SENT_TWICE.from, SENT_TWICE.until)) await send(body);
  }
  await store.writer.drain();
  return total;
}

/** By `clock` the writer knows what comes late: all of it. */
interface SendingParts {
  database: Database;
  metrics: Metrics;
  log: Logger;
  clock: Clock;
}

function openStore(parts: SendingParts): SnapshotStore {
  const queue = new FairQueue({ metrics: parts.metrics });
  return {
    clock: standingClock(LEARNING_SPAN.ends * 1000),
    queue,
    retentionMonths: 0,
    database: parts.database,
    knownAssets: createKnownAssets({
      database: parts.database,
      watch: { subscribe: () => () => {}, isSure: () => false },
      entriesMax: LEARNING_HOUSEHOLDS.length,
      reads: { inc: () => {} },
    }),
    writer: createSnapshotWriter({ ...parts, queue, config: WRITER }),
    parsedBatches: { inc: () => {} },
  };
}

/** The batches that the gateway of a household sends for a span, in sizes that the interface takes. */
function* bodiesOf(household: LearningHousehold, from: number, until: number): Generator<string> {
  const { id, chargesFromHours } = household;
  const assets = household.assets.filter((asset) => asset.isSilent !== true);
  const simulated = new SimulatedHousehold(
    id,
    assets,
    chargesFromHours === undefined ? {} : { chargesFromHours },
  );
  const instantsMax = Math.floor(BATCH_ROWS_MAX / assets.length);
  let instants: number[] = [];
  for (const instant of instantsOf(household, from, until)) {
    instants.push(instant);
    if (instants.length < instantsMax) continue;
    yield composeBatch(simulated, instants);
    instants = [];
  }
  if (instants.length > 0) yield composeBatch(simulated, instants);
}

function* instantsOf({ delaySeconds, silent }: LearningHousehold, from: number, until: number) {
  for (let instant = from + delaySeconds; instant < until; instant += LEARNING_STEP_SECONDS) {
    if (silent === undefined || instant < silent.from || instant >= silent.until) yield instant;
  }
}
