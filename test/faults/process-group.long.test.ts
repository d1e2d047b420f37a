import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { startApi } from '../setup/api.ts';
import { startApiProcess } from '../setup/api-process.ts';
import { createTestDatabase } from '../setup/database.ts';
import { createAsset, createHousehold, createTenant } from '../setup/factories.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { startGateways } from './gateways.ts';
import { startLedgerRun } from './ledger-run.ts';
import {
  isAlive,
  memberPids,
  OF_SIZE,
  onNewConnection,
  SIZE,
  type StartedGroup,
  startGroup,
  untilMembers,
} from './process-group.ts';

/* Several processes of the API at one port: what becomes of them, of their requests and of what they accepted. */

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (let close = open.pop(); close !== undefined; close = open.pop()) await close();
});

async function group(changes: Record<string, string> = {}): Promise<StartedGroup> {
  const started = await startGroup(changes);
  open.push(started.close);
  return started;
}

test('F01 one of two processes is killed again and again under load: the other goes on, it is replaced, nothing acknowledged is lost', async () => {
  const database = await createTestDatabase();
  open.push(database.drop);
  const run = await startLedgerRun(database, undefined, OF_SIZE);
  open.push(run.close);
  const primary = run.api();
  await run.drive(6);
  for (let strike = 1; strike <= 3; strike += 1) {
    const target = (await run.acknowledged()) + 40;
    while ((await run.acknowledged()) < target) await wait(5);
    const pid = memberPids(primary).filter(isAlive)[strike % SIZE] ?? 0;
    process.kill(pid, 'SIGKILL');
    /* Before there is another one: by the one that is left. */
    const before = await run.acknowledged();
    await untilMembers(primary, SIZE + strike);
    expect(await run.acknowledged()).toBeGreaterThan(before);
  }
  const findings = await run.finish();
  expect(findings).toMatchObject({ lost: [], partial: [], storedThoughRefused: [], strangers: 0 });
  expect(findings.acknowledged).toBeGreaterThan(120);
  expect(primary.child.exitCode).toBeNull();
  const said = primary.lines.filter(({ msg }) => msg === 'API process ended, another one takes its place');
  expect(said.map(({ signal }) => signal)).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL']);
});

test.each([
  ['the primary process alone', false],
  ['every process at once, as a terminal sends it', true],
])('SIGTERM under load to %s: every request is answered, all end with 0', async (_words, toAll) => {
  const { api, primary, url } = await group({ SHUTDOWN_DELAY_SECONDS: '1' });
  const { organization, token } = await createTenant(api);
  const home = await createHousehold(api.deps, organization);
  const asset = await createAsset(api.deps, organization, home, { type: 'heat_pump' });
  const { signal } = new AbortController();
  const { household } = home;
  const order = { token, household, asset: asset.id, url: () => url, signal, untilClosed: true };
  const { tally, ended } = startGateways(order);
  while (tally.acknowledged < 200) await wait(5);
  for (const pid of toAll ? memberPids(primary) : []) process.kill(pid, 'SIGTERM');
  primary.child.kill('SIGTERM');
  await ended;
  expect(await primary.ended).toEqual({ code: 0, signal: null });
  expect(tally.failures).toEqual([]);
  const [row] = await storedRows<{ count: string }>(
    api,
    'SELECT count(*) FROM asset_snapshots WHERE asset_id = $1',
    [asset.key],
  );
  expect(Number(row?.count)).toBe(tally.acknowledged);
  expect(primary.lines.filter(({ msg }) => msg === 'shutdown complete')).toHaveLength(SIZE + 1);
  await expect(fetch(`${url}/livez`)).rejects.toThrow();
});

test('a process that is ended in order by SIGTERM is replaced, and no request fails meanwhile', async () => {
  const { primary, url } = await group();
  const [first = 0] = memberPids(primary);
  process.kill(first, 'SIGTERM');
  const statuses = new Set<number>();
  const asking = untilMembers(primary, SIZE + 1).then(() => 'replaced');
  while ((await Promise.race([asking, wait(5, 'waiting')])) === 'waiting') {
    statuses.add((await onNewConnection(`${url}/livez`)).status);
  }
  expect([...statuses]).toEqual([200]);
  expect(isAlive(first)).toBe(false);
});

test('the primary process is killed: the others end with it, and the port is free', async () => {
  const { primary, url } = await group();
  const pids = memberPids(primary);
  primary.child.kill('SIGKILL');
  await primary.ended;
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  await expect(fetch(`${url}/livez`)).rejects.toThrow();
});

test('/readyz is 503 until all processes are there for the first time', async () => {
  const api = await startApi();
  open.push(api.close);
  const primary = startApiProcess(api, { API_PROCESSES: '3', DATABASE_CONNECTIONS_MAX: '12' });
  open.push(primary.kill);
  const { url } = await primary.line('API process ready');
  const ready = async () => {
    const answer = await onNewConnection(`${url}/readyz`);
    return { ...((await answer.json()) as { reasons: string[] }), status: answer.status };
  };
  expect(await ready()).toEqual({
    status: 503,
    reasons: [expect.stringMatching(/^[12] of 3 API processes/)],
  });
  await primary.line('API ready');
  expect(primary.oddLines).toEqual([]);
  await expect.poll(ready).toEqual({ status: 200, reasons: [] });
});

test('while one of two processes is missing the other one serves: /readyz stays 200', async () => {
  const { primary, url } = await group();
  const ready = async () => (await onNewConnection(`${url}/readyz`)).status;
  expect(await ready()).toBe(200);
  process.kill(memberPids(primary)[0] ?? 0, 'SIGKILL');
  await primary.line('API process ended, another one takes its place');
  expect(await ready()).toBe(200);
  await untilMembers(primary, SIZE + 1);
  expect(await ready()).toBe(200);
});

test('processes that end at once, again and again, end the whole with a clear line and exit code 1', async () => {
  const { primary } = await group();
  let ends = 0;
  for (let known = SIZE; primary.child.exitCode === null; known += 1) {
    const newest = memberPids(primary).findLast(isAlive);
    if (newest !== undefined) {
      process.kill(newest, 'SIGKILL');
      ends += 1;
    }
    await Promise.race([untilMembers(primary, known + 1).catch(() => {}), primary.ended]);
  }
  expect((await primary.ended).code).toBe(1);
  expect(primary.lines.map(({ msg }) => msg)).toContain('API processes end at once, again and again');
  expect(ends).toBeGreaterThanOrEqual(6);
});

test('what is wrong with the database or the port is said by one process, and the exit code is 1', async () => {
  const api = await startApi();
  open.push(api.close);
  const empty = await createTestDatabase({ empty: true });
  open.push(empty.drop);
  for (const [changes, words] of [
    [{ DATABASE_URL: empty.appUrl }, /npm run db/],
    [{ PORT: new URL(api.baseUrl).port }, /EADDRINUSE/],
  ] as const) {
    const started = startApiProcess(api, { ...OF_SIZE, ...changes });
    open.push(started.kill);
    expect(await started.ended).toEqual({ code: 1, signal: null });
    const failed = started.lines.filter(({ msg }) => msg === 'start failed');
    expect(failed).toHaveLength(1);
    expect(JSON.stringify(failed)).toMatch(words);
  }
});
