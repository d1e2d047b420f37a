import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../src/config/versions.ts';
import type { RouteName } from '../../src/platform/interface/route.ts';
import { missingIds } from '../routes/table/place.ts';
import type { Ids, Place } from '../routes/table/row.ts';
import {
  goodStatusOf,
  methodOf,
  missingStatusOf,
  routeNames,
  rowOf,
  versionHeaderOf,
} from '../routes/table/table.ts';
import type { ApiClient } from '../setup/client.ts';
import { sampled } from '../setup/tier.ts';
import {
  type Fixture,
  isForbidden,
  leaks,
  type PlaceName,
  seenOn,
  startFixture,
  TOKEN_NAMES,
  told,
} from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.close());

function send(client: ApiClient, name: RouteName, ids: Ids, given: Record<string, string> = {}) {
  const { path, body } = rowOf(name);
  const headers = { ...versionHeaderOf(name), ...given };
  return client.request(methodOf(name), path(ids), { ...(body && { body: body(ids) }), headers });
}

const PLACE_NAMES: PlaceName[] = ['a1', 'a2', 'b1', 'b2'];
const METHODS = ['GET', 'PATCH', 'POST', 'DELETE'];
const CONDITIONS = ['*', '"x"', 'W/"x"'].flatMap((value) =>
  ['if-none-match', 'if-match'].map((name) => ({ [name]: value })),
);
const OVERRIDES = ['x-http-method-override', 'x-http-method', 'x-method-override'];

/*
 * Every route, also by `npm test`: there with two of the tokens, an eighth of the routes with all. Of the versions, methods
 * and conditions, which are the same for all routes, each route has there its own few. A sixth of the routes is asked there
 * with other methods, and for a route that only reads, what is stored is looked at around the requests of one token.
 */
describe.each(routeNames)('%s', (name) => {
  const turn = routeNames.indexOf(name);
  const isRead = methodOf(name) === 'GET';
  const missingStatus = missingStatusOf(name);
  const isInTurn = sampled(routeNames, 6).includes(name);
  /* The other two see as much as the first, or the same from the other side. */
  const tokens = TOKEN_NAMES.filter(
    (token) => token === 'A full' || token === 'customer a1' || sampled(routeNames, 8, 1).includes(name),
  );

  /* What is remembered of the owners' own requests must not serve others. */
  beforeAll(async () => {
    for (const placeName of PLACE_NAMES) await send(ownerOf(placeName), name, fixture.places[placeName]);
  });

  test.each(tokens)('I01 I09 with the token %s answers about its own objects alone', async (tokenName) => {
    const { client } = fixture.tokens[tokenName];
    const sees = seenOn(fixture, name, tokenName);
    const isRefused = isForbidden(fixture, name, tokenName);
    const missing = told(await send(client, name, missingIds()));
    expect(missing.status).toBe(isRefused ? 403 : missingStatus);
    const isLookedAt = !isRead || sampled(tokens, 2, turn).includes(tokenName);
    const before = isLookedAt && (await stateOfOthers(sees));
    for (const placeName of PLACE_NAMES) {
      const answer = await send(client, name, fixture.places[placeName]);
      if (isRefused || !sees.includes(placeName)) expect(told(answer), placeName).toEqual(missing);
      else expect(answer.status, `${placeName} ${answer.text}`).toBe(goodStatusOf(name));
      expect(leaks(answer.text, fixture.places, sees)).toEqual([]);
    }
    if (isLookedAt) expect(await stateOfOthers(sees)).toEqual(before);
  });

  test('I01 without a token is 401, whatever is asked for', async () => {
    const missing = told(await send(fixture.nobody, name, missingIds()));
    expect(missing.status).toBe(401);
    for (const place of Object.values(fixture.places)) {
      expect(told(await send(fixture.nobody, name, place))).toEqual(missing);
    }
  });

  test.each(sampled(VERSION_NAMES, 3, turn))(
    'I17 %s tells foreign and missing ids apart no better',
    async (version) => {
      const { client } = fixture.tokens['A full'];
      const headers = { 'x-api-version': version };
      const foreign = told(await send(client, name, fixture.places.b1, headers));
      expect(foreign).toEqual(told(await send(client, name, missingIds(), headers)));
      /* 405 where the version has the path without this method. */
      expect([404, 405, missingStatus]).toContain(foreign.status);
    },
  );

  test.runIf(isInTurn)('I07 a header that names another method opens nothing', async () => {
    const { client } = fixture.tokens['A full'];
    for (const method of sampled(METHODS, 4, turn)) {
      const headers = {
        ...Object.fromEntries(OVERRIDES.map((header) => [header, method])),
        'x-original-url': rowOf(name).path(fixture.places.a1),
        'x-forwarded-prefix': '/assets',
      };
      const before = await fixture.state.whole();
      const foreign = told(await send(client, name, fixture.places.b1, headers));
      expect(foreign).toEqual(told(await send(client, name, missingIds(), headers)));
      expect(foreign.status).toBe(missingStatus);
      if (isRead) {
        expect((await send(client, name, fixture.places.a1, headers)).status).toBe(goodStatusOf(name));
      }
      expect(await fixture.state.whole()).toEqual(before);
    }
  });

  test.runIf(isInTurn)('I20 HEAD, OPTIONS and conditions show nothing of what is foreign', async () => {
    const { client } = fixture.tokens['A full'];
    const other = async (method: string, ids: Ids, given: Record<string, string> = {}) => {
      const headers = { ...versionHeaderOf(name), ...given };
      return told(await client.request(method, rowOf(name).path(ids), { headers }));
    };
    const missing = missingIds();
    for (const method of ['HEAD', 'OPTIONS', 'PUT', 'DELETE']) {
      expect(await other(method, fixture.places.b1)).toEqual(await other(method, missing));
    }
    expect((await other('OPTIONS', fixture.places.b1)).status).toBe(405);
    if (!isRead) return;
    expect((await other('HEAD', fixture.places.b1)).status).toBe(missingStatus);
    for (const headers of sampled(CONDITIONS, 5, turn)) {
      expect(await other('GET', fixture.places.b1, headers)).toEqual(await other('GET', missing, headers));
    }
    const since = { 'if-modified-since': new Date(0).toUTCString() };
    expect(await other('GET', fixture.places.b1, since)).toEqual(await other('GET', missing, since));
  });
});

function ownerOf(place: PlaceName): ApiClient {
  return fixture.tokens[place.startsWith('a') ? 'A full' : 'B full'].client;
}

/** What is stored for the organizations of which this token sees nothing. */
async function stateOfOthers(sees: readonly PlaceName[]) {
  const own = new Set(sees.map((name) => fixture.places[name].organization));
  const others = new Set(
    Object.values(fixture.places)
      .map(({ organization }: Place) => organization)
      .filter((organization) => !own.has(organization)),
  );
  return await Promise.all([...others].map((organization) => fixture.state.of(organization)));
}
