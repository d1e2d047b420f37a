import { type Device, type HouseholdAsset, type PlannedDevice, planDevices } from './devices.ts';
import type { Gateway } from './gateway.ts';
import { SimulatedHousehold } from './household.ts';

/** An asset as the interface shows it. */
type ShownAsset = (Device | HouseholdAsset) & {
  id: string;
  external_id: string | null;
  decommissioned_at: string | null;
};

const DEVICES = { solar: 1, wallbox: 1, heatPump: 1 };

/** Finds the household's simulated devices, makes those that are missing, and puts a household behind them. */
export async function equipHousehold(gateway: Gateway, household: string): Promise<SimulatedHousehold> {
  const planned = planDevices(household, DEVICES);
  const known = await listAssets(gateway, household);
  const byExternalId = new Map(planned.map((device) => [externalIdOf(household, device), device]));
  const present = new Map(known.map((asset) => [asset.external_id, asset.id]));
  let inverter = present.get(externalIdOf(household, { name: 'inverter-1' }));
  let added = 0;
  for (const [externalId, device] of byExternalId) {
    if (present.has(externalId)) continue;
    const created = await createAsset(gateway, household, externalId, device, inverter);
    if (device.type === 'inverter') inverter = created;
    added += 1;
  }
  const assets = added === 0 ? known : await listAssets(gateway, household);
  const simulated = assets.filter(
    (asset) =>
      asset.decommissioned_at === null && (asset.external_id === null || byExternalId.has(asset.external_id)),
  );
  return new SimulatedHousehold(household, simulated);
}

/**
 * The household with every asset that is in service. Throws where it has, or had, a device that equipHousehold did not make:
 * invented values would stand beside measured ones.
 */
export async function findSimulatedHousehold(
  gateway: Gateway,
  household: string,
): Promise<SimulatedHousehold> {
  const assets = await listAssets(gateway, household);
  if (assets.length === 0) await assertHousehold(gateway, household);
  const real = assets.find(({ type, external_id }) => !isOfHousehold(type) && !isSimulated(external_id));
  if (real !== undefined)
    throw new Error(
      `${household} has the device ${real.id} (${real.external_id ?? real.type}), which --equip did not make: invented values may not stand beside measured ones. ${FREE_HOUSEHOLDS}`,
    );
  return new SimulatedHousehold(
    household,
    assets.filter(({ decommissioned_at }) => decommissioned_at === null),
  );
}

const FREE_HOUSEHOLDS =
  'Take a household without measured devices: a new one (cli households create), or beside npm start one of fleet_households in .data/start.json';

async function assertHousehold(gateway: Gateway, household: string): Promise<void> {
  /* As it was typed: of any characters. */
  const answer = await gateway.call('GET', `/households/${encodeURIComponent(household)}`);
  if (answer.status === 200) return;
  throw new Error(
    answer.status === 404
      ? `This client sees no household ${household}. ${FREE_HOUSEHOLDS}`
      : `GET /households: ${describe(answer.body)}`,
  );
}

const isOfHousehold = (type: ShownAsset['type']) => type === 'household_net' || type === 'household_residual';
const isSimulated = (externalId: string | null) => externalId?.startsWith(SIMULATED) === true;

/** How the external id of an invented device begins. */
const SIMULATED = 'simulated-';

/** External ids are unique in the organization and never used again: the household's own letters keep them apart. */
function externalIdOf(household: string, device: Pick<PlannedDevice, 'name'>): string {
  return `${SIMULATED}${household.slice(4, 14)}-${device.name}`;
}

async function listAssets(gateway: Gateway, household: string): Promise<ShownAsset[]> {
  /* As it was typed: of any characters. */
  const path = `/assets?filter%5Bhousehold%5D%5Beq%5D=${encodeURIComponent(household)}&limit=100`;
  const answer = await gateway.call('GET', path);
  if (answer.status !== 200) throw new Error(`GET /assets: ${describe(answer.body)}`);
  return (answer.body as { items: ShownAsset[] }).items;
}

async function createAsset(
  gateway: Gateway,
  household: string,
  externalId: string,
  device: PlannedDevice,
  inverter: string | undefined,
): Promise<string> {
  const { name: _name, behindInverter, ...shown } = device;
  const body = {
    household,
    external_id: externalId,
    ...shown,
    ...(behindInverter && inverter !== undefined ? { parent_inverter: inverter } : {}),
  };
  const answer = await gateway.call('POST', '/assets', JSON.stringify(body));
  if (answer.status >= 400) throw new Error(`POST /assets: ${describe(answer.body)}`);
  return (answer.body as { id: string }).id;
}

export function describe(body: unknown): string {
  const message = (body as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : JSON.stringify(body).slice(0, 200);
}
