import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { program } from '../../cli/command-process.ts';
import { nodeEnvironment } from '../../setup/node-environment.ts';
import { type ExportWorld, exportWorld, insertSnapshots } from './fixture.ts';

let world: ExportWorld;
beforeAll(async () => {
  world = await exportWorld();
  await insertSnapshots(world, '2026-10-20', '2026-10-26');
});
afterAll(() => world?.close());

test('an export whose process is killed is gone on with by the same command', async () => {
  await insertSnapshots(world, '2026-09-01', '2026-09-30');
  const long = { what: 'snapshots', from: '2026-09-01', to: '2026-10-27' } as const;
  const whole = await world.run(long);
  const file = join(world.folder, 'killed.csv');
  const args = [
    'export',
    'snapshots',
    '--from',
    long.from,
    '--to',
    long.to,
    '--format',
    'csv',
    '--output',
    file,
  ];
  args.push('--organization', world.a.organization, '--reason', 'test', '--json');
  const env = { ...nodeEnvironment(), DATABASE_OWNER_URL: world.database.ownerUrl };
  const child = execFile(process.execPath, [program, ...args], { env });
  const ended = once(child, 'exit');
  /* The first line of progress: something is written, and much is left. */
  await once(child.stderr as NodeJS.ReadableStream, 'data');
  const other = world.run({ ...long, file });
  await expect(other).rejects.toThrow(`Process ${child.pid} writes`);
  child.kill('SIGKILL');
  expect((await ended)[1]).toBe('SIGKILL');
  const { report } = await world.run({ ...long, file });
  expect(report.rows).toBe(whole.report.rows);
  expect(report.rowsBefore).toBeGreaterThan(0);
  expect(report.rowsBefore).toBeLessThan(report.rows);
  expect(await readFile(file, 'utf8')).toBe(await readFile(whole.file, 'utf8'));
});
