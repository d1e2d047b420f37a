import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import type { Findings } from '../../load/measure/ledger.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { startOwnServer } from '../setup/own-server.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { type LedgerRun, startLedgerRun } from './ledger-run.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (let close = open.pop(); close !== undefined; close = open.pop()) await close();
});

async function ledgerOn(database: TestDatabase, databaseUrl?: string): Promise<LedgerRun> {
  const run = await startLedgerRun(database, databaseUrl);
  open.push(run.close);
  return run;
}

/** Until the service has acknowledged this many batches more. */
async function untilAcknowledged(run: LedgerRun, more: number): Promise<void> {
  const target = (await run.acknowledged()) + more;
  while ((await run.acknowledged()) < target) await wait(5);
}

function expectNothingLost(findings: Findings): void {
  expect(findings).toMatchObject({ lost: [], partial: [], storedThoughRefused: [], strangers: 0 });
}

/** The list shows the newest of what is stored, after everything that happened. */
async function expectNewestList(run: LedgerRun, adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const { rows } = await client.query<{ asset: string; milliseconds: string }>(
    `SELECT a.id AS asset, (extract(epoch FROM max(s.timestamp)) * 1000)::bigint AS milliseconds
       FROM asset_snapshots s JOIN assets a ON a.key = s.asset_id GROUP BY a.id`,
  );
  await client.end();
  const households = run.fleet.households.map((home) => home.household).join(',');
  const answer = await fetch(`${run.baseUrl}/asset-snapshots?limit=100&filter[household][in]=${households}`, {
    headers: { authorization: `Bearer ${run.token}`, 'x-api-version': '2026-09-08.gauss' },
  });
  const { items } = (await answer.json()) as { items: { asset: string; timestamp: string }[] };
  const shown = Object.fromEntries(items.map((item) => [item.asset, Date.parse(item.timestamp)]));
  expect(shown).toEqual(Object.fromEntries(rows.map((row) => [row.asset, Number(row.milliseconds)])));
}

test('F01 the API is killed again and again in the middle of a load: no acknowledged batch is lost, none is partial', async () => {
  const database = await createTestDatabase();
  open.push(database.drop);
  const run = await ledgerOn(database);
  await run.drive(6);
  for (let strike = 0; strike < 4; strike += 1) {
    await untilAcknowledged(run, 40);
    await wait(randomInt(0, 200));
    await run.killApi();
  }
  await untilAcknowledged(run, 20);
  const findings = await run.finish();
  expectNothingLost(findings);
  expect(findings.acknowledged).toBeGreaterThan(180);
  /* The kills did strike: requests were under way. */
  expect(findings.unknown).toBeGreaterThanOrEqual(4);
  await expectNewestList(run, database.adminUrl);
});

test('F02 the API is killed between COMMIT and its answer: the same body again is 200 and adds no row', async () => {
  const database = await createTestDatabase();
  open.push(database.drop);
  const proxy = await startDatabaseProxy(database.appUrl);
  open.push(proxy.close);
  const run = await ledgerOn(database, proxy.url);
  const { household, assets } = run.fleet.households[0] ?? { household: '', assets: [] };
  const send = (begin: number, count: number) =>
    fetch(`${run.baseUrl}/asset-snapshots`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${run.token}`,
        'content-type': 'application/json',
        'x-api-version': '2026-09-08.gauss',
      },
      body: JSON.stringify({
        household,
        snapshots: Array.from({ length: count }, (_, index) => ({
          asset: assets[0]?.id,
          timestamp: new Date(run.fleet.beginMilliseconds + begin + index).toISOString(),
          power_kw: index / 100,
        })),
      }),
    });
  proxy.fault = 'hold-answer-of-commit';
  /* On a busy machine the service may turn a request away: only that is sent again. */
  const outcome = async () => {
    for (;;) {
      const status = await send(0, 500).then(
        (answer) => answer.status,
        () => 'cut',
      );
      if (status !== 503) return status;
    }
  };
  const first = outcome();
  const struck = proxy.committed().then(() => 'struck');
  expect(await Promise.race([struck, first])).toBe('struck');
  await run.killApi();
  expect(await first).toBe('cut');
  const again = () => send(0, 500).then((answer) => answer.json());
  await expect.poll(again, { interval: 100 }).toMatchObject({ total: 500, stored: 0, duplicates: 500 });
});

test('F03 F34 the database is killed under six writers: nothing is lost, the API stays up and serves again by itself', async (context) => {
  const server = await startOwnServer({ name: 'faults' });
  if (server === null) return context.skip('needs a server whose processes can be killed');
  open.push(server.remove);
  const run = await ledgerOn(server.database);
  const { pid } = run.api();
  await run.drive(6);
  for (let strike = 0; strike < 3; strike += 1) {
    await untilAcknowledged(run, 60);
    await wait(randomInt(0, 300));
    await server.kill();
    await server.start();
    const back = performance.now();
    await untilAcknowledged(run, 1);
    /* Alone it takes less than 10 s. */
    expect(performance.now() - back).toBeLessThan(60_000);
  }
  /* Frozen for a moment, then awake again. */
  await server.signalBackends('SIGSTOP');
  await wait(1_000);
  await server.signalBackends('SIGCONT');
  await untilAcknowledged(run, 60);

  const findings = await run.finish();
  expectNothingLost(findings);
  expect(findings.acknowledged).toBeGreaterThan(240);
  expect(findings.unknown).toBeGreaterThanOrEqual(3);
  expect(run.api().pid).toBe(pid);
  expect(run.api().child.exitCode).toBeNull();
  await expectNewestList(run, server.database.adminUrl);
});
