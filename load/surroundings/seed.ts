import { createHash } from 'node:crypto';
import type pg from 'pg';
import { type PlannedDevice, planDevices } from '../../src/cli/simulation/devices.ts';
import { SimulatedHousehold } from '../../src/cli/simulation/household.ts';

/*
 * Fleets of any size for load runs. Everything follows from a seed: the same seed gives the same households, assets,
 * ratings and ids on every machine.
 */

/** Ten assets a household: these eight devices and the two that every household has. */
const DEVICES = { solar: 2, wallbox: 2, heatPump: 2 };
export const ASSETS_PER_HOUSEHOLD = 10;

const HOUSEHOLDS_PER_STATEMENT = 500;

export interface SeededAsset {
  id: string;
  household: string;
  customer: string;
  external_id: string | null;
  parent_inverter: string | null;
  device: PlannedDevice | { type: 'household_net' | 'household_residual' };
}

export interface SeededHousehold {
  id: string;
  customer: string;
  address: string;
  number: number;
  assets: readonly SeededAsset[];
}

/** An id in the form of the service's own, taken from a hash instead of chance. */
export function derivedId(prefix: string, ...parts: readonly (string | number)[]): string {
  const digest = createHash('sha256')
    .update([prefix, ...parts].join('/'))
    .digest('hex');
  return `${prefix}_${BigInt(`0x${digest}`).toString(36).padStart(24, '0').slice(-24)}`;
}

/** The households `from` up to but not including `to` of the fleet that a seed stands for. */
export function planFleet(seed: string, to: number, from = 0): SeededHousehold[] {
  return Array.from({ length: to - from }, (_, index) => planHousehold(seed, from + index));
}

function planHousehold(seed: string, number: number): SeededHousehold {
  const id = derivedId('dom', seed, number);
  const customer = derivedId('cus', seed, number);
  const inverter = derivedId('ast', seed, number, 'inverter-1');
  const devices = planDevices(id, DEVICES).map(
    (device): SeededAsset => ({
      id: derivedId('ast', seed, number, device.name),
      household: id,
      customer,
      external_id: `load-${id.slice(4)}-${device.name}`,
      parent_inverter: device.behindInverter ? inverter : null,
      device,
    }),
  );
  const ofHousehold = (['household_net', 'household_residual'] as const).map(
    (type): SeededAsset => ({
      id: derivedId('ast', seed, number, type),
      household: id,
      customer,
      external_id: null,
      parent_inverter: null,
      device: { type },
    }),
  );
  const assets = [...devices, ...ofHousehold];
  return { id, customer, address: derivedId('adr', seed, number), number, assets };
}

/** The household's gateway, for the values that it would send. */
export function gatewayOf(household: SeededHousehold): SimulatedHousehold {
  return new SimulatedHousehold(
    household.id,
    household.assets.map((asset) => ({ ...asset.device, id: asset.id })),
  );
}

/**
 * Writes the fleet into an organization, as an administrator who is not bound by row-level security; what is there
 * already stays. Returns the internal key of every asset, which snapshots are stored under.
 */
export async function storeFleet(
  client: pg.ClientBase,
  organization: string,
  fleet: readonly SeededHousehold[],
): Promise<Map<string, number>> {
  const keys = new Map<string, number>();
  for (let begin = 0; begin < fleet.length; begin += HOUSEHOLDS_PER_STATEMENT) {
    const part = fleet.slice(begin, begin + HOUSEHOLDS_PER_STATEMENT);
    const assets = part.flatMap((household) => household.assets);
    await client.query('BEGIN');
    await client.query(INSERT_HOUSEHOLDS, [organization, JSON.stringify(part.map(householdRow))]);
    await client.query(INSERT_ASSETS, [organization, JSON.stringify(assets.map(assetRow))]);
    await client.query('COMMIT');
    const { rows } = await client.query<{ id: string; key: string }>(
      'SELECT id, key FROM assets WHERE organization_id = $1 AND id = ANY ($2)',
      [organization, assets.map((asset) => asset.id)],
    );
    for (const row of rows) keys.set(row.id, Number(row.key));
  }
  return keys;
}

