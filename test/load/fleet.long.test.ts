import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FleetProgress, runFleet } from '../../src/cli/simulation/fleet.ts';
import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import { createHousehold, createTenant, type TestClient } from '../setup/factories.ts';

describe('the simulated fleet', () => {
  let api: TestApi;
  let client: TestClient;
  let households: string[];

  beforeAll(async () => {
    api = await startApi();
    const tenant = await createTenant(api);
    client = tenant.client;
    const created = [];
    for (let number = 0; number < 3; number += 1) {
      created.push(await createHousehold(api.deps, tenant.organization));
    }
    households = created.map(({ household }) => household);
  });
  afterAll(() => api.close());

  /** Runs the fleet until `isEnough`, then interrupts it as Ctrl-C does. */
  async function runUntil(
    isEnough: (progress: FleetProgress) => boolean,
    daysBack: number,
  ): Promise<FleetProgress> {
    const interrupted = new AbortController();
    return await runFleet({
      baseUrl: api.baseUrl,
      clientId: client.client_id,
      clientSecret: client.client_secret,
      households,
      minutes: 5,
      daysBack,
      signal: interrupted.signal,
      onProgress: (progress) => {
        if (isEnough(progress)) interrupted.abort();
      },
    });
  }

  async function storedRows() {
    const { rows } = await withDatabaseClient(api.database.adminUrl, (database) =>
      database.query<{ rows: string; assets: string; seconds: number }>(
        'SELECT count(*) AS rows, count(DISTINCT asset_id) AS assets, extract(epoch FROM now() - max(timestamp))::float8 AS seconds FROM asset_snapshots',
      ),
    );
    return { rows: Number(rows[0]?.rows), assets: Number(rows[0]?.assets), seconds: rows[0]?.seconds ?? 0 };
  }

  test('makes its devices, catches up with the past in full batches, then reports every second', async () => {
    const begun = await runUntil(({ rowsStored }) => rowsStored > 0, 60);
    expect(begun).toMatchObject({ phase: 'ended', errors: 0, rowsDuplicate: 0 });
    expect((await storedRows()).assets).toBeLessThanOrEqual(21);

    /* What the interrupted run had stored is sent again, unchanged, and counts as duplicates. */
    let rowsWhenLive = 0;
    const second = await runUntil(({ phase, rowsStored }) => {
      if (phase === 'live' && rowsWhenLive === 0) rowsWhenLive = rowsStored;
      return phase === 'live' && rowsStored >= rowsWhenLive + 42;
    }, 2);
    expect(second).toMatchObject({ phase: 'ended', errors: 0 });
    const stored = await storedRows();
    expect(stored.assets).toBe(21);
    expect(stored.rows).toBeGreaterThanOrEqual(3 * 7 * 2 * 1440);
    expect(stored.seconds).toBeLessThan(120);

    /* A third run goes on behind the newest snapshot: nothing is sent twice. */
    const third = await runUntil(({ phase, rowsStored }) => phase === 'live' && rowsStored > 0, 2);
    expect(third).toMatchObject({ rowsDuplicate: 0, errors: 0 });
    expect(third.rowsStored).toBeLessThan(3000);
  });

  test('an interrupted run sends the same values again: they are duplicates, not contradictions', async () => {
    const [first] = households;
    households = first === undefined ? [] : [first];
    await withDatabaseClient(api.database.adminUrl, (database) =>
      database.query("DELETE FROM asset_snapshots WHERE timestamp > now() - interval '25 hours'"),
    );
    const progress = await runUntil(({ phase }) => phase === 'live', 2);
    expect(progress.errors).toBe(0);
    expect(progress.rowsDuplicate).toBeGreaterThan(0);
    expect(progress.rowsStored).toBeGreaterThan(0);
  });

  test('credentials that are refused end it with a sentence instead of endless tries', async () => {
    const options = {
      baseUrl: api.baseUrl,
      clientId: client.client_id,
      clientSecret: 'wrong',
      households,
      minutes: 1,
      signal: new AbortController().signal,
      onProgress: () => {},
    };
    await expect(runFleet(options)).rejects.toThrow('Token refused with 401');
  });
});
