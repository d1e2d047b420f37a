import { expect } from 'vitest';
import { apiRoutes, versionEngine } from '../../src/app.ts';
import type { ErrorEntry } from '../../src/platform/errors.ts';
import { type ApiRoute, type RouteName, routeName } from '../../src/platform/interface/route.ts';
import { addDevice, devices } from '../assets/devices.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import type { Answer, ApiClient } from '../setup/client.ts';
import { fakeClock } from '../setup/clock.ts';
import {
  createHousehold,
  createLead,
  createMarketPartner,
  createPlan,
  createSubscription,
  createTenant,
} from '../setup/factories.ts';
import { insertReferenceRows } from '../setup/reference-rows.ts';
import { openStateReader, type StateReader } from '../setup/stored-state.ts';
import { bodyRowOf, type Home } from './body-rows.ts';

export interface ErrorBody {
  code: string;
  message: string;
  requestId: string;
  docs: string;
  errors?: ErrorEntry[];
}

type Sent = string | Buffer | Record<string, unknown>;

/** The real service with one household, and what sends bodies to its routes. */
export interface BadInputService {
  api: TestApi;
  home: Home;
  token: string;
  state: StateReader;
  routes: ReadonlyMap<RouteName, ApiRoute>;
  /** Whether the version has it that is asked here. */
  isNewest(name: RouteName): boolean;
  send(name: RouteName, body: Sent, headers?: Record<string, string>): Promise<Answer<ErrorBody>>;
  /** Does this and makes sure that afterwards as much is stored as before. */
  storesNothing(work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Alone it takes less than 200; several test files share the machine, and a hang takes longer than this. */
export const ANSWERED_WITHIN_MILLISECONDS = 5_000;

const VERSION = '2026-09-08.gauss';

/** For as many readings as days. */
const METERED_SINCE = '1899-12-31T23:00:00.000Z';

export async function startBadInputService(): Promise<BadInputService> {
  const api = await startApi({ clock: fakeClock('2026-12-01T11:05:00.000Z') });
  const state = await openStateReader(api);
  const { organization, token } = await createTenant(api);
  const client = api.client(token, { version: VERSION });
  const versions = versionEngine(api.deps);
  await insertReferenceRows(api);
  const place = await createHousehold(api.deps, organization);
  const plan = await createPlan(api.deps, organization, {
    terms: [{ sells_module_1: true, smart_meter_product: 'smart-meter-partner-b' }],
  });
  const meterNumber = '1EMH0012345678';
  const contract = await createSubscription(api.deps, organization, place, {
    plan_id: plan.id,
    status: 'active',
    meter_number: meterNumber,
  });
  const metered = await createSubscription(
    api.deps,
    organization,
    await createHousehold(api.deps, organization, { customer: place.customer }),
    { plan_id: plan.id, status: 'active', start_at: METERED_SINCE, confirmed_at: METERED_SINCE },
  );
  const home = {
    ...(await addDevices(client, place.household)),
    customer: place.customer,
    plan: contract.plan,
    feedInPlan: (await createPlan(api.deps, organization, { type: 'feed_in' })).id,
    meterNumber,
    previousSupplier: (await createMarketPartner(api.deps)).id,
    subscription: contract.id,
    metered: metered.id,
    lead: (await createLead(api.deps, organization, { plan_id: contract.plan })).id,
  };
  return {
    api,
    home,
    token,
    state,
    routes: new Map(apiRoutes(api.deps).map((route) => [routeName(route), route])),
    isNewest: (name) => versions.availability(name, VERSION).state === 'available',
    send: (name, body, headers = {}) => {
      const method = name.slice(0, name.indexOf(' '));
      return client.request<ErrorBody>(method, bodyRowOf(name).path(home), { body, headers });
    },
    storesNothing: async (work) => {
      const before = await state.whole();
      await work();
      expect(await state.whole()).toEqual(before);
    },
    close: async () => {
      await state.close();
      await api.close();
    },
  };
}

type Devices = Pick<
  Home,
  'household' | 'inverter' | 'battery' | 'batteryExternalId' | 'wallboxExternalId' | 'spare'
>;

async function addDevices(client: ApiClient, household: string): Promise<Devices> {
  const inverter = await addDevice(client, household, devices.inverter);
  const battery = await addDevice(client, household, {
    ...devices.battery,
    external_id: 'battery',
    parent_inverter: inverter.id,
  });
  await addDevice(client, household, { ...devices.wallbox, external_id: 'wallbox' });
  const spare = await addDevice(client, household, devices.heatPump);
  return {
    household,
    inverter: inverter.id,
    battery: battery.id,
    batteryExternalId: 'battery',
    wallboxExternalId: 'wallbox',
    spare: spare.id,
  };
}

/** A refusal says so in the form that every refusal has, and with the status that its entries ask for. */
/** Entries of 422: a value that is not among the allowed ones, and the one rule of the business that has this status. */
const UNPROCESSABLE: readonly string[] = ['invalid_value', 'implausible_meter_reading'];

export function expectRefusal(answer: Answer<ErrorBody>, status?: number): ErrorEntry[] {
  const { body } = answer;
  const entries = body.errors ?? [];
  const onlyDisallowed = entries.length > 0 && entries.every(({ code }) => UNPROCESSABLE.includes(code));
  const shown = answer.text.slice(0, 500);
  expect(answer.status, shown).toBe(status ?? (onlyDisallowed ? 422 : 400));
  expect(body.code, shown).toBe(answer.status === 422 ? 'UNPROCESSABLE_ENTITY' : 'BAD_REQUEST');
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(body.requestId).toBe(answer.headers.get('x-request-id'));
  expect(body.docs).toMatch(new RegExp(`/errors/${body.code}$`));
  expect(entries.length, shown).toBeGreaterThan(0);
  expect(body.message, shown).toContain(entries[0]?.message);
  return entries;
}
