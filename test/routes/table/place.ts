import { randomBytes } from 'node:crypto';
import { newId } from '../../../src/platform/ids.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import type { TestDatabase } from '../../setup/database.ts';
import {
  createClient,
  createHousehold,
  createPlan,
  createSubscription,
  type TestHousehold,
  tokenFor,
} from '../../setup/factories.ts';
import { insertReferenceRows } from '../../setup/reference-rows.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { addDevice, devices } from '../../telemetry/assets/devices.ts';
import type { Home, HomeIds, Ids, Place } from './row.ts';
import { nouns } from './table.ts';

/** What the clock of a service shows whose routes are asked by the table. */
export const NOW = '2026-12-01T11:05:00.000Z';

const STARTED_AT = '2026-10-31T23:00:00.000Z';
/** For as many readings as days. */
const METERED_SINCE = '1899-12-31T23:00:00.000Z';

/** Every quarter hour like every other: what usage of analog meters is spread by. */
const FLAT_PROFILE = `
  INSERT INTO load_profiles (profile, month, day_type, quarter_hour, kwh, valid_from, source)
  SELECT 'h25', month, day_type, quarter_hour, 1, '2021-01-01', 'tests'
    FROM generate_series(1, 12) AS month, unnest(ARRAY['WT', 'SA', 'FT']) AS day_type,
         generate_series(0, 95) AS quarter_hour
  ON CONFLICT DO NOTHING`;

/** What belongs to nobody and has to be there before anybody is. */
export async function insertCommonRows(api: TestApi): Promise<void> {
  await insertReferenceRows(api);
  await storedRows(api, FLAT_PROFILE);
}

/** A new customer of an organization, with one of everything that the table of routes names. */
export async function addPlace(
  api: TestApi,
  clock: FakeClock,
  { organization, token }: { organization: string; token: string },
): Promise<Place> {
  const client = api.client(token);
  const unique = randomBytes(6).toString('hex');
  const names = {
    first_name: `First-${unique}`,
    last_name: `Last-${unique}`,
    email: `mail-${unique}@example.org`,
    street: `Street-${unique}`,
    display_name: `Household-${unique}`,
  };
  const { first_name, last_name, email, street, display_name } = names;
  clock.advance(1);
  const first = await createHousehold(api.deps, organization, {
    customer: { type: 'person', first_name, last_name, email },
    address: { street, house_number: '1', zip: '20354', city: 'Hamburg' },
    display_name,
  });
  const { household, customer, address } = first;
  const second = await createHousehold(api.deps, organization, { customer });
  const externalIds = { batteryExternalId: `battery-${unique}`, wallboxExternalId: `wallbox-${unique}` };
  const inverter = await addDevice(client, household, devices.inverter);
  const battery = await addDevice(client, household, {
    ...devices.battery,
    external_id: externalIds.batteryExternalId,
    parent_inverter: inverter.id,
    display_name: `Battery-${unique}`,
  });
  const wallbox = await addDevice(client, household, {
    ...devices.wallbox,
    external_id: externalIds.wallboxExternalId,
  });
  const spare = await addDevice(client, household, devices.heatPump);
  const devicesOfAll = await client.get<{ items: { id: string }[] }>(
    `/assets?limit=100&filter[household][eq]=${household}`,
  );
  const contracts = await addContracts(api, organization, first, second, unique);
  const ids: HomeIds = {
    ...{ customer, email, household, inverter: inverter.id, battery: battery.id, spare: spare.id },
    ...externalIds,
    ...contracts.ids,
  };
  const households = [household, second.household];
  const assets = devicesOfAll.body.items.map(({ id }) => id);
  const home: Home = {
    ...ids,
    organization,
    households,
    assets,
    plans: contracts.plans,
    subscriptions: contracts.subscriptions,
    private: [
      ...Object.values(names),
      ...[organization, customer, address ?? '', second.address ?? '', `Battery-${unique}`],
      ...[...households, ...assets, wallbox.id, ...Object.values(externalIds), ...contracts.private],
    ],
  };
  const made: (Partial<Place> & Pick<Place, 'private'>)[] = [];
  for (const noun of nouns) {
    if (noun.make !== undefined) made.push(await noun.make({ api, organization, client, ids, unique }));
  }
  const whole = Object.assign({}, home, ...made) as Place;
  const unmade = Object.keys(missingIds()).filter((name) => !Object.hasOwn(whole, name));
  if (unmade.length > 0) throw new Error(`No noun makes ${unmade.join(', ')}`);
  return { ...whole, private: [home, ...made].flatMap((part) => part.private) };
}