function householdRow(household: SeededHousehold) {
  const { id, customer, address, number } = household;
  return { id, customer, address, number: String(number), email: `load-${id.slice(4)}@example.org` };
}

function assetRow(asset: SeededAsset) {
  const { device, ...row } = asset;
  if (!('name' in device)) return { ...row, type: device.type };
  const data = {
    ...(device.type === 'inverter' ? device.inverter : {}),
    ...(device.type === 'solar' ? device.solar : {}),
    ...(device.type === 'battery' ? device.battery : {}),
    ...(device.type === 'wallbox' ? device.wallbox : {}),
    ...(device.type === 'heat_pump' ? device.heat_pump : {}),
  };
  return { ...row, type: device.type, display_name: device.display_name, ...data };
}

const INSERT_HOUSEHOLDS = `
  WITH given AS (
    SELECT * FROM jsonb_to_recordset($2::jsonb)
      AS given (id text, customer text, address text, number text, email text)
  ), new_customers AS (
    INSERT INTO customers (id, organization_id, type, first_name, last_name, email)
    SELECT customer, $1, 'person', 'Load', 'Household ' || number, email FROM given
    ON CONFLICT DO NOTHING
  ), new_addresses AS (
    INSERT INTO addresses (id, organization_id, customer_id, street, house_number, zip, city)
    SELECT address, $1, customer, 'Lastgang', number, '10115', 'Berlin' FROM given
    ON CONFLICT DO NOTHING
  )
  INSERT INTO households (id, organization_id, customer_id, address_id, display_name)
  SELECT id, $1, customer, address, 'Load ' || number FROM given
  ON CONFLICT DO NOTHING`;

const RATING_COLUMNS =
  'max_power_kw, hybrid, peak_power_kw, azimuth, tilt, capacity_kwh, max_charge_power_kw, ' +
  'max_discharge_power_kw, phases, bidirectional, thermal_power_kw';

/* Parents come first in the list, and the foreign key is checked at the end of the statement. */
const INSERT_ASSETS = `
  INSERT INTO assets (id, organization_id, household_id, customer_id, type, external_id, display_name,
    parent_inverter, ${RATING_COLUMNS})
  SELECT id, $1, household, customer, type, external_id, display_name, parent_inverter, ${RATING_COLUMNS}
  FROM jsonb_to_recordset($2::jsonb) AS given (
    id text, household text, customer text, type text, external_id text, display_name text, parent_inverter text,
    max_power_kw float8, hybrid boolean, peak_power_kw float8, azimuth float8, tilt float8, capacity_kwh float8,
    max_charge_power_kw float8, max_discharge_power_kw float8, phases integer, bidirectional boolean,
    thermal_power_kw float8)
  ON CONFLICT DO NOTHING`;

/** Takes a fleet and its snapshots out again. */
export async function removeFleet(
  client: pg.ClientBase,
  organization: string,
  fleet: readonly SeededHousehold[],
): Promise<void> {
  const households = fleet.map((household) => household.id);
  await client.query(
    `DELETE FROM asset_snapshots WHERE asset_id IN
       (SELECT key FROM assets WHERE organization_id = $1 AND household_id = ANY ($2))`,
    [organization, households],
  );
  await client.query('BEGIN');
  await client.query('DELETE FROM assets WHERE organization_id = $1 AND household_id = ANY ($2)', [
    organization,
    households,
  ]);
  await client.query('DELETE FROM households WHERE organization_id = $1 AND id = ANY ($2)', [
    organization,
    households,
  ]);
  for (const table of ['addresses', 'customers']) {
    await client.query(`DELETE FROM ${table} WHERE organization_id = $1 AND id = ANY ($2)`, [
      organization,
      fleet.map((household) => (table === 'customers' ? household.customer : household.address)),
    ]);
  }
  await client.query('COMMIT');
}
