// Writes docs/dictionary.md: what analysts find in the database, from its own comments.
// `node scripts/node.mjs scripts/write-dictionary.ts`; a test compares the file with a fresh database.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { type DictionaryEntry, readDictionary } from '../src/pages/docs/dictionary.ts';
import { withFreshDatabase } from '../test/setup/fresh-database.ts';
import { projectFolder } from './data-folder.mjs';

export const dictionaryFile = join(projectFolder, 'docs', 'dictionary.md');

const columnsOf = ({ columns }: DictionaryEntry) => [
  ...['', '| Column | Type | Unit | What |', '|---|---|---|---|'],
  ...columns.map(({ name, type, unit, comment }) => `| \`${name}\` | ${type} | ${unit} | ${comment} |`),
];

export async function dictionarySource(client: pg.ClientBase): Promise<string> {
  const entries = await readDictionary(client);
  const views = entries.filter((entry) => entry.arguments === null);
  const functions = entries.filter((entry) => entry.arguments !== null);
  const lines = [
    '# Dictionary of the analysts’ views',
    '',
    'Written from the database by scripts/write-dictionary.ts: not changed by hand. How to sign in and ask:',
    '[analysts.md](analysts.md).',
    '',
    '| View | What |',
    '|---|---|',
    ...views.map(({ name, comment }) => `| [${name}](#${name}) | ${comment} |`),
    ...views.flatMap((view) => ['', `## ${view.name}`, '', view.comment, ...columnsOf(view)]),
    ...['', '## Functions', '', '| Function | What |', '|---|---|'],
    ...functions.map(({ name, arguments: given, comment }) => `| \`${name}(${given})\` | ${comment} |`),
    ...functions
      .filter(({ columns }) => columns.length > 0)
      .flatMap((made) => ['', `### ${made.name}`, ...columnsOf(made)]),
  ];
  return `${lines.join('\n')}\n`;
}

if (import.meta.main) {
  await withFreshDatabase(async (client) => {
    await writeFile(dictionaryFile, await dictionarySource(client));
  });
}
