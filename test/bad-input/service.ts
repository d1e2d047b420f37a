import { expect } from 'vitest';
import { apiRoutes } from '../../src/app.ts';
import type { ErrorEntry } from '../../src/platform/errors.ts';
import { type ApiRoute, type RouteName, routeName } from '../../src/platform/route.ts';
import { addDevice, devices } from '../assets/devices.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import type { Answer, ApiClient } from '../setup/client.ts';
import { fakeClock } from '../setup/clock.ts';
import { createHousehold, createTenant } from '../setup/factories.ts';
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
  send(name: RouteName, body: Sent, headers?: Record<string, string>): Promise<Answer<ErrorBody>>;
  /** Does this and makes sure that afterwards as much is stored as before. */
  storesNothing(work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Alone it takes less than 200; several test files share the machine, and a hang takes longer than this. */
export const ANSWERED_WITHIN_MILLISECONDS = 5_000;

const VERSION = '2026-09-08.gauss';

export async function startBadInputService(): Promise<BadInputService> {
  const api = await startApi({ clock: fakeClock('2026-12-01T11:05:00.000Z') });
  const state = await openStateReader(api);
  const { organization, token } = await createTenant(api);
  const client = api.client(token, { version: VERSION });
  const { household } = await createHousehold(api.deps, organization);
  const home = await addDevices(client, household);
  return {
    api,
    home,
    token,
    state,
    routes: new Map(apiRoutes(api.deps).map((route) => [routeName(route), route])),
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

async function addDevices(client: ApiClient, household: string): Promise<Home> {
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
export function expectRefusal(answer: Answer<ErrorBody>, status?: number): ErrorEntry[] {
  const { body } = answer;
  const entries = body.errors ?? [];
  const onlyDisallowed = entries.length > 0 && entries.every(({ code }) => code === 'invalid_value');
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
