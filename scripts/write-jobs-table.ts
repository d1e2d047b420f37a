// Writes the table of jobs in docs/operating.md from what the jobs say of themselves.
// `node scripts/node.mjs scripts/write-jobs-table.ts`; a test compares the page with the jobs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jobWorkers } from '../workers/index.ts';
import { projectFolder } from './data-folder.mjs';

const page = join(projectFolder, 'docs', 'operating.md');

/** Head and line of the table, then its rows. */
const TABLE = /(?<=^\| Job \| When \| What it does \|\n\|---\|---\|---\|\n)(?:\|.*\n)*/m;

/** The page as it is, and as the jobs want it. */
export function jobsPage(): { present: string; wanted: string } {
  const present = readFileSync(page, 'utf8');
  if (!TABLE.test(present)) throw new Error('docs/operating.md has no table of jobs');
  const rows = jobWorkers.map(
    ({ definition: { name, when, does } }) => `| \`${name}\` | ${when} | ${does} |\n`,
  );
  return { present, wanted: present.replace(TABLE, () => rows.join('')) };
}

if (import.meta.main) writeFileSync(page, jobsPage().wanted);
