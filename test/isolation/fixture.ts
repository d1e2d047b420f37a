import { apiRoutes } from '../../src/api/app.ts';
import { type ApiRoute, type RouteName, routeName } from '../../src/platform/interface/route.ts';
import type { Logger } from '../../src/platform/log/logger.ts';
import { addPlace, insertCommonRows, NOW } from '../routes/table/place.ts';
import type { Place } from '../routes/table/row.ts';
import { methodOf, rowOf } from '../routes/table/table.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import type { Answer, ApiClient } from '../setup/client.ts';
import { fakeClock } from '../setup/clock.ts';
import { createClient, createTenant, tokenFor } from '../setup/factories.ts';
import { openStateReader, type StateReader } from '../setup/stored-state.ts';

export type PlaceName = 'a1' | 'a2' | 'b1' | 'b2';

export interface Token {
  client: ApiClient;
  text: string;
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
  state: StateReader;
  routes: ReadonlyMap<RouteName, ApiRoute>;
  places: Readonly<Record<PlaceName, Place>>;
  tokens: Readonly<Record<TokenName, Token>>;
  nobody: ApiClient;
  close(): Promise<void>;
}

export async function startFixture(log?: Logger): Promise<Fixture> {
  const clock = fakeClock(NOW);
  const api = await startApi({ clock, alone: true, ...(log && { log }) });
  const state = await openStateReader(api);
  await insertCommonRows(api);
  const a = await createTenant(api);
  const b = await createTenant(api);
  const places = {
    a1: await addPlace(api, clock, a),
    a2: await addPlace(api, clock, a),
    b1: await addPlace(api, clock, b),
    b2: await addPlace(api, clock, b),
  };
  const of = (text: string) => ({ text, client: api.client(text) });
  const another = async (input: Parameters<typeof createClient>[2]) =>
    of(await tokenFor(api, await createClient(api.deps, a.organization, input)));
  const full = { writes: true, ofCustomer: false };
  return {
    api,
    state,
    routes: new Map(apiRoutes(api.deps).map((route) => [routeName(route), route])),
    places,
    tokens: {
      'A full': { ...full, ...of(a.token), sees: ['a1', 'a2'] },
      'A read-only': {
        ...(await another({ read_only: true })),
        sees: ['a1', 'a2'],
        writes: false,
        ofCustomer: false,
      },
      'customer a1': {
        ...(await another({ customer_id: places.a1.customer })),
        sees: ['a1'],
        writes: true,
        ofCustomer: true,
      },
      'B full': { ...full, ...of(b.token), sees: ['b1', 'b2'] },
    },
    nobody: api.client(null),
    close: async () => {
      await state.close();
      await api.close();
    },
  };
}

/** Whose objects a token sees on a route: what belongs to the organization as a whole its customers see too. */
export function seenOn(fixture: Fixture, name: RouteName, token: TokenName): readonly PlaceName[] {
  const { sees, ofCustomer } = fixture.tokens[token];
  if (!ofCustomer || rowOf(name).whose !== 'organization') return sees;
  const own = new Set(sees.map((place) => fixture.places[place].organization));
  return (Object.keys(fixture.places) as PlaceName[]).filter((place) =>
    own.has(fixture.places[place].organization),
  );
}

/** Whether a token is turned away from a route, whatever it asks for. */
export function isForbidden(fixture: Fixture, name: RouteName, token: TokenName): boolean {
  const { ofCustomer, writes } = fixture.tokens[token];
  const { whose } = rowOf(name);
  if (ofCustomer && (whose === 'staff' || whose === 'public')) return true;
  return methodOf(name) !== 'GET' && !writes;
}

/** These differ between any two answers. The last three come from Redis, and are missing where it did not answer in time. */
const UNLIKE = ['x-request-id', 'date', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

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
