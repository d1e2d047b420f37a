import { join } from 'node:path';
import { projectFolder } from '../../../../scripts/data-folder.mjs';
import type { ServiceConfig } from '../../../config/config.ts';
import { systemClock } from '../../../platform/clock.ts';
import { csvProblemText } from '../../../platform/csv/csv.ts';
import { openDatabase } from '../../../platform/database/db.ts';
import { importFirstReferenceData } from '../../../tariffs/reference-data/files/import.ts';

/**
 * Fills the tables of reference data that have no row yet; what an operator imported later is left alone. Returns what is
 * to be said about it.
 */
export async function storeFirstReferenceData(config: ServiceConfig): Promise<string> {
  const database = openDatabase({
    url: config.DATABASE_URL,
    applicationName: 'voltstream-start',
    connectionsMax: 1,
    onError: () => {},
  });
  const act = {
    staff: 'npm start',
    reason: 'reference data of a local start',
    command: 'start',
    now: systemClock().now().toISOString(),
  };
  try {
    const report = await importFirstReferenceData(database, join(projectFolder, 'reference'), act);
    if (report === null) return 'reference data found';
    const [problem] = report.problems;
    if (problem !== undefined) throw new Error(csvProblemText(problem.file, problem));
    const rows = report.tables.reduce((sum, table) => sum + table.inserted, 0);
    return `reference data imported (${rows} rows)`;
  } finally {
    await database.close();
  }
}
