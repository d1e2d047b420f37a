import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { apiRoutes } from '../../src/api/app.ts';
import type { ErrorEntry } from '../../src/platform/errors.ts';
import { type ApiRoute, type RouteName, routeName } from '../../src/platform/interface/route.ts';
import { addPlace, insertCommonRows, missingIds, NOW } from '../routes/table/place.ts';
import type { Place } from '../routes/table/row.ts';
import { bodiesOf, bodyRouteNames, methodOf, rowOf, smallestBody } from '../routes/table/table.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import type { Answer } from '../setup/client.ts';
import { fakeClock } from '../setup/clock.ts';
import { createTenant } from '../setup/factories.ts';
import { openStateReader, type StateReader } from '../setup/stored-state.ts';

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
  home: Place;
  token: string;
  state: StateReader;
  routes: ReadonlyMap<RouteName, ApiRoute>;
  send(name: RouteName, body: Sent, headers?: Record<string, string>): Promise<Answer<ErrorBody>>;
  /** Does this and makes sure that afterwards as much is stored as before. */
  storesNothing(work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Alone it takes less than 200; several test files share the machine, and a hang takes longer than this. */
export const ANSWERED_WITHIN_MILLISECONDS = 20_000;

const VERSION = '2026-09-08.gauss';

export async function startBadInputService(): Promise<BadInputService> {
  const clock = fakeClock(NOW);
  const api = await startApi({ clock, alone: true });
  const state = await openStateReader(api);
  await insertCommonRows(api);
  const tenant = await createTenant(api);
  const home = await addPlace(api, clock, tenant);
  const { token } = tenant;
  const client = api.client(token, { version: VERSION });
  return {
    api,
    home,
    token,
    state,
    routes: new Map(apiRoutes(api.deps).map((route) => [routeName(route), route])),
    send: (name, body, headers = {}) =>
      untilTaken(() => client.request<ErrorBody>(methodOf(name), rowOf(name).path(home), { body, headers })),
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

/** A busy machine sheds load: asked again, as the answer says. */
export async function untilTaken<One extends { status: number }>(send: () => Promise<One>): Promise<One> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    await wait(100);
  }
}

/** Entries of 422: a value that is not among the allowed ones, and the one rule of the business that has this status. */
const UNPROCESSABLE: readonly string[] = ['invalid_value', 'implausible_meter_reading'];

/** A refusal says so in the form that every refusal has, and with the status that its entries ask for. */
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

/** What sets the bodies of some routes apart from those of others; the last one holds for all. */
const KINDS: readonly ((name: RouteName) => boolean)[] = [
  // The only one with a size and a reader of its own.
  (name) => name === 'POST /asset-snapshots',
  (name) => name.startsWith('PATCH '),
  (name) => Object.keys(smallestBody(name, missingIds())).length === 0,
  (name) => bodiesOf(name).ignoresUnknown !== undefined,
  () => true,
];

const firstOfEachKind = new Set(KINDS.map((isKind) => bodyRouteNames.find(isKind)));

/** One route of each kind: those that `npm test` asks where `npm run test:long` asks all of them. */
export const routesOfEachKind = bodyRouteNames.filter((name) => firstOfEachKind.has(name));
