import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { wholeCommandLine } from '../../src/cli/command-line.ts';
import { withCommandIo } from '../../src/cli/engine/io.ts';
import { collectingIo } from '../cli/command-line.ts';
import { codeFiles, projectFolder } from './project-files.ts';

/** Words of commands that only read. */
const READS = new Set([
  'list',
  'show',
  'status',
  'check',
  'history',
  'parse',
  'evaluate',
  'env',
  'mean',
  'weights',
  'deliveries',
  'attempts',
  'report',
  'deadlines',
  'verify',
  'heads',
  'reads',
  'zips',
  'key',
  'suggest',
  'completion',
  /* The lines of its file have reasons of their own. */
  'batch',
  'doctor',
]);
/** They fetch what the market publishes, and keep it with time and source; or send what a gateway sends, as its client. */
const FETCHES = new Set(['simulate', 'prices backfill', 'prices pull', 'prices replay']);

interface Verb {
  name: string;
  reason: 'required' | 'plain' | 'none';
}

function verbsOf(command: Command, before = ''): Verb[] {
  const name = `${before} ${command.name()}`.trim();
  if (command.commands.length > 0) return command.commands.flatMap((below) => verbsOf(below, name));
  const option = command.options.find(({ long }) => long === '--reason');
  if (option === undefined) return [{ name, reason: 'none' }];
  return [{ name, reason: option.mandatory ? 'required' : 'plain' }];
}

const changes = (name: string) => !READS.has(name.split(' ').at(-1) ?? '');

let verbs: Verb[];

beforeAll(async () => {
  /* Not that of a local start, where no reason is asked for. */
  await withCommandIo(collectingIo({ APP_ENV: 'test' }), async () => {
    verbs = (await wholeCommandLine()).commands.flatMap((noun) => verbsOf(noun));
  });
  expect(verbs.length).toBeGreaterThan(40);
});

test('every command takes a reason that changes something of an organization', () => {
  const without = verbs.filter(({ reason }) => reason === 'none').map(({ name }) => name);
  expect(without.filter((name) => !FETCHES.has(name) && changes(name))).toEqual([]);
});

test('docs/security.md names the commands whose reason is plain, and no other', () => {
  const page = readFileSync(join(projectFolder, 'docs/security.md'), 'utf8');
  const [, sentence = ''] = /except for these commands, which have a default: ([^.]+)\./.exec(page) ?? [];
  const named = [...sentence.matchAll(/`([a-z -]+)`/g)].map(([, name]) => name);
  const plain = verbs
    .filter(({ reason, name }) => reason === 'plain' && changes(name))
    .map(({ name }) => name);
  expect(named.sort()).toEqual(plain.sort());
});

test('every act of the audit log that the code names stands in a test', () => {
  const ACT =
    /\bact: (?:[^'`\n,]*\? )?'([a-z_]+\.[a-z_]+)'(?: : '([a-z_]+\.[a-z_]+)')?|\bACT = '([a-z_]+\.[a-z_]+)'/g;
  const acts = codeFiles('src', 'workers').flatMap(({ text }) =>
    [...text.matchAll(ACT)].flatMap(([, ...names]) => names.filter((name) => name !== undefined)),
  );
  expect(new Set(acts).size).toBeGreaterThan(70);
  const named = new Set(
    codeFiles('test').flatMap(({ text }) =>
      [...text.matchAll(/['"`]([a-z_]+\.[a-z_]+)\b/g)].map(([, name]) => name),
    ),
  );
  expect([...new Set(acts)].filter((act) => !named.has(act))).toEqual([]);
});
