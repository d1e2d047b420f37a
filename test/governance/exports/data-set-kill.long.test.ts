import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Manifest, manifestPath } from '../../../src/governance/exports/manifest.ts';
import { program } from '../../cli/command-process.ts';
import { nodeEnvironment } from '../../setup/node-environment.ts';
import { type ExportWorld, exportWorld, insertSnapshots } from './fixture.ts';

let world: ExportWorld;
beforeAll(async () => {
  world = await exportWorld();
  await insertSnapshots(world, '2026-06-25', '2026-07-05');
  await insertSnapshots(world, '2026-08-01', '2026-08-20');
});
afterAll(() => world?.close());

const MONTHS = ['2026-06', '2026-07', '2026-08'];
const KILLS = 16;
const NEVER = 300_000;

test('killed at any moment each file of a data set is the former one or the new one, whole, and named by the manifest', async () => {
  const folder = join(world.folder, 'killed');
  await mkdir(folder);
  const fileOf = (month: string) =>
    join(folder, 'snapshots', `organization=${world.a.organization}`, `month=${month}`, 'part-0.parquet');
  const args = ['export', 'snapshots', '--into', folder, '--from', '2026-06-01', '--to', '2026-09-01'];
  args.push('--organization', world.a.organization, '--reason', 'test');
  const env = { ...nodeEnvironment(), DATABASE_OWNER_URL: world.database.ownerUrl };

  /** Runs the command, for so long at most; gives how long it took, and whether it was killed. */
  async function run(milliseconds: number) {
    const begun = performance.now();
    const child = execFile(process.execPath, [program, ...args], { env });
    const over = new AbortController();
    const ended = once(child, 'exit').finally(() => over.abort());
    wait(milliseconds, null, { signal: over.signal }).then(
      () => child.kill('SIGKILL'),
      () => {},
    );
    const [code, signal] = await ended;
    if (signal === null) expect(code).toBe(0);
    return { milliseconds: performance.now() - begun, isKilled: signal === 'SIGKILL' };
  }

  const shaOf = (month: string) =>
    createHash('sha256')
      .update(readFileSync(fileOf(month)))
      .digest('hex');
  let killed = 0;
  const assertWhole = () => {
    if (!existsSync(manifestPath(folder, 'snapshots'))) {
      for (const month of MONTHS) expect(existsSync(fileOf(month))).toBe(false);
      return;
    }
    const { files, replacing } = JSON.parse(
      readFileSync(manifestPath(folder, 'snapshots'), 'utf8'),
    ) as Manifest;
    for (const month of MONTHS) {
      const named = [...files, ...(replacing === null ? [] : [replacing])].filter(
        (file) => file.month === month,
      );
      if (existsSync(fileOf(month))) expect(named.map(({ sha256 }) => sha256)).toContain(shaOf(month));
      else expect(files.filter((file) => file.month === month)).toEqual([]);
    }
  };

  let { milliseconds: whole } = await run(NEVER);
  assertWhole();
  for (let kill = 0; kill < KILLS; kill += 1) {
    /* All three months have another row each time. */
    await world.admin.query(
      `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
       SELECT a.key, t::timestamptz + $2 * interval '1 second', 1 FROM assets AS a,
              unnest(ARRAY['2026-06-30T12:00Z', '2026-07-03T12:00Z', '2026-08-03T12:00Z']) AS t WHERE a.id = $1`,
      ['ast_000000000000000000000001', kill + 1],
    );
    const { isKilled, milliseconds } = await run(whole * (0.3 + (0.7 * (kill + 0.5)) / KILLS));
    killed += Number(isKilled);
    /* The first one was slower than those that find everything read already. */
    if (!isKilled) whole = milliseconds;
    assertWhole();
  }
  expect(killed).toBeGreaterThan(KILLS / 4);
  expect((await run(NEVER)).isKilled).toBe(false);
  assertWhole();
  const { files, replacing } = JSON.parse(
    readFileSync(manifestPath(folder, 'snapshots'), 'utf8'),
  ) as Manifest;
  expect(replacing).toBeNull();
  expect(files.map(({ month, rows }) => [month, rows])).toEqual([
    ['2026-06', 25 * 6 * 96 + KILLS],
    ['2026-07', 25 * 5 * 96 + KILLS],
    ['2026-08', 25 * 20 * 96 + KILLS],
  ]);
});
