// Writes the table of jobs in docs/operating.md from what the jobs say of themselves.
// `node scripts/node.mjs scripts/write-jobs-table.ts`; a test compares the page with the jobs.
import { jobWorkers } from '../workers/index.ts';
import { type WrittenPage, withTable, writeOperatingPage } from './operating-table.ts';

export function jobsPage(): WrittenPage {
  const rows = jobWorkers.map(({ definition: { name, when, does } }) => [`\`${name}\``, when, does]);
  return withTable(['Job', 'When', 'What it does'], rows);
}

if (import.meta.main) writeOperatingPage(jobsPage());
