import pg from 'pg';
import type { WorkerConfig } from '../../config/config.ts';
import type { ExportName } from '../../config/export-names.ts';
import { organization as findOrganization } from '../../identity/organizations/service.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, openDatabase } from '../../platform/database/db.ts';
import { SQLSTATE } from '../../platform/database/pg-errors.ts';
import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import type { StaffAct } from '../../platform/staff-act.ts';
import { addDays, addMonths, berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { writeDataSet } from './data-set.ts';
import { exportKind } from './kinds.ts';
import { findOrganizationOfAccount } from './queries.ts';

interface NightlyParts {
  config: Pick<
    WorkerConfig,
    'DATA_SETS_FOLDER' | 'DATA_SETS_ACCOUNTS' | 'DATA_SETS_WHAT' | 'DATA_SETS_MONTHS'
  >;
  /** As the service: for the audit log. */
  database: Database;
  clock: Clock;
}

/**
 * Keeps the data sets in DATA_SETS_FOLDER up to date. It reads as analysts do, each account the views of its organization:
 * the worker knows no password of the owner. Killed anywhere it has done no harm, and the next run does the rest.
 */
export async function writeDataSets(
  { config, database, clock }: NightlyParts,
  run: Pick<JobRun, 'signal' | 'closing' | 'log'>,
): Promise<JobResult> {
  const folder = config.DATA_SETS_FOLDER;
  if (folder === undefined) return { configured: false };
  const today = berlinDayAt(clock.nowMilliseconds());
  const [from, to] = [addMonths(today, 1 - config.DATA_SETS_MONTHS), addDays(today, 1)];
  const act: StaffAct = {
    staff: 'worker',
    command: 'write-data-sets',
    reason: 'nightly data set',
    now: clock.now().toISOString(),
  };
  const done = { written: 0, unchanged: 0, kept: 0, rows: 0, shut_out: 0 };
  const signal = AbortSignal.any([run.signal, run.closing]);
  /* Prices are the same for all: the first account that comes to its end reads them. */
  const sharedDone = new Set<ExportName>();
  const failures: unknown[] = [];
  for (const url of config.DATA_SETS_ACCOUNTS) {
    const reading = openAccount(url, (error) => run.log.warn({ err: error }, 'database connection lost'));
    try {
      const organization = await reading.asService(findOrganizationOfAccount);
      if (organization === null) throw new Error('The account reads the views of no organization');
      const { forecast_enabled } = await findOrganization(database, organization);
      const kinds = config.DATA_SETS_WHAT.filter(
        (what) => !sharedDone.has(what) && (forecast_enabled || !exportKind(what).isForecast),
      );
      for (const what of kinds) {
        const task = { folder, what, organization, from, to, signedIn: 'analyst', signal } as const;
        const report = await writeDataSet({ reading, database, clock }, task, act);
        done.written += report.written.length;
        done.unchanged += report.unchanged.length;
        done.kept += report.kept.length;
        done.rows += report.rows;
      }
      for (const what of kinds) if (exportKind(what).key === undefined) sharedDone.add(what);
    } catch (error) {
      if (isShutOut(error)) {
        run.log.warn({ account: new URL(url).username }, 'no data set: the organization is switched off');
        done.shut_out += 1;
      } else {
        run.log.error({ err: error, account: new URL(url).username }, 'a data set was not written');
        failures.push(error);
      }
    } finally {
      await reading.close();
    }
    signal.throwIfAborted();
  }
  const unseen = config.DATA_SETS_WHAT.filter((what) => exportKind(what).isForecast && !sharedDone.has(what));
  if (failures.length === 0 && unseen.length > 0) {
    run.log.warn({ what: unseen }, 'no data set: forecasts are enabled for no organization of an account');
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `For ${failures.length} accounts data sets were not written`);
  return done;
}

/**
 * The account is there, its password is right, and it may not sign in: as with its organization. No retry changes that. The same
 * routine refuses one whose connections are all in use, with another code.
 */
function isShutOut(error: unknown): boolean {
  return error instanceof pg.DatabaseError
    ? error.code === SQLSTATE.signInRefused && error.routine === 'InitializeSessionUserId'
    : error instanceof Error && isShutOut(error.cause);
}

function openAccount(url: string, onError: (error: Error) => void): Database {
  return openDatabase({
    url,
    applicationName: 'voltstream-data-sets',
    connectionsMax: 1,
    connectTimeoutMilliseconds: 10_000,
    onError,
  });
}