/**
 * Two customers of each organization, made by a service that runs for as long: rows of every noun in a database that is
 * then looked at by itself.
 */
export async function addPlaces(database: TestDatabase, organizations: readonly string[]): Promise<void> {
  const clock = fakeClock(NOW);
  const api = await startApi({ database, clock });
  try {
    await insertCommonRows(api);
    for (const organization of organizations) {
      const token = await tokenFor(api, await createClient(api.deps, organization));
      await addPlace(api, clock, { organization, token });
      await addPlace(api, clock, { organization, token });
    }
  } finally {
    await api.close();
  }
}

/** Plans and contracts: of the household for both directions, of the second one by an analog meter. */
async function addContracts(
  { deps }: TestApi,
  organization: string,
  first: TestHousehold,
  second: TestHousehold,
  unique: string,
) {
  const plan = await createPlan(deps, organization, {
    slug: `plan-${unique}`,
    terms: [{ sells_module_1: true, smart_meter_product: 'smart-meter-partner-b' }],
  });
  const feedIn = await createPlan(deps, organization, { type: 'feed_in' });
  const common = { number: null, status: 'active', start_at: STARTED_AT, confirmed_at: STARTED_AT } as const;
  const meterNumber = `1EMH${unique.toUpperCase()}`;
  const consumption = await createSubscription(deps, organization, first, {
    ...common,
    plan_id: plan.id,
    meter_number: meterNumber,
    meter_type: 'smart',
    metadata: JSON.stringify({ mark: `Consumption-${unique}` }),
  });
  const fed = await createSubscription(deps, organization, first, {
    ...common,
    plan_id: feedIn.id,
    type: 'feed_in',
    metadata: JSON.stringify({ mark: `Feed-in-${unique}` }),
  });
  const metered = await createSubscription(deps, organization, second, {
    ...common,
    plan_id: plan.id,
    start_at: METERED_SINCE,
    confirmed_at: METERED_SINCE,
  });
  const contracts = [consumption, fed, metered];
  return {
    ids: {
      plan: plan.id,
      feedInPlan: feedIn.id,
      subscription: consumption.id,
      metered: metered.id,
      meterNumber,
    },
    plans: [plan.id, feedIn.id],
    subscriptions: contracts.map(({ id }) => id),
    private: [
      ...[plan.id, feedIn.id, plan.slug, feedIn.slug, `Consumption-${unique}`, `Feed-in-${unique}`],
      ...contracts.flatMap(({ plan: _, ...own }) => Object.values(own)),
    ],
  };
}

/** Ids of the same forms that nothing has. */
export function missingIds(): Ids {
  const unique = randomBytes(6).toString('hex');
  const home: HomeIds = {
    customer: newId('cus'),
    email: `mail-${unique}@example.org`,
    household: newId('dom'),
    inverter: newId('ast'),
    battery: newId('ast'),
    batteryExternalId: `battery-${unique}`,
    wallboxExternalId: `wallbox-${unique}`,
    spare: newId('ast'),
    plan: newId('pln'),
    feedInPlan: newId('pln'),
    subscription: newId('sub'),
    metered: newId('sub'),
    meterNumber: `1EMH${unique.toUpperCase()}`,
  };
  return Object.assign(home, ...nouns.map((noun) => noun.missing?.())) as Ids;
}
