import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wholeCommandLine } from '../../src/cli/command-line.ts';
import { SHELLS, type Shell } from '../../src/cli/completion.ts';
import { withCommandIo } from '../../src/cli/io.ts';
import { collectingIo, runCommand } from './command-line.ts';

const environment = { APP_ENV: 'test' };
const hasShell = (shell: Shell) => spawnSync(shell, ['--version']).error === undefined;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'completion-'));
  await writeFile(join(folder, 'october.csv'), '');
  for (const shell of SHELLS) {
    const { exitCode, stdout, stderr } = await runCommand(environment, 'completion', shell);
    expect([exitCode, stderr]).toEqual([0, '']);
    await writeFile(join(folder, `script.${shell}`), stdout);
  }
});
afterAll(() => rm(folder, { recursive: true }));

/** What the shell offers for the last of these words; by line, sorted. */
async function offered(shell: Shell, words: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(shell, ['-c', ASK[shell], ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder },
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => line.split('\t')[0] ?? '').sort();
}

const BASH = `COMP_WORDS=(voltstream "$0" "$@"); COMP_CWORD=$(($# + 1)); _voltstream; printf '%s\\n' "\${COMPREPLY[@]}"`;

/** zsh runs the script of bash by bashcompinit, with arrays as bash has them, and leaves out what does not begin as typed. */
const ASK: Readonly<Record<Shell, string>> = {
  bash: `source script.bash; ${BASH}`,
  zsh: `compdef() { : }; source ./script.zsh; emulate ksh; ${BASH}`,
  fish: 'source script.fish; complete -C "voltstream $argv"',
};

const CASES: readonly (readonly [words: string[], offered: string[]])[] = [
  [['hous'], ['households']],
  [
    ['invoices', 'dunning', ''],
    ['help', 'resume', 'run', 'show', 'stop'],
  ],
  [
    ['invoices', 'list', '--status', ''],
    ['open', 'paid', 'taken_over', 'uncollectible', 'voided'],
  ],
  [['invoices', 'list', '--limit', '5', '--ty'], ['--type']],
  [['organizations', 'set-standing', 'org_1', 'past'], ['past_due']],
  [['usage', 'import', 'oct'], ['october.csv']],
  [['audit', 'verify', '--heads', 'oct'], ['october.csv']],
  [
    ['completion', ''],
    ['bash', 'fish', 'zsh'],
  ],
];

describe.each(SHELLS)('the script for %s', (shell) => {
  test.skipIf(!hasShell(shell)).each(CASES)(
    'completes %j (skipped where the shell is not installed)',
    async (words, expected) => {
      const begun = words.at(-1) ?? '';
      const found = (await offered(shell, words)).filter((word) => word.startsWith(begun));
      expect(found.filter((word) => begun !== '' || !word.startsWith('--'))).toEqual(expected);
    },
  );
});

test('bash is offered every command at its place', async () => {
  const missing: string[] = [];
  const visit = async (command: Command, path: readonly string[]): Promise<void> => {
    if (command.commands.length === 0) return;
    const found = await offered('bash', [...path, '']);
    const names = command.commands.map((below) => below.name());
    missing.push(...names.filter((name) => !found.includes(name)).map((name) => [...path, name].join(' ')));
    for (const below of command.commands) await visit(below, [...path, below.name()]);
  };
  await withCommandIo(collectingIo(environment), async () => visit(await wholeCommandLine(), []));
  expect(missing).toEqual([]);
}, 120_000);

test('another shell is not understood', async () => {
  const { exitCode, stderr } = await runCommand(environment, 'completion', 'tcsh');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
});
