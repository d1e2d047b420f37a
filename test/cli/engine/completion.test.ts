import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wholeCommandLine } from '../../../src/cli/command-line.ts';
import { SHELLS, type Shell } from '../../../src/cli/engine/completion.ts';
import { withCommandIo } from '../../../src/cli/engine/io.ts';
import { collectingIo, runCommand } from '../command-line.ts';

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

/**
 * What the shell offers for the last word of each of these lines; sorted. A process of it is started once for all of them, and
 * reads the script once.
 */
async function offered(shell: Shell, lines: readonly (readonly string[])[]): Promise<string[][]> {
  const { begin, ask } = SHELL_CODE[shell];
  const code = [begin, ...lines.map((words) => `${ask(words)}; echo =`)].join('\n');
  const { stdout } = await promisify(execFile)(shell, ['-c', code], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder },
  });
  const answers = stdout.split('=\n').slice(0, -1);
  expect(answers).toHaveLength(lines.length);
  return answers.map((text) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t')[0] ?? '')
      .sort(),
  );
}

const askBash = (words: readonly string[]) =>
  `COMP_WORDS=(voltstream ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; COMPREPLY=(); ` +
  `_voltstream; printf '%s\\n' "\${COMPREPLY[@]}"`;

/** zsh runs the script of bash by bashcompinit, with arrays as bash has them, and leaves out what does not begin as typed. */
const SHELL_CODE: Readonly<Record<Shell, { begin: string; ask(words: readonly string[]): string }>> = {
  bash: { begin: 'source script.bash', ask: askBash },
  zsh: { begin: 'compdef() { : }; source ./script.zsh; emulate ksh', ask: askBash },
  fish: { begin: 'source script.fish', ask: (words) => `complete -C "voltstream ${words.join(' ')}"` },
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
  const isMissing = !hasShell(shell);
  let answers: string[][];
  beforeAll(async () => {
    if (isMissing) return;
    answers = await offered(
      shell,
      CASES.map(([words]) => words),
    );
  });

  test.skipIf(isMissing).each(CASES)(
    'completes %j (skipped where the shell is not installed)',
    (words, expected) => {
      const begun = words.at(-1) ?? '';
      const at = CASES.findIndex(([line]) => line === words);
      const found = answers[at]?.filter((word) => word.startsWith(begun)) ?? [];
      expect(found.filter((word) => begun !== '' || !word.startsWith('--'))).toEqual(expected);
    },
  );
});

test('bash is offered every command at its place', async () => {
  const groups: { path: readonly string[]; names: string[] }[] = [];
  const visit = (command: Command, path: readonly string[]): void => {
    if (command.commands.length === 0) return;
    groups.push({ path, names: command.commands.map((below) => below.name()) });
    for (const below of command.commands) visit(below, [...path, below.name()]);
  };
  await withCommandIo(collectingIo(environment), async () => visit(await wholeCommandLine(), []));
  const answers = await offered(
    'bash',
    groups.map(({ path }) => [...path, '']),
  );
  const missing = groups.flatMap(({ path, names }, index) =>
    names.filter((name) => !answers[index]?.includes(name)).map((name) => [...path, name].join(' ')),
  );
  expect(groups.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

test('another shell is not understood', async () => {
  const { exitCode, stderr } = await runCommand(environment, 'completion', 'tcsh');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
});
