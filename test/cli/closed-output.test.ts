import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeEnvironment } from '../setup/node-environment.ts';
import { program } from './command-process.ts';

const MONDAY_MILLISECONDS = Date.UTC(2026, 10, 15, 23);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'closed-output-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('a reader that leaves early, as head does, is no failure of the command', async () => {
  const file = join(folder, 'week.json');
  const series = Array.from({ length: 96 }, (_, index) => [MONDAY_MILLISECONDS + index * 900_000, index]);
  await writeFile(file, JSON.stringify({ meta_data: { version: 1, created: 1 }, series }));
  const child = spawn(process.execPath, [program, 'prices', 'parse', file, '--source', 'smard', '--json'], {
    env: nodeEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  const [said, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([exitCode, said]).toEqual([0, '']);
});
