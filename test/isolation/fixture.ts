import { randomBytes } from 'node:crypto';
import { apiRoutes } from '../../src/app.ts';
import { newId } from '../../src/platform/ids.ts';
import { type ApiRoute, type RouteName, routeName } from '../../src/platform/interface/route.ts';
import type { Logger } from '../../src/platform/log/logger.ts';
import { addDevice, devices } from '../assets/devices.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import type { Answer, ApiClient } from '../setup/client.ts';
import { type FakeClock, fakeClock } from '../setup/clock.ts';
import {
  createClient,
  createHousehold,
  createMarketPartner,
  createTenant,
  tokenFor,
} from '../setup/factories.ts';
import { insertReferenceRows } from '../setup/reference-rows.ts';
import { openStateReader, type StateReader } from '../setup/stored-state.ts';
import { addMetered, addRecords } from './place-records.ts';

/** What a request can name of one customer. */
export interface Ids {
  customer: string;
  household: string;
  inverter: string;
  /** Behind the inverter, with a snapshot. */
  battery: string;
  /** May be taken out of use. */
  spare: string;
  /** Of the battery. */
  external_id: string;
  /** Of the customer. */
  email: string;
  /** Of the subscription; it belongs to the organization, whose customers all see it. */
  plan: string;
  /** Active, for consumption, of the household. */
  subscription: string;
  /** Consumption on an analog meter, supplied for long, of another household; it has readings. */
  metered: string;
  /** Of the plan; customers see no leads. */
  lead: string;
  feed_in_plan: string;
  /** Of the household's meter. */
  meter_number: string;
}

/** One customer with everything there is, in an organization. */
export interface Place extends Ids {
  organization: string;
  households: readonly string[];
  assets: readonly string[];
  plans: readonly string[];
  /** The two above and one for feed-in. */
  subscriptions: readonly string[];
  readings: readonly string[];
  /** Names, addresses and ids that nobody else may ever see. */
  private: readonly string[];
}

export type PlaceName = 'a1' | 'a2' | 'b1' | 'b2';

export interface Token {
  client: ApiClient;
  sees: readonly PlaceName[];
  writes: boolean;
  /** Acts for one customer. */
  ofCustomer: boolean;
}

export const TOKEN_NAMES = ['A full', 'A read-only', 'customer a1', 'B full'] as const;
export type TokenName = (typeof TOKEN_NAMES)[number];

/** Two organizations with two customers each, and the tokens that try to see more than they may. */
export interface Fixture {
  api: TestApi;
  clock: FakeClock;
  state: StateReader;
  routes: ReadonlyMap<RouteName, ApiRoute>;
  places: Readonly<Record<PlaceName, Place>>;
  tokens: Readonly<Record<TokenName, Token>>;
  nobody: ApiClient;
  close(): Promise<void>;
}

export const NOW = '2026-12-01T11:05:00.000Z';
export const MEASURED_AT = '2026-12-01T11:00:00Z';

export async function startFixture(log?: Logger): Promise<Fixture> {
  const clock = fakeClock(NOW);
  const api = await startApi({ clock, ...(log && { log }) });
  const state = await openStateReader(api);
  await insertReferenceRows(api);
  await createMarketPartner(api.deps);
  const a = await createTenant(api);
  const b = await createTenant(api);
  const places = {
    a1: await addPlace(api, clock, a),
    a2: await addPlace(api, clock, a),
    b1: await addPlace(api, clock, b),
    b2: await addPlace(api, clock, b),
  };
  const another = async (input: Parameters<typeof createClient>[2]) =>
    api.client(await tokenFor(api, await createClient(api.deps, a.organization, input)));
  const full = { writes: true, ofCustomer: false };
  return {
    api,
    clock,
    state,
    routes: new Map(apiRoutes(api.deps).map((route) => [routeName(route), route])),
    places,
    tokens: {
      'A full': { ...full, client: api.client(a.token), sees: ['a1', 'a2'] },
      'A read-only': {
        client: await another({ read_only: true }),
        sees: ['a1', 'a2'],
        writes: false,
        ofCustomer: false,
      },
      'customer a1': {
        client: await another({ customer_id: places.a1.customer }),
        sees: ['a1'],
        writes: true,
        ofCustomer: true,
      },
      'B full': { ...full, client: api.client(b.token), sees: ['b1', 'b2'] },
    },
    nobody: api.client(null),
    close: async () => {
      await state.close();
      await api.close();
    },
  };
}

