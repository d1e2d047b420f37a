import { describe, expect, test } from 'vitest';
import { Bodies } from '../../load/ingest/bodies.ts';
import { planFleet } from '../../load/surroundings/seed.ts';
import { ID_PATTERN } from '../../src/platform/ids.ts';

interface Body {
  household: string;
  snapshots: { asset: string; timestamp: string; power_kw: number; connected?: boolean }[];
}

const BEGIN_SECONDS = Date.UTC(2026, 5, 20, 11) / 1000;

function bodiesOf(households: number, rows: number, apart?: 'milliseconds') {
  const fleet = planFleet('seed', households);
  const keys = new Map(
    fleet.flatMap((household) => household.assets).map((asset, index) => [asset.id, index + 1]),
  );
  const spacing = apart === undefined ? {} : { apart };
  return { fleet, keys, bodies: new Bodies({ fleet, keys, rows, beginSeconds: BEGIN_SECONDS, ...spacing }) };
}

const parsed = (bytes: Buffer) => JSON.parse(bytes.toString()) as Body;

describe('seeded fleets', () => {
  test('the same seed is the same fleet, also when it is made in parts; another seed shares no id with it', () => {
    const fleet = planFleet('one', 50);
    expect(planFleet('one', 50)).toEqual(fleet);
    expect([...planFleet('one', 20), ...planFleet('one', 50, 20)]).toEqual(fleet);
    const idsOf = (seed: string) =>
      planFleet(seed, 50).flatMap((household) => [
        household.id,
        household.customer,
        household.address,
        ...household.assets.map((asset) => asset.id),
      ]);
    const ids = idsOf('one');
    expect(new Set([...ids, ...idsOf('two')]).size).toBe(2 * ids.length);
    for (const id of ids) expect(id).toMatch(ID_PATTERN);
  });

  test('a batch is known by its number: the same bytes again, and no instant of an asset in two numbers', () => {
    for (const [rows, apart] of [
      [20, undefined],
      [1000, undefined],
      [10_000, undefined],
      [10, 'milliseconds'],
      [100, 'milliseconds'],
      [1000, 'milliseconds'],
    ] as const) {
      const { bodies } = bodiesOf(3, rows, apart);
      const again = bodiesOf(3, rows, apart).bodies;
      const seen = new Set<string>();
      /* Each household again, at least one of them. */
      const numbers = rows === 10_000 ? 4 : 9;
      for (let number = 0; number < numbers; number += 1) {
        const bytes = bodies.at(number);
        expect(again.at(number).equals(bytes)).toBe(true);
        const { snapshots } = parsed(bytes);
        expect(snapshots).toHaveLength(rows);
        for (const { asset, timestamp } of snapshots) {
          seen.add(`${asset} ${timestamp}`);
          expect(Date.parse(timestamp) / 1000).toBeLessThan(bodies.endSecondsAt(number));
        }
      }
      expect(seen.size).toBe(numbers * rows);
    }
  });

  test('batches of now: three thousand of each household lie within half a minute', () => {
    const { bodies } = bodiesOf(2, 100, 'milliseconds');
    const { snapshots } = parsed(bodies.at(5_999));
    const instants = snapshots.map(({ timestamp }) => Date.parse(timestamp) - BEGIN_SECONDS * 1000);
    expect([Math.min(...instants), Math.max(...instants)]).toEqual([29_990, 29_999]);
  });

  test('what goes to the service and what goes to \\copy are the same rows, and the sums are theirs', () => {
    const { bodies, keys } = bodiesOf(2, 200);
    for (const number of [0, 1, 4]) {
      const { snapshots } = parsed(bodies.at(number));
      const lines = bodies.copyLinesAt(number).toString().trimEnd().split('\n');
      const fromBody = snapshots.map(({ asset, timestamp, power_kw }) =>
        [keys.get(asset), timestamp, power_kw].join('\t'),
      );
      expect(lines.map((line) => line.split('\t').slice(0, 3).join('\t'))).toEqual(fromBody);
      const sums = bodies.sumsAt(number);
      expect(sums.rows).toBe(200);
      expect(sums.power_kw).toBe(
        Math.round(snapshots.reduce((sum, { power_kw }) => sum + power_kw, 0) * 1000),
      );
      expect(sums.connected).toBe(snapshots.filter(({ connected }) => connected === true).length);
    }
  });
});
