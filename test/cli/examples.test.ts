import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { projectFolder } from '../../scripts/data-folder.mjs';
import { wholeCommandLine } from '../../src/cli/command-line.ts';
import { databaseProgram } from '../../src/cli/database-command-line.ts';
import { withCommandIo } from '../../src/cli/engine/io.ts';
import { runProgram } from '../../src/cli/engine/program.ts';
import { collectingIo, runCommand, runDatabaseCommand } from './command-line.ts';

/* Not a local start, where no reason is asked for: examples are complete. */
const environment = { APP_ENV: 'test' };

interface Leaf {
  path: string[];
  command: Command;
}

function leavesBelow(command: Command, path: string[] = []): Leaf[] {
  if (command.commands.length === 0) return [{ path, command }];
  return command.commands.flatMap((below) => leavesBelow(below, [...path, below.name()]));
}

/** As a shell takes them apart. `…` behind the beginning of an id stands for the rest of it. */
function wordsOf(example: string): string[] {
  const [command = ''] = example.replaceAll('_…', `_${'0'.repeat(24)}`).split(/ (?:>>?|<) /);
  const words = command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g);
  return [...words].map(([, single, double, bare]) => single ?? double ?? bare ?? '');
}

const programs = [
  ['npm run cli --', wholeCommandLine, runCommand],
  ['npm run db --', async () => databaseProgram(), runDatabaseCommand],
] as const;

describe.each(programs)('each command of %s', (typed, programOf, runIt) => {
  const examples: { path: string; example: string }[] = [];
  let program: Command;
  let leaves: Leaf[] = [];

  beforeAll(async () => {
    await withCommandIo(collectingIo(environment), async () => {
      program = await programOf();
      leaves = leavesBelow(program);
    });
    for (const { path } of leaves) {
      const { stdout } = await runIt(environment, ...path, '--help');
      const [, below = ''] = stdout.split('\nExamples:\n');
      const lines = below.trimEnd().split('\n');
      for (const line of lines) examples.push({ path: path.join(' '), example: line.trim() });
    }
  });

  test('says of a day at which a span ends that it is not part of it', () => {
    const rules: Record<string, RegExp> = {
      '--to': /not part of it/,
      '--until': /not part of it/,
      '--end': /not part of it/,
      '--end-on': /first day without/,
      '--valid-until': /no longer/,
    };
    const silent = leaves.flatMap(({ path, command }) =>
      command.options
        .filter(({ long, description }) => rules[long ?? '']?.test(description) === false)
        .map(({ long, description }) => [...path, long, description].join(' ')),
    );
    expect(silent).toEqual([]);
  });

  test('has two examples in its help, different ones, of itself', () => {
    const wrong = leaves
      .map(({ path }) => path.join(' '))
      .filter((path) => {
        const own = examples.filter((found) => found.path === path).map(({ example }) => example);
        const isOwn = own.every((example) => `${example} `.startsWith(`${typed} ${path} `));
        return own.length !== 2 || own[0] === own[1] || !isOwn;
      });
    expect(leaves.length).toBeGreaterThan(3);
    expect(wrong).toEqual([]);
  });

  test('is understood as its examples are typed', async () => {
    const refused: string[] = [];
    let reached = '';
    for (const leaf of leaves) {
      leaf.command.action(() => {
        reached = leaf.path.join(' ');
      });
    }
    for (const { path, example } of examples) {
      reached = '';
      const io = collectingIo(environment);
      await withCommandIo(io, async () => {
        await runProgram(program, wordsOf(example.slice(typed.length))).catch(() => {});
        if (reached !== path) refused.push(`${example}: ${io.stderr.text}`);
      });
    }
    expect(refused).toEqual([]);
  });
});

/** A command with an option and its value, behind any of the ways in which one is called. */
const WRITTEN =
  /(?:npm run (?:-s )?cli --|\bcli|src\/cli\/main\.ts) ([a-z][^`\n]* --[a-z][\w-]* [^-\s`][^`\n]*)/g;

test('commands of the documents have each option that must be there', async () => {
  let leaves: Leaf[] = [];
  await withCommandIo(collectingIo(environment), async () => {
    leaves = leavesBelow(await wholeCommandLine());
  });
  const names = readdirSync(join(projectFolder, 'docs')).filter((name) => name.endsWith('.md'));
  const written = ['README.md', ...names.map((name) => `docs/${name}`)].flatMap((page) => {
    const text = readFileSync(join(projectFolder, page), 'utf8').replaceAll(/\\\n */g, '');
    return [...text.matchAll(WRITTEN)].map(([, words = '']) => ({ page, words }));
  });
  const missing = written.flatMap(({ page, words }) => {
    const leaf = leaves.find(({ path }) => `${words} `.startsWith(`${path.join(' ')} `));
    const lacking = leaf?.command.options.filter(
      ({ mandatory, long }) => mandatory && !words.includes(`${long}`),
    );
    return (lacking ?? []).map(({ long }) => `${page}: ${words} lacks ${long}`);
  });
  expect(written.length).toBeGreaterThan(15);
  expect(missing).toEqual([]);
});

test('remedies of doctor and of alarms have each option that must be there, also where the program is not written out', async () => {
  let leaves: Leaf[] = [];
  await withCommandIo(collectingIo(environment), async () => {
    leaves = leavesBelow(await wholeCommandLine());
  });
  const doctor = 'src/cli/doctor';
  const files = readdirSync(join(projectFolder, doctor)).map((name) => `${doctor}/${name}`);
  const missing: string[] = [];
  let found = 0;
  for (const file of [...files, 'docs/metrics.md']) {
    const text = readFileSync(join(projectFolder, file), 'utf8');
    for (const { path, command } of leaves) {
      const needed = command.options.filter(({ mandatory }) => mandatory).map(({ long }) => `${long}`);
      const mentions =
        path.length === 1 ? [] : text.matchAll(new RegExp(`\\b${path.join(' ')}\\b[^;,.'\`]*`, 'g'));
      for (const [words] of mentions) {
        found += 1;
        for (const option of needed)
          if (!words.includes(option)) missing.push(`${file}: ${words} lacks ${option}`);
      }
    }
  }
  expect(missing).toEqual([]);
  expect(found).toBeGreaterThan(15);
});

test('a group of commands shows examples of its first two', async () => {
  const { stdout } = await runCommand(environment, 'webhooks', '--help');
  expect(stdout).toMatch(
    /\nExamples:\n {2}npm run cli -- webhooks create .+\n {2}npm run cli -- webhooks list\n$/,
  );
});
