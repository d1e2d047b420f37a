// Writes into each file of sql/queries what it answers on the learning data, and the list of them into docs/queries.md.
// `node scripts/node.mjs scripts/write-query-samples.ts`; a test asks all of them again and compares.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { roleAddress } from '../src/platform/database/setup.ts';
import { withFreshDatabase } from '../test/setup/fresh-database.ts';
import { asLearningAnalyst, storeLearningData, sumLearningData } from '../test/setup/learning.ts';
import { type Answer, answerOf, type CookbookQuery, cookbook, SAMPLE_BEGINS } from './cookbook.ts';
import { projectFolder } from './data-folder.mjs';

const ROWS_SHOWN_MAX = 12;

/** The file with this answer as its sample. */
export function withSample({ head, statement }: CookbookQuery, { columns, rows }: Answer): string {
  const shown = [columns, ...rows.slice(0, ROWS_SHOWN_MAX)].map((row) => row.map((value) => value ?? ''));
  const widths = columns.map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  const isNumber = columns.map((_, column) => rows.every((row) => /^(-?[\d.]+)?$/.test(row[column] ?? '')));
  const line = (row: readonly string[]) =>
    row
      .map((value, column) =>
        isNumber[column] ? value.padStart(widths[column] ?? 0) : value.padEnd(widths[column] ?? 0),
      )
      .join(' | ');
  const [names = [], ...values] = shown;
  const table = [line(names), widths.map((width) => '-'.repeat(width)).join('-+-'), ...values.map(line)];
  const more = rows.length > ROWS_SHOWN_MAX ? `, the first ${ROWS_SHOWN_MAX}` : '';
  const title = `${SAMPLE_BEGINS}${rows.length} row${rows.length === 1 ? '' : 's'}${more}:`;
  return [head, '--', title, '--', ...table.map((row) => `--   ${row}`.trimEnd()), statement].join('\n');
}

export function cookbookPage(queries: readonly CookbookQuery[]): string {
  return [
    '# Questions and their queries',
    '',
    'Written by scripts/write-query-samples.ts from [sql/queries](../sql/queries): not changed by hand. Each file says what it',
    'answers and shows what it answers on the [learning data](analysts.md#questions-and-learning-data). Its parameters stand in the first',
    'lines, under `params`: `first_day` is asked about, `end_day` no longer. It runs as it is in psql, a notebook and Grafana:',
    '',
    '    npm run -s db -- psql --as learner -f sql/queries/02-self-consumption-and-autarky.sql',
    '',
    'For other data copy a file and change its `params`: days are those of the learning data, 02 names one of its households, and 27 its',
    'zip. Only 31 has no rows there: no receiver was ever sent anything. The demo (`--as analyst`) has rows once one was there and',
    'something happened: [try it](webhooks.md#try-it). How far to believe an answer: [trust](trust.md).',
    '',
    '| Question | Query |',
    '|---|---|',
    ...queries.map(({ name, question }) => `| ${question} | [${name}](../sql/queries/${name}.sql) |`),
    '',
  ].join('\n');
}

/** Path from the project's folder, and what should stand there. */
async function cookbookFiles(client: pg.ClientBase): Promise<(readonly [string, string])[]> {
  const queries = await cookbook();
  const files: (readonly [string, string])[] = [['docs/queries.md', cookbookPage(queries)]];
  for (const query of queries) {
    files.push([`sql/queries/${query.name}.sql`, withSample(query, await answerOf(client, query))]);
  }
  return files;
}

if (import.meta.main) {
  await withFreshDatabase(async (_client, url, { databaseAdminUrl, passwords }) => {
    const name = new URL(url).pathname.slice(1);
    const address = (role: 'app' | 'owner' | 'maintenance') =>
      roleAddress(databaseAdminUrl, name, role, passwords[role]);
    await storeLearningData({ appUrl: address('app') });
    await sumLearningData({ maintenanceUrl: address('maintenance') });
    for (const [path, text] of await asLearningAnalyst(address('owner'), cookbookFiles)) {
      await writeFile(join(projectFolder, path), text);
    }
  });
}