async function addPlace(
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
  const { household, customer, address } = await createHousehold(api.deps, organization, {
    customer: { type: 'person', first_name, last_name, email },
    address: { street, house_number: '1', zip: '20354', city: 'Hamburg' },
    display_name,
  });
  const second = await createHousehold(api.deps, organization, { customer });
  const external_id = `battery-${unique}`;
  const inverter = await addDevice(client, household, devices.inverter);
  const battery = await addDevice(client, household, {
    ...devices.battery,
    external_id,
    parent_inverter: inverter.id,
    display_name: `Battery-${unique}`,
  });
  const spare = await addDevice(client, household, devices.heatPump);
  const stored = await client.post('/asset-snapshots', {
    household,
    snapshots: [battery, inverter].map(({ id }) => ({ asset: id, timestamp: MEASURED_AT, power_kw: 1 })),
  });
  if (stored.status !== 200) throw new Error(stored.text);
  const { body } = await client.get<{ items: { id: string }[] }>(
    `/assets?limit=100&filter[household][eq]=${household}`,
  );
  const assets = body.items.map(({ id }) => id);
  const households = [household, second.household];
  const records = await addRecords(api, organization, { household, customer, address }, unique);
  const metered = await addMetered(api, organization, second, records.ids.plan);
  return {
    organization,
    customer,
    household,
    inverter: inverter.id,
    battery: battery.id,
    spare: spare.id,
    external_id,
    email,
    ...records.ids,
    metered: metered.id,
    households,
    assets,
    plans: records.plans,
    subscriptions: [...records.subscriptions, metered.id],
    readings: metered.readings,
    private: [
      ...Object.values(names),
      ...[organization, customer, address ?? '', second.address ?? '', external_id, `Battery-${unique}`],
      ...[...households, ...assets, ...records.plans, ...records.private, ...metered.private],
    ],
  };
}

/** Ids of the same forms that nothing has. */
export function missingIds(): Ids {
  return {
    customer: newId('cus'),
    household: newId('dom'),
    inverter: newId('ast'),
    battery: newId('ast'),
    spare: newId('ast'),
    external_id: `battery-${randomBytes(6).toString('hex')}`,
    email: `mail-${randomBytes(6).toString('hex')}@example.org`,
    plan: newId('pln'),
    subscription: newId('sub'),
    metered: newId('sub'),
    lead: newId('lead'),
    feed_in_plan: newId('pln'),
    meter_number: `1EMH${randomBytes(6).toString('hex').toUpperCase()}`,
  };
}

/** Whose objects a token sees on a route: what belongs to the organization as a whole its customers see too. */
export function seenOn(fixture: Fixture, name: RouteName, token: TokenName): readonly PlaceName[] {
  const { sees, ofCustomer } = fixture.tokens[token];
  if (!ofCustomer || fixture.routes.get(name)?.customerTokens !== 'all') return sees;
  const own = new Set(sees.map((place) => fixture.places[place].organization));
  return (Object.keys(fixture.places) as PlaceName[]).filter((place) =>
    own.has(fixture.places[place].organization),
  );
}

/** Whether a token is turned away from a route, whatever it asks for. */
export function isForbidden(fixture: Fixture, name: RouteName, token: TokenName): boolean {
  const { ofCustomer, writes } = fixture.tokens[token];
  const route = fixture.routes.get(name);
  if (ofCustomer && route?.customerTokens === 'no') return true;
  return route?.method !== 'GET' && !writes;
}

/** These differ between any two answers; the last two count the caller's own requests, by the clock. */
const UNLIKE = ['x-request-id', 'date', 'ratelimit-remaining', 'ratelimit-reset'];

/** Everything else that a caller can tell two answers apart by. */
export function told(answer: Answer<unknown>) {
  const id = answer.headers.get('x-request-id') ?? 'no request id';
  const headers = [...answer.headers].filter(([name]) => !UNLIKE.includes(name));
  return { status: answer.status, headers, text: answer.text.replaceAll(id, '(this request)') };
}

/** What is said of other places in a text, be it an answer or a line of the log. */
export function leaks(text: string, places: Fixture['places'], seen: readonly PlaceName[]): string[] {
  const shared = new Set(seen.map((name) => places[name].organization));
  return Object.entries(places)
    .filter(([name]) => !seen.includes(name as PlaceName))
    .flatMap(([, place]) => place.private)
    .filter((value) => value !== '' && !shared.has(value) && text.includes(value));
}
