import { insertCustomer } from '../../../identity/customers/queries.ts';
import { insertHousehold, listHouseholds } from '../../../identity/households/queries.ts';
import { findOrganization, insertOrganization } from '../../../identity/organizations/queries.ts';
import { audit } from '../../../platform/audit.ts';
import type { Connection, Database } from '../../../platform/database/db.ts';
import { type StaffAct, staffOf } from '../../../platform/staff-act.ts';
import {
  type AssetRow,
  insertAsset,
  listAssets,
  type NewAssetRow,
} from '../../../telemetry/assets/queries.ts';
import {
  LEARNING_HOUSEHOLDS,
  LEARNING_ORGANIZATION,
  LEARNING_SPAN,
  type LearningAsset,
  type LearningHousehold,
} from './households.ts';

const ORGANIZATION = LEARNING_ORGANIZATION.id;

/** Rows of households say when their first snapshot was measured: the same on every machine. */
const FIRST_INSTANT = new Date(LEARNING_SPAN.begins * 1000).toISOString();
const MOMENTS = { created_at: FIRST_INSTANT, updated_at: FIRST_INSTANT };

/** More than the learning data have: what else is there is found. */
const ALL = { limit: 1_000, after: null, filters: [] };

/** Makes organization, households and assets where they are missing; whole, or not at all. */
export async function ensureLearningRecords(database: Database, act: StaffAct): Promise<void> {
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
    forecast_enabled: false,
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
    ...MOMENTS,
  });
  await insertHousehold(connection, ORGANIZATION, {
    id,
    customer_id: customer,
    address_id: null,
    display_name: displayName,
    ...MOMENTS,
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
