import { appendFile, readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportPaths } from '../../../src/governance/exports/progress-file.ts';
import { type ExportWorld, exportWorld, insertSnapshots } from './fixture.ts';

let world: ExportWorld;
let whole: Awaited<ReturnType<ExportWorld['run']>>;
const span = { what: 'snapshots', from: '2026-10-24', to: '2026-10-27' } as const;

beforeAll(async () => {
  world = await exportWorld();
  await insertSnapshots(world, span.from, span.to);
  whole = await world.run(span);
});
afterAll(() => world?.close());

/** Stops behind the first portion that fits. */
async function stoppedAt(file: string, isThere: (day: string, after: string | null) => boolean) {
  const stopping = new AbortController();
  const { report } = await world.run({
    ...span,
    file,
    signal: stopping.signal,
    onProgress: ({ day, after }) => {
      if (isThere(day, after)) stopping.abort();
    },
  });
  expect(report.isComplete).toBe(false);
  return report;
}

test('an export that was stopped within a day goes on there, and its file is that of one without a stop', async () => {
  const file = join(world.folder, 'stopped.csv');
  const first = await stoppedAt(file, (day, after) => day === '2026-10-24' && after !== null);
  await expect(stat(file)).rejects.toThrow('ENOENT');
  const second = await stoppedAt(file, (day) => day === '2026-10-25');
  expect(second.rowsBefore).toBe(first.rows);
  expect(first.rows).toBeGreaterThan(0);
  const { report } = await world.run({ ...span, file });
  expect(report).toEqual({ ...whole.report, rowsBefore: second.rows });
  expect(await readFile(file, 'utf8')).toBe(await readFile(whole.file, 'utf8'));
  for (const path of Object.values(exportPaths(file)).slice(1))
    await expect(stat(path)).rejects.toThrow('ENOENT');
});

test('a portion that was half written when the process died does not count', async () => {
  const file = join(world.folder, 'half.csv');
  await stoppedAt(file, (day) => day === '2026-10-24');
  await appendFile(exportPaths(file).text, 'ast_half,,dom_half,"never clo');
  await world.run({ ...span, file });
  expect(await readFile(file, 'utf8')).toBe(await readFile(whole.file, 'utf8'));
});

test('a text file that lost what the state counts is refused', async () => {
  const file = join(world.folder, 'short.csv');
  await stoppedAt(file, (day) => day === '2026-10-24');
  await truncate(exportPaths(file).text, 100);
  await expect(world.run({ ...span, file })).rejects.toThrow('is shorter than');
});

test('another request does not go on with a file, and a whole file is never written over', async () => {
  const file = join(world.folder, 'other.csv');
  await stoppedAt(file, (day) => day === '2026-10-24');
  const message = `belongs to an export with other organization ("${world.a.organization}", not "${world.b.organization}")`;
  await expect(world.run({ ...span, file, organization: world.b.organization })).rejects.toThrow(message);
  await expect(world.run({ ...span, file, to: '2026-10-26' })).rejects.toThrow('with other until');
  await world.run({ ...span, file });
  await expect(world.run({ ...span, file })).rejects.toThrow('exists already');
});
