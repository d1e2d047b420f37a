import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeEnvironment } from '../setup/node-environment.ts';
import { program } from './command-process.ts';

/* A pseudo terminal of `script` (util-linux): whether there is a pager, colour, and how wide a line is. */

const MONDAY_MILLISECONDS = Date.UTC(2026, 10, 15, 23);
const ESCAPE = '\u001b[';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'terminal-'));
  const series = Array.from({ length: 96 }, (_, index) => [MONDAY_MILLISECONDS + index * 900_000, index]);
  await writeFile(
    join(folder, 'day.json'),
    JSON.stringify({ meta_data: { version: 1, created: 1 }, series }),
  );
  await writeFile(join(folder, 'pager'), `#!/bin/sh\ncat > ${folder}/paged; echo by the pager\n`);
  await chmod(join(folder, 'pager'), 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

interface Terminal {
  lines?: number;
  columns?: number;
  environment?: Record<string, string>;
  input?: string;
}

/** What the terminal showed of `prices parse`, whose table has 97 lines. */
async function shown(
  options: string,
  { lines = 24, columns = 80, environment = {}, input = '' }: Terminal = {},
) {
  await rm(join(folder, 'paged'), { force: true });
  const typed = `stty rows ${lines} cols ${columns}; ${process.execPath} ${program} prices parse ${folder}/day.json --source smard ${options} ${input}`;
  const { stdout } = await promisify(execFile)('script', ['-qec', typed, '/dev/null'], {
    env: { ...nodeEnvironment(), TERM: 'xterm', PAGER: join(folder, 'pager'), ...environment },
  });
  return { stdout, paged: await readFile(join(folder, 'paged'), 'utf8').catch(() => null) };
}

describe('a list that is longer than the terminal', () => {
  test('is shown by the pager that the environment names', async () => {
    const { stdout, paged } = await shown('');
    expect(paged?.split('\n').length).toBeGreaterThan(97);
    expect(stdout.trim()).toBe('by the pager');
  });

  test('is written at once where it fits, with --no-pager, without a pager, and where nobody types', async () => {
    for (const { stdout, paged } of [
      await shown('', { lines: 200 }),
      await shown('--no-pager'),
      await shown('', { environment: { PAGER: '' } }),
      await shown('', { input: '< /dev/null' }),
    ]) {
      expect(paged).toBeNull();
      expect(stdout).toContain('eur_mwh');
    }
  });

  test('is whole in a pipe: no pager, no colour, no line cut', async () => {
    const { stdout, paged } = await shown('| cat', { columns: 20 });
    expect(paged).toBeNull();
    expect(stdout).not.toContain(ESCAPE);
    expect(stdout).toContain('2026-11-15T23:00:00Z  0');
  });
});

test('headings have a colour on a terminal, and none where NO_COLOR says so', async () => {
  expect((await shown('--no-pager')).stdout).toContain(`${ESCAPE}1mstart`);
  expect((await shown('--no-pager', { environment: { NO_COLOR: '1' } })).stdout).not.toContain(ESCAPE);
  expect((await shown('--help --no-pager')).stdout).toContain(`${ESCAPE}1mOptions:`);
});
