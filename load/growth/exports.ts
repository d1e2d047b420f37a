import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { dataFolder } from '../../scripts/data-folder.mjs';
import { startProcess } from '../../src/cli/local/processes.ts';
import { addDays, berlinDayAt } from '../../src/platform/time/berlin-calendar.ts';
import { type MemorySample, watchMemory } from '../measure/memory.ts';
import type { Report } from '../measure/report.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import type { Surroundings } from '../surroundings/service.ts';

const WHAT = ['snapshots', 'energy'] as const;
const FORMATS = ['csv', 'parquet'] as const;
/** The first run of an export is killed after so long; a second one goes on. */
const KILLED_AFTER_SECONDS = 10;

type What = (typeof WHAT)[number];
type Format = (typeof FORMATS)[number];

/** `cli export` of all that is stored, killed once: its speed, its memory, and whether the file is whole. */
export async function exportAll(
  surroundings: Surroundings,
  report: Report,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<void> {
  const folder = await mkdtemp(join(dataFolder, 'load', 'exports-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const growths: number[] = [];
  for (const what of WHAT) {
    const stored = await countStored(surroundings, what);
    for (const format of FORMATS) {
      say(`exporting ${what} as ${format}`);
      const run = { what, format, file: join(folder, `${what}.${format}`), folder, stored };
      const exported = await exportOne(surroundings, run);
      report.details[`export of ${what} as ${format}`] = exported;
      say(JSON.stringify(exported));
      if (exported.rows !== stored.rows || exported.rows_in_file !== stored.rows) {
        report.problems.push(`${what}.${format}: ${exported.rows_in_file} rows instead of ${stored.rows}`);
      }
      if (exported.memory_growth !== null) growths.push(exported.memory_growth);
      await rm(run.file);
    }
  }
  if (growths.length > 0) report.judge('E1', Math.max(...growths));
}

interface StoredSpan {
  rows: number;
  from: string;
  /** The day behind the last one. */
  to: string;
}

async function countStored({ database }: Surroundings, what: What): Promise<StoredSpan> {
  const [table, at] =
    what === 'snapshots' ? ['asset_snapshots', 'timestamp'] : ['asset_quarter_hours', 'start'];
  const { rows } = await database.query<{ rows: number; first: number; last: number }>(
    `SELECT count(*)::float8 AS rows, extract(epoch FROM min(${at}))::float8 AS first,
            extract(epoch FROM max(${at}))::float8 AS last FROM ${table}`,
  );
  const { rows: count = 0, first = 0, last = 0 } = rows[0] ?? {};
  return { rows: count, from: berlinDayAt(first * 1000), to: addDays(berlinDayAt(last * 1000), 1) };
}

interface ExportRun {
  what: What;
  format: Format;
  file: string;
  folder: string;
  stored: StoredSpan;
}

async function exportOne(surroundings: Surroundings, run: ExportRun) {
  const killed = await runExport(surroundings, run, KILLED_AFTER_SECONDS);
  const { said, seconds, samples } = killed.said === null ? await runExport(surroundings, run) : killed;
  if (said === null) throw new Error(`The export of ${run.what} ended early; its log: ${logOf(run)}`);
  return {
    rows: said.rows,
    rows_before_the_kill: said.rows_of_earlier_runs,
    rows_in_file: await rowsOf(run),
    rows_per_second: Math.round((said.rows - said.rows_of_earlier_runs) / seconds),
    gigabytes: Math.round((await stat(run.file)).size / 1e7) / 100,
    memory_megabytes_max: Math.round(Math.max(...samples.map(({ bytes }) => bytes)) / 1e6),
    memory_growth: growthOf(samples),
  };
}

interface ExportSummary {
  rows: number;
  rows_of_earlier_runs: number;
}

const logOf = ({ folder, what, format }: ExportRun) => join(folder, `${what}-${format}.log`);

/** What the command printed in the end; null where it was killed. */
async function runExport(
  { ownerUrl = '', organization }: Surroundings,
  run: ExportRun,
  killedAfterSeconds?: number,
): Promise<{ said: ExportSummary | null; seconds: number; samples: MemorySample[] }> {
  const { what, format, file, stored } = run;
  const logFile = logOf(run);
  await rm(logFile, { force: true });
  const begun = performance.now();
  const command = startProcess({
    name: `Export (${what})`,
    program: 'src/cli/main.ts',
    parameters: [
      ...['export', what, '--organization', organization, '--from', stored.from, '--to', stored.to],
      ...['--format', format, '--output', file, '--reason', 'load run', '--json'],
    ],
    environment: { DATABASE_OWNER_URL: ownerUrl },
    logFile,
  });
  const stopWatching = watchMemory({ pid: command.pid, baseUrl: '' });
  const over = new AbortController();
  if (killedAfterSeconds !== undefined) {
    wait(killedAfterSeconds * 1000, null, { signal: over.signal }).then(
      () => process.kill(command.pid, 'SIGKILL'),
      () => {},
    );
  }
  await command.ended;
  over.abort();
  const samples = stopWatching();
  const seconds = (performance.now() - begun) / 1000;
  if (command.exitCode() !== 0) {
    if (command.exitCode() === null) return { said: null, seconds, samples };
    throw new Error(`The export failed: ${await readFile(logFile, 'utf8')}`);
  }
  const [json = '{}'] = /^\{[\s\S]*\}$/m.exec(await readFile(logFile, 'utf8')) ?? [];
  return { said: JSON.parse(json) as ExportSummary, seconds, samples };
}

/** Lines behind the heading, or what the file itself says. */
async function rowsOf({ file, format }: ExportRun): Promise<number> {
  if (format === 'parquet') {
    const duckDb = await DuckDBInstance.create(':memory:');
    const connection = await duckDb.connect();
    const found = await connection.runAndReadAll(`SELECT count(*)::double FROM '${file}'`);
    connection.closeSync();
    duckDb.closeSync();
    return Number(found.getRows()[0]?.[0]);
  }
  let lines = 0;
  for await (const piece of createReadStream(file, { highWaterMark: 1 << 20 })) {
    for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) lines += 1;
  }
  return lines - 1;
}

const SAMPLES_MIN = 40;

/** The most of the second half against the most of the first: sealing a part of a Parquet file takes more for a moment. */
function growthOf(samples: readonly MemorySample[]): number | null {
  if (samples.length < SAMPLES_MIN) return null;
  const middle = Math.floor(samples.length / 2);
  const most = (part: readonly MemorySample[]) => Math.max(...part.map(({ bytes }) => bytes));
  return most(samples.slice(middle)) / most(samples.slice(0, middle));
}
