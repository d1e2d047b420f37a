import { afterAll, beforeAll, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from '../snapshots/snapshot-api.ts';
import { type StandIn, startStandIn } from './stand-in.ts';

/** The service on the SQL for Citus, without its nodes (stand-in.ts), and beside it on TimescaleDB. */
export interface BothEngines {
  /** Of Citus. */
  readonly database: TestDatabase;
  readonly citus: SnapshotApi;
  readonly timescale: SnapshotApi;
}

/** Starts both for the tests of a file, and gives a test of them; it is skipped where there is no stand-in. */
export function bothEngines(name: string) {
  let standIn: StandIn | null = null;
  let beside: TestDatabase | undefined;
  let started: BothEngines | undefined;

  beforeAll(async () => {
    standIn = await startStandIn();
    if (standIn === null) return;
    const database = await standIn.createDatabase(name);
    beside = await createTestDatabase();
    const citus = await startSnapshotApi({}, database);
    started = { database, citus, timescale: await startSnapshotApi({}, beside) };
  }, 120_000);

  afterAll(async () => {
    await started?.citus.close();
    await started?.timescale.close();
    await beside?.drop();
    await standIn?.stop();
  });

  return (title: string, work: (engines: BothEngines) => Promise<void>) =>
    test(title, async ({ skip }) => {
      if (started === undefined) return skip();
      await work(started);
    });
}

const UNEVEN = `
  INSERT INTO asset_snapshots (asset_id, timestamp, power_kw, state_of_charge, connected)
  SELECT $1::bigint, $2::timestamptz + interval '3 hours' + place * place * interval '7 seconds',
         CASE WHEN place % 11 <> 0 THEN round((sin(place) * 5)::numeric, 3)::float8 END,
         CASE WHEN place % 3 = 0 THEN abs(sin(place)) END, place % 4 = 0
    FROM generate_series(0, 60) AS place`;

/** A household whose connection has 61 rows at growing distances, the same on both engines. */
export async function uneven(
  service: SnapshotApi,
  day = '2026-12-01',
): Promise<{ home: SnapshotHousehold; key: number }> {
  const home = await service.addHousehold();
  const { key } = home.assets.household_net;
  await service.admin.query(UNEVEN, [key, `${day}T00:00Z`]);
  return { home, key };
}
