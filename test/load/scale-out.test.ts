import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { rowCostsOf } from '../../load/measure/costs.ts';
import type { Leg } from '../../load/measure/leg.ts';
import { inTurns } from '../../load/measure/turns.ts';
import { figuresOf, figuresTable } from '../../load/scale-out/figures.ts';
import { clusterOf } from '../../load/surroundings/cluster.ts';
import { WrongUse } from '../../load/surroundings/failures.ts';

beforeEach(() => {
  vi.stubEnv('LOAD_CITUS_ADMIN_URL', '');
  vi.stubEnv('LOAD_CITUS_WORKER_ADMIN_URLS', '');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** 1,000 rows of 10 seconds, of which servers used these shares of a core. */
const leg = (rowsPerSecond: number, shares: { database: number; workers?: number }): Leg => ({
  ...{ name: 'a', round: 1, client: 'socket', rows: 1_000, seconds: 10, rows_per_second: rowsPerSecond },
  cpu: { client: 0, service: 0.5, redis: 0, machine: 1, ...shares },
  ...{ disturbed_before: 0, disturbed: 0, wal_bytes: 0 },
});

describe('figures of scale-out', () => {
  test('are medians beside the single node, with coordinator and workers apart', () => {
    const figures = figuresOf(
      new Map([
        ['single', [leg(100, { database: 0.1 }), leg(300, { database: 0.3 }), leg(200, { database: 0.2 })]],
        ['cluster', [leg(50, { database: 0.4, workers: 0.3 })]],
      ]),
    );
    expect(figures.get('single')).toMatchObject({
      ...{ rows_per_second: 200, rows_per_second_of_single: 1, servers_of_single: 1 },
      ...{ service_us: 5_000, coordinator_us: 2_000, workers_us: 0 },
    });
    const cluster = figures.get('cluster');
    expect(cluster).toMatchObject({
      rows_per_second: 50,
      rows_per_second_of_single: 0.25,
      servers_of_single: 2,
    });
    expect(cluster?.coordinator_us).toBeCloseTo(1_000);
    expect(cluster?.workers_us).toBeCloseTo(3_000);
    expect(figuresTable(new Map([['10 rows', figures]]))).toMatch(
      /10 rows +cluster +50 +0\.25 +5000\.00 +1000\.00/,
    );
  });

  test('a server that is none of this machine has no figure, in place of none of its time', () => {
    const costs = rowCostsOf([
      { ...leg(1, { database: 1 }), cpu: { ...leg(1, { database: 1 }).cpu, workers: null } },
    ]);
    expect(costs.workers).toBeNaN();
    expect(costs.database).toBe(10_000);
  });
});

test('sides take turns, and another one is first in each round', async () => {
  const order: string[] = [];
  const side = (name: string) => ({
    name,
    send: async ({ round }: { round: number }) => {
      order.push(`${name}${round}`);
      return round;
    },
  });
  const speeds = await inTurns('what', [side('a'), side('b'), side('c')], 2, () => {});
  expect(order).toEqual(['a1', 'b1', 'c1', 'b2', 'c2', 'a2']);
  expect([...speeds]).toEqual([
    ['a', [1, 2]],
    ['b', [1, 2]],
    ['c', [1, 2]],
  ]);
});

describe('the cluster of a run', () => {
  test('is what the options name', () => {
    const [citusAdminUrl, worker] = [
      'postgres://a:b@127.0.0.1:1/postgres',
      'postgres://a:b@127.0.0.1:2/postgres',
    ];
    expect(clusterOf({ citusAdminUrl, citusWorkerAdminUrls: `${worker}, ${worker}` })).toEqual({
      adminUrl: citusAdminUrl,
      workerAdminUrls: [worker, worker],
    });
  });

  test.each([
    ['no worker', { citusAdminUrl: 'postgres://a:b@127.0.0.1:1/postgres' }],
    ['no coordinator', { citusWorkerAdminUrls: 'postgres://a:b@127.0.0.1:1/postgres' }],
    ['no address', { citusAdminUrl: 'here', citusWorkerAdminUrls: 'postgres://a:b@127.0.0.1:1/postgres' }],
  ])('is wrong use with %s', (_what, options) => {
    expect(() => clusterOf(options)).toThrow(WrongUse);
  });
});
