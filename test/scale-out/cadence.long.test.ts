import { expect } from 'vitest';
import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { heldEnergy } from '../governance/analysts/held-energy.ts';
import { sumAllQuarterHours } from '../setup/quarter-hours.ts';
import { storedSums } from '../telemetry/quarter-hours/held.ts';
import type { SnapshotApi } from '../telemetry/snapshots/snapshot-api.ts';
import { bothEngines, uneven } from './both-engines.ts';

/*
 * How long a value holds: until the next one, at most for the usual distance of the asset's values. And how many are read. On
 * both engines.
 */
const { onBoth } = bothEngines('cadence');

const MINUTE = 60_000;
const DAY = Date.parse('2026-11-30T00:00:00Z');

/** A household whose connection sends 1 kW at minutes of a day that is over; `sum` runs the job. */
async function homeOf(service: SnapshotApi, day = DAY) {
  service.clock.set(new Date(day + 2_105 * MINUTE).toISOString());
  const home = await service.addHousehold();
  const { id: asset, key } = home.assets.household_net;
  return {
    send: async (minutes: readonly number[], client?: Awaited<ReturnType<SnapshotApi['signIn']>>) => {
      const rows = minutes.map((minute) => ({
        asset,
        timestamp: new Date(day + minute * MINUTE).toISOString(),
        power_kw: 1,
      }));
      expect((await home.send(rows, client)).status).toBe(200);
    },
    sum: () => sumAllQuarterHours(service.api.database, service.clock),
    /** Covered seconds of quarter hours in which something was covered, by minute of the day. */
    covered: async () => {
      const sums = await storedSums(service, key);
      return new Map(
        sums.map(({ start, seconds, consumed }) => {
          expect(consumed).toBeCloseTo(seconds / 3_600, 9);
          return [(Date.parse(start) - day) / MINUTE, Math.round(seconds)] as const;
        }),
      );
    },
  };
}

const every = (minutes: number, from = 0, until = 1_440) =>
  Array.from({ length: Math.ceil((until - from) / minutes) }, (_, at) => from + at * minutes);

/** The same by the rule, computed value by value. */
function byRule(minutes: readonly number[], holdMinutes: number): Map<number, number> {
  const values = [...minutes]
    .sort((a, b) => a - b)
    .map((minute) => ({ at: DAY + minute * MINUTE, power_kw: 1 }));
  const held = heldEnergy(values, holdMinutes * MINUTE);
  return new Map(
    [...held].map(([start, { consumed }]) => [(start - DAY) / MINUTE, Math.round(consumed * 3_600)]),
  );
}

const hours = (covered: Map<number, number>) =>
  [...covered.values()].reduce((sum, seconds) => sum + seconds, 0) / 3_600;

onBoth('one value every 20, 30 or 60 minutes is all the energy of the day', async ({ citus, timescale }) => {
  for (const service of [timescale, citus]) {
    for (const minutes of [20, 30, 60]) {
      const home = await homeOf(service);
      await home.send(every(minutes));
      await home.sum();
      expect(hours(await home.covered()), `${minutes}`).toBeCloseTo(24, 9);
    }
  }
});

onBoth(
  'what lies further apart than usual is a gap, and no value holds for more than an hour',
  async ({ citus, timescale }) => {
    for (const service of [timescale, citus]) {
      for (const [minutes, hold] of [
        [[...every(20, 0, 720), ...every(20, 900)], 20],
        [every(120), 60],
        [[...every(5, 0, 300), ...every(20, 300)], 20],
        [[...every(5, 0, 1_200), ...every(40, 1_200)], 15],
      ] as const) {
        const home = await homeOf(service);
        await home.send(minutes);
        await home.sum();
        expect(await home.covered(), `${minutes}`).toEqual(byRule(minutes, hold));
      }
    }
  },
);

onBoth(
  'late rows change the hour behind them, and leave nothing that no value covers any more',
  async ({ citus, timescale }) => {
    for (const service of [timescale, citus]) {
      const half = await homeOf(service);
      await half.send(every(40));
      await half.sum();
      await half.send(every(40, 20));
      await half.sum();
      expect(await half.covered()).toEqual(byRule(every(20), 20));

      const hourly = await homeOf(service);
      await hourly.send(every(60));
      await hourly.sum();
      await hourly.send([370]);
      await hourly.sum();
      expect(await hourly.covered()).toEqual(byRule([...every(60), 370], 60));

      /* Now a value a minute was usual until 03:10, and the last of them holds for 15 minutes. */
      await hourly.send(every(1, 0, 191).filter((minute) => minute % 60 !== 0));
      await hourly.sum();
      const covered = await hourly.covered();
      expect([...covered].filter(([minute]) => minute > 180 && minute < 240)).toEqual([[195, 600]]);
      expect(covered.get(180)).toBe(900);
      expect(covered.get(240)).toBe(900);
    }
  },
);

onBoth('rows on time are summed alike while the day goes on', async ({ citus, timescale }) => {
  for (const service of [timescale, citus]) {
    /* Sums are final up to the day before. */
    const today = DAY + 2 * 1_440 * MINUTE;
    const home = await homeOf(service, today);
    for (const minute of every(20, 0, 360)) {
      service.clock.set(new Date(today + minute * MINUTE + 5_000).toISOString());
      await home.send([minute], await service.signIn());
      await home.sum();
    }
    service.clock.set(new Date(today + 600 * MINUTE).toISOString());
    await home.sum();
    /* What is usual shows from the fifth value on. */
    const known = ([minute]: [number, number]) => minute >= 90;
    expect([...(await home.covered())].filter(known)).toEqual(
      [...byRule(every(20, 0, 360), 20)].filter(known),
    );
  }
});

onBoth(
  'of one asset so many snapshots are read as are summed, of several none beyond them',
  async (services) => {
    for (const service of [services.citus, services.timescale]) {
      const { key } = await uneven(service);
      const { key: other } = await uneven(service);
      const read = (keys: number[], snapshotsMax: number) =>
        withDatabaseClient(service.api.database.maintenanceUrl, async (client) => {
          const { rows } = await client.query<{ snapshots: string }>(
            `SELECT snapshots
             FROM read_values_to_sum($1, '2026-12-01T03:30Z', '2026-12-01T09:00Z', $2)`,
            [keys, snapshotsMax],
          );
          return rows.reduce((sum, { snapshots }) => sum + Number(snapshots), 0);
        });
      /* And the last value of the hour before. */
      expect(await read([key], 3)).toBe(3 + 1);
      const whole = await read([key], 100_000);
      expect(whole).toBeGreaterThan(15);
      expect(await read([key, other], 100_000)).toBe(2 * whole);
      const beyond = read([key, other], 3);
      if (service === services.citus) await expect(beyond).rejects.toMatchObject({ code: '57014' });
      else expect(await beyond).toBe(3 + 2);
    }
  },
);
