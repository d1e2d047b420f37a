import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteName } from '../../src/platform/interface/route.ts';
import { createLogger } from '../../src/platform/log/logger.ts';
import { missingIds } from '../routes/table/place.ts';
import type { Ids } from '../routes/table/row.ts';
import { methodOf, routeNames, rowOf, versionHeaderOf } from '../routes/table/table.ts';
import { sampled } from '../setup/tier.ts';
import { type Fixture, leaks, type PlaceName, startFixture } from './fixture.ts';

/**
 * Requests per route and kind of id: most routes are done after the few, where a share within 0.12 of 0.5 lies two
 * standard deviations from it; of the many, 0.2 are six.
 */
const ROUNDS = { few: 50, many: 150 };

const lines: string[] = [];
let fixture: Fixture;
beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(line) };
  fixture = await startFixture(createLogger({ level: 'trace', name: 'test', destination }));
});
afterAll(() => fixture?.close());

const OF_A: readonly PlaceName[] = ['a1', 'a2'];

function send(name: RouteName, ids: Ids) {
  const { path, body } = rowOf(name);
  const sent = { ...(body && { body: body(ids) }), headers: versionHeaderOf(name) };
  return fixture.tokens['A full'].client.request(methodOf(name), path(ids), sent);
}

test('I13 the log of a refusal names nothing that the caller did not send', async () => {
  const { a1, b1 } = fixture.places;
  lines.length = 0;
  for (const name of routeNames) {
    await send(name, b1);
    for (const bodyOf of Object.values(rowOf(name).references ?? {})) {
      await fixture.tokens['A full'].client.request(methodOf(name), rowOf(name).path(a1), {
        body: bodyOf(a1, b1),
        headers: versionHeaderOf(name),
      });
    }
  }
  const log = lines.join('');
  expect(lines.length).toBeGreaterThan(routeNames.length);
  const sent = (Object.keys(missingIds()) as (keyof Ids)[]).map((key) => b1[key]);
  expect(leaks(log, fixture.places, OF_A).filter((value) => !sent.includes(value))).toEqual([]);
});

describe('I13 what is foreign takes as long as what does not exist', () => {
  test.each(sampled(routeNames, 10))('%s', async (name) => {
    const missing = missingIds();
    const seconds = async (ids: Ids) => {
      const begin = performance.now();
      await send(name, ids);
      return performance.now() - begin;
    };
    const foreign: number[] = [];
    const unknown: number[] = [];
    const measure = async (rounds: number) => {
      for (let round = foreign.length; round < rounds; round += 1) {
        /* In turn, and each as often first as second, so that both see the same load of the machine. */
        if (round % 2 === 0) foreign.push(await seconds(fixture.places.b1));
        unknown.push(await seconds(missing));
        if (round % 2 === 1) foreign.push(await seconds(fixture.places.b1));
      }
      return Math.abs(chanceToBeSlower(foreign, unknown) - 0.5);
    };
    if ((await measure(ROUNDS.few)) > 0.12) expect(await measure(ROUNDS.many)).toBeLessThan(0.2);
  });
});

/** Of a random pair; 0.5 where two sets of times cannot be told apart, 0 or 1 where they do not overlap. */
function chanceToBeSlower(times: readonly number[], others: readonly number[]): number {
  const slower = times.flatMap((time) => others.filter((other) => time > other)).length;
  return slower / (times.length * others.length);
}
