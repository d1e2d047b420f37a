import { afterAll, beforeAll, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { engine } from '../setup/engine.ts';
import {
  type SnapshotApi,
  type SnapshotHousehold,
  startSnapshotApi,
} from '../telemetry/snapshots/snapshot-api.ts';
import { type StandIn, startStandIn } from './stand-in.ts';

/** The service on the SQL for Citus: on Citus itself where the run has it, else on a stand-in of one node (stand-in.ts). */
export interface OnCitus {
  readonly database: TestDatabase;
  readonly citus: SnapshotApi;
}

/** Beside it on TimescaleDB. */
export interface BothEngines extends OnCitus {
  readonly timescale: SnapshotApi;
}

/** Starts them for the tests of a file, and gives tests of the first, and of both. */
export function bothEngines(name: string) {
  let standIn: StandIn | null = null;
  let own: TestDatabase | undefined;
  let started: OnCitus | undefined;
  let timescale: SnapshotApi | undefined;

  beforeAll(async () => {
    own = await createTestDatabase();
    if (engine === 'citus') {
      started = { database: own, citus: await startSnapshotApi({}, own) };
      return;
    }
    standIn = await startStandIn();
    if (standIn === null) return;
    const database = await standIn.createDatabase(name);
    started = { database, citus: await startSnapshotApi({}, database) };
    timescale = await startSnapshotApi({}, own);
  }, 120_000);

  afterAll(async () => {
    await started?.citus.close();
    await timescale?.close();
    await own?.drop();
    await standIn?.stop();
  });

  return {
    onCitus: (title: string, work: (service: OnCitus) => Promise<void>) =>
      test(title, async ({ skip }) => {
        if (started === undefined) return skip('needs a server that can have the stand-in');
        await work(started);
      }),
    onBoth: (title: string, work: (engines: BothEngines) => Promise<void>) =>
      test(title, async ({ skip }) => {
        if (started === undefined) return skip('needs a server that can have the stand-in');
        if (timescale === undefined) return skip('the servers of this run have no TimescaleDB beside Citus');
        await work({ ...started, timescale });
      }),
  };
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
