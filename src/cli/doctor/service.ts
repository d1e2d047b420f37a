import { sql } from 'kysely';
import { DateTime } from 'luxon';
import { countPlannedReminders } from '../../billing/dunning/queries.ts';
import { countNewEntries } from '../../billing/payments/entry-queries.ts';
import { listSilentFiles } from '../../billing/payments/file-queries.ts';
import type { CommandLineConfig } from '../../config/config.ts';
import { listEndpointSecrets } from '../../events/endpoints/queries.ts';
import { listEndpoints } from '../../events/endpoints/read.ts';
import { listSealProblems } from '../../governance/audit-log/queries.ts';
import { listSealedKeys, listSigningKeys } from '../../identity/oauth/keys/queries.ts';
import { STANDINGS_AT_WORK } from '../../identity/organizations/queries.ts';
import { organizations } from '../../identity/organizations/service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { countRuns } from '../../platform/jobs/queries.ts';
import { type SealedKind, unseal } from '../../platform/sealed.ts';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { addDays, deliveryDayAt } from '../../spot-prices/calendar.ts';
import { findDay, type PriceDay, shownState } from '../../spot-prices/queries.ts';
import { listOpenAlarms, type OpenAlarm } from '../../spot-prices/store/alarms.ts';
import { findNewestCompleteDay } from '../../spot-prices/upkeep/day-queries.ts';
import { latenessAt } from '../../spot-prices/upkeep/lateness.ts';
import { listRowEnds, lookedAheadTo } from '../../tariffs/reference-data/gauges.ts';
import { daysBetween } from '../../tariffs/reference-data/validity.ts';
import { BEHIND_SECONDS_MAX, delays, LATE_SECONDS_MAX } from '../../telemetry/quarter-hours/gauges.ts';
import { findProgress } from '../../telemetry/quarter-hours/queries.ts';
import { BACKUP_RUN } from '../backup/backup.ts';
import { type Check, type Finding, failure, ok, warning } from './check.ts';

/* Whether what runs by itself does: what the worker shows as metrics, asked once. */

interface Parts {
  readonly config: CommandLineConfig;
  readonly database: Database;
  readonly clock: Clock;
}

const ASK_AGAIN = 'Run npm run cli -- doctor again; the log of PostgreSQL says what it refused.';

export function serviceChecks(parts: Parts): Check[] {
  const check = (name: string, look: (parts: Parts) => Promise<Finding | readonly Finding[]>): Check => ({
    name,
    remedy: ASK_AGAIN,
    look: () => look(parts),
  });
  return [
    check('prices', lookAtPrices),
    check('reference data', lookAtReferenceData),
    check('jobs', lookAtJobs),
    check('quarter hours', lookAtQuarterHours),
    check('webhooks', lookAtWebhooks),
    check('bank statements', lookAtStatements),
    check('reminders', lookAtReminders),
    check('keys', lookAtKeys),
    check('audit log', lookAtAuditLog),
    check('backups', lookAtBackups),
  ];
}

const ZONE = 'DE-LU';
const ALARMS_SHOWN = 3;

async function lookAtPrices({ database, clock }: Parts): Promise<readonly Finding[]> {
  const now = clock.nowMilliseconds();
  const today = deliveryDayAt(now);
  const tomorrow = addDays(today, 1);
  const read = await database.asService(async (connection) => ({
    today: await findDay(connection, ZONE, today),
    tomorrow: await findDay(connection, ZONE, tomorrow),
    newest: await findNewestCompleteDay(connection, ZONE),
    alarms: await listOpenAlarms(connection),
  }));
  const alarms: SeenAlarm[] = read.alarms.slice(0, ALARMS_SHOWN);
  for (const alarm of alarms) {
    const { zone, delivery_on: day } = alarm;
    if (day !== null) alarm.known = await database.asService((connection) => findDay(connection, zone, day));
  }
  const pull = (day: string) =>
    `npm run cli -- prices status --date ${day} says what the feeds answered, prices pull --date ${day} asks them now.`;
  const ofDay = (day: string, known: PriceDay | undefined) =>
    known?.is_held_back
      ? {
          is: 'held back',
          remedy: `npm run cli -- prices status --date ${day} says why; prices release --date ${day} --reason TEXT serves them, prices prefer --date ${day} --source SOURCE --reason TEXT those of another source.`,
        }
      : { is: shownState(known), remedy: pull(day) };
  const [ofToday, ofTomorrow] = [ofDay(today, read.today), ofDay(tomorrow, read.tomorrow)];
  return [
    read.today?.state === 'complete'
      ? ok(`the newest complete day is ${read.newest}`)
      : failure(`the prices of today, ${today}, are ${ofToday.is}`, ofToday.remedy),
    ...(read.tomorrow?.state === 'complete' || latenessAt(tomorrow, now) === 'normal'
      ? []
      : [
          warning(
            `the prices of tomorrow, ${tomorrow}, are due since 15:00 and ${ofTomorrow.is}`,
            ofTomorrow.remedy,
          ),
        ]),
    ...(read.alarms.length === 0
      ? []
      : [
          warning(
            `${read.alarms.length} alarms stand: ${alarms.map(({ id, detail }) => `${id}: ${detail}`).join('; ')}`,
            `npm run cli -- prices status shows all; ${alarms.map(endOf).join('; ')}.`,
          ),
        ]),
  ];
}

interface SeenAlarm extends OpenAlarm {
  known?: PriceDay | undefined;
}

/** What a person does about it. Resolved alone, those about stored prices come again. */
function endOf({ id, kind, delivery_on: day, known }: SeenAlarm): string {
  const prefer = (source: string) => `prices prefer --date ${day} --source ${source} --reason TEXT`;
  if (kind === 'disagreement' || kind === 'clock_change') return `${prefer('SOURCE')} ends ${id}`;
  if (kind !== 'suspect') return `prices resolve --alarm ${id} --reason TEXT ends ${id}`;
  const why = `prices status --date ${day} says why`;
  const release = `prices release --date ${day} --reason TEXT`;
  return known?.state === 'complete' && known.served_source !== null
    ? `${why}, ${prefer(known.served_source)} keeps what is served and ends ${id}, ${release} instead only if what is held back is right`
    : `${why}, ${release} serves them and ends ${id}, ${prefer('SOURCE')} serves those of another source`;
}

/** So early figures of the next year can be looked for. */
const REFERENCE_DAYS_LEFT = 14;

async function lookAtReferenceData({ database, clock }: Parts): Promise<readonly Finding[]> {
  const on = berlinDayAt(clock.nowMilliseconds());
  const by = lookedAheadTo(on);
  const ends = await database.asService((connection) => listRowEnds(connection, { on, by }));
  const remedy = `npm run cli -- tariffs check --date ${by} names each; tariffs import brings new rows.`;
  const lacking = ends.filter(({ keys }) => keys > 0).map(({ table, keys }) => `${table} ${keys}`);
  const soon = ends.flatMap(({ table, ends_on, keys }) =>
    keys === 0 && ends_on !== null && daysBetween(on, ends_on) < REFERENCE_DAYS_LEFT
      ? [`${table} on ${ends_on}`]
      : [],
  );
  const found = [
    ...(lacking.length > 0
      ? [warning(`without a row on ${by}: ${lacking.join(', ')} (keys that are used)`, remedy)]
      : []),
    ...(soon.length > 0 ? [warning(`rows end without another: ${soon.join(', ')}`, remedy)] : []),
  ];
  return found.length > 0 ? found : [ok(`complete on ${by}`)];
}

/** Jobs that run every minute leave a row each time. */
const WORKER_SILENT_SECONDS = 300;

async function lookAtJobs({ database, clock }: Parts): Promise<readonly Finding[]> {
  const now = clock.nowMilliseconds();
  const { counts, finishedAt } = await database.asService(async (connection) => ({
    counts: await countRuns(connection, now),
    finishedAt: await findNewestFinish(connection),
  }));
  const listed = (of: 'waiting' | 'failed') =>
    counts.filter((row) => row[of] > 0).map((row) => `${row.job} ${row[of]}`);
  const [dead, waiting] = [listed('failed'), listed('waiting')];
  const silent =
    finishedAt === null ? null : Math.round((now - DateTime.fromISO(finishedAt).toMillis()) / 1_000);
  const due = waiting.length === 0 ? 'nothing is due' : `due: ${waiting.join(', ')}`;
  return [
    silent !== null && silent <= WORKER_SILENT_SECONDS
      ? ok(`the last run ended ${silent} s ago; ${due}`)
      : failure(
          `no run has ended ${finishedAt === null ? 'yet' : `since ${finishedAt}`}; ${due}`,
          'Start the worker (node workers/main.ts); its log says why it does nothing.',
        ),
    ...(dead.length === 0
      ? []
      : [
          warning(
            `given up: ${dead.join(', ')}`,
            'npm run cli -- jobs list shows the errors; jobs retry NUMBER --reason TEXT starts one anew when its cause is gone.',
          ),
        ]),
  ];
}

/** Looks at the runs that belong to no organization: some of the worker's end every minute. */
async function findNewestFinish(connection: Connection): Promise<string | null> {
  const { rows } = await sql<{ finished_at: string }>`
    SELECT finished_at FROM job_runs WHERE state IN ('done', 'failed') AND job <> ${BACKUP_RUN}
     ORDER BY finished_at DESC LIMIT 1`.execute(connection);
  return rows[0]?.finished_at ?? null;
}

const ENTRIES_COUNTED_MAX = 100_000;

async function lookAtQuarterHours({ database, clock }: Parts): Promise<Finding> {
  const progress = await database.asService((connection) => findProgress(connection, ENTRIES_COUNTED_MAX));
  const { behind, late } = delays(progress, clock.nowMilliseconds());
  const found = `summed until ${progress.summed_until ?? 'now: nothing was stored yet'}; ${progress.late_entries} late entries wait`;
  if ((behind ?? 0) <= BEHIND_SECONDS_MAX && late <= LATE_SECONDS_MAX) return ok(found);
  return warning(
    found,
    'npm run cli -- jobs list names failed runs of sum-quarter-hours; storage status shows how it goes on.',
  );
}

const SHOWN_MAX = 3;

const shown = (names: readonly string[]) =>
  `${names.slice(0, SHOWN_MAX).join(', ')}${names.length > SHOWN_MAX ? ` and ${names.length - SHOWN_MAX} more` : ''}`;

async function lookAtWebhooks({ database }: Parts): Promise<readonly Finding[]> {
  const failing: string[] = [];
  const closed: string[] = [];
  let all = 0;
  for (const { id, standing } of await organizations(database)) {
    if (standing === 'deleted') continue;
    for (const endpoint of await listEndpoints(database, id)) {
      all += 1;
      if (endpoint.disabled_at !== null && endpoint.disabled_reason !== 'operator') closed.push(endpoint.id);
      else if (endpoint.disabled_at === null && endpoint.failing_since !== null) failing.push(endpoint.id);
    }
  }
  const found = [
    ...(failing.length > 0
      ? [
          warning(
            `receivers that fail: ${shown(failing)}`,
            'npm run cli -- webhooks attempts ENDPOINT EVENT shows what they answer; tell their contacts.',
          ),
        ]
      : []),
    ...(closed.length > 0
      ? [
          warning(
            `receivers that were switched off because they failed: ${shown(closed)}`,
            'npm run cli -- webhooks test ENDPOINT, then webhooks enable ENDPOINT --reason TEXT, then webhooks resend ENDPOINT --failed --reason TEXT.',
          ),
        ]
      : []),
  ];
  return found.length > 0 ? found : [ok(`receivers: ${all}, none fails`)];
}

const FILE_SILENT_DAYS = 7;

/** An import stores a statement and then books it. Where jobs wait with the organization, so does what they would book. */
async function lookAtStatements({ database, clock }: Parts): Promise<readonly Finding[]> {
  const day = addDays(berlinDayAt(clock.nowMilliseconds()), -FILE_SILENT_DAYS);
  const [waiting, silent]: [string[], string[]] = [[], []];
  for (const { id, standing } of await organizations(database)) {
    if (!STANDINGS_AT_WORK.includes(standing)) continue;
    await database.inOrganization({ organization: id }, async (connection) => {
      const entries = await countNewEntries(connection, id);
      if (entries > 0) waiting.push(`${entries} of ${id}`);
      silent.push(...(await listSilentFiles(connection, id, day)));
    });
  }
  const found: Finding[] = [];
  if (waiting.length > 0)
    found.push(
      warning(
        `movements that are not booked: ${waiting.join(', ')}; an import is at work, or ended early`,
        'npm run cli -- invoices dunning run --organization ID --reason TEXT books them, as the next import does; payments list --what new --organization ID shows them.',
      ),
    );
  if (silent.length > 0)
    found.push(
      warning(
        `more than ${FILE_SILENT_DAYS} days behind their day the bank has not reported all of ${shown(silent)}`,
        'npm run cli -- payments import reads the statements since then. Where the bank never had the file: payments withdraw-file FILE --reason TEXT; of a single bill: invoices fail ID --reason TEXT.',
      ),
    );
  return found.length > 0
    ? found
    : [ok('every imported movement was looked at, and every file for the bank answered')];
}

/** A mail leaves in the run that plans it, or in that of the next day. What follows it waits for it. */
async function lookAtReminders({ database, clock }: Parts): Promise<Finding> {
  const today = berlinDayAt(clock.nowMilliseconds());
  let [waiting, first] = [0, today];
  for (const { id, standing } of await organizations(database)) {
    if (!STANDINGS_AT_WORK.includes(standing)) continue;
    const { reminders, since } = await database.inOrganization({ organization: id }, (connection) =>
      countPlannedReminders(connection, id),
    );
    waiting += reminders;
    if (since !== null && since < first) first = since;
  }
  if (first >= addDays(today, -1)) return ok(`${waiting} wait for their mail`);
  return warning(
    `${waiting} wait for their mail, the first since ${first}: their bills get no further one and are not given up`,
    'Set SMTP_URL for the worker; what the mail server refuses is in its log. Without mail write letters, and give a bill up by npm run cli -- invoices uncollectible ID --reason TEXT.',
  );
}

const DAY_SECONDS = 86_400;
/** A key is made anew by the next request for a token. */
const ROTATION_DAYS_LATE = 7;

async function lookAtKeys(parts: Parts): Promise<readonly Finding[]> {
  const { database, clock, config } = parts;
  const now = clock.now().toISOString();
  const rows = await database.asService((connection) => listSigningKeys(connection, now));
  const signing = rows.find((row) => row.signs);
  if (signing === undefined)
    return [
      failure('no key signs access tokens', 'Start the API, or run npm run cli -- keys list: both make one.'),
    ];
  const closed = await listClosed(parts);
  if (closed.length > 0)
    return [
      failure(
        `ENCRYPTION_KEY does not open ${shown(closed)}`,
        'Add the key that sealed them, as NEW,OLD: without it they are not to be opened.',
      ),
    ];
  const days = Math.floor(signing.age_seconds / DAY_SECONDS);
  const limit = config.SIGNING_KEY_DAYS;
  const found = `${signing.kid} signs since ${days} days`;
  if (limit === 0 || days <= limit + ROTATION_DAYS_LATE) return [ok(found)];
  return [
    warning(
      `${found}, SIGNING_KEY_DAYS is ${limit}`,
      'npm run cli -- keys rotate --reason TEXT changes it; the log of the API says why it did not.',
    ),
  ];
}

/** Everything that is sealed and that no key given here opens. */
async function listClosed({ database, config }: Parts): Promise<string[]> {
  const isClosed = (kind: SealedKind, boundTo: string, sealed: Buffer | null) => {
    try {
      if (sealed !== null) unseal(config.ENCRYPTION_KEY, kind, boundTo, sealed);
      return false;
    } catch {
      return true;
    }
  };
  const keys = await database.asService(listSealedKeys);
  const closed = keys
    .filter(({ kid, private_key_encrypted }) => isClosed('signing-key', kid, private_key_encrypted))
    .map(({ kid }) => `the signing key ${kid}`);
  for (const { id: organization } of await organizations(database)) {
    const endpoints = await database.inOrganization({ organization }, (connection) =>
      listEndpointSecrets(connection, organization),
    );
    for (const { id, secret, previous_secret } of endpoints)
      if ([secret, previous_secret].some((sealed) => isClosed('webhook-secret', id, sealed)))
        closed.push(`the secrets of ${id}`);
  }
  return closed;
}

async function lookAtAuditLog({ database }: Parts): Promise<Finding> {
  const problems = await database.asService(listSealProblems);
  if (problems.length === 0) return ok('every seal fitted when it was compared last');
  return failure(
    `seals that do not fit: ${problems.map(({ day }) => day).join(', ')}`,
    'Somebody changed the log: npm run cli -- audit verify, then "Audit log" of docs/operating.md.',
  );
}

const BACKUP_DAYS_OLD = 7;

interface Backups {
  takenAt: string | null;
  /** Of the write-ahead log. */
  archiving: string;
  archivedAt: string | null;
}

async function lookAtBackups({ database, clock }: Parts): Promise<Finding> {
  return judgeBackups(await database.asService(findBackups), clock.nowMilliseconds());
}

/** Base backups of other tools are not known here. Where the log is archived, they are what counts. */
export function judgeBackups({ takenAt, archiving, archivedAt }: Backups, now: number): Finding {
  const daysSince = (instant: string) =>
    Math.floor((now - DateTime.fromISO(instant).toMillis()) / (DAY_SECONDS * 1_000));
  const isRecent = (instant: string | null) => instant !== null && daysSince(instant) <= BACKUP_DAYS_OLD;
  const newest =
    takenAt === null
      ? 'none of npm run db -- backup is known'
      : `the newest one is of ${takenAt}, ${daysSince(takenAt)} days ago`;
  const archived = archivedAt === null ? '' : `; the write-ahead log was archived last ${archivedAt}`;
  const found = `${newest}${archived}${archivedAt !== null && archiving === 'off' ? ', and is not any more' : ''}`;
  if (isRecent(takenAt) || (archiving !== 'off' && isRecent(archivedAt))) return ok(found);
  return warning(found, 'npm run db -- backup FOLDER makes one; let it run every night.');
}

/** Runs that belong to nobody have a lane with nothing behind the name of the job; by it the newest is found at once. */
async function findBackups(connection: Connection): Promise<Backups> {
  const { rows } = await sql<Backups>`
    SELECT (SELECT started_at FROM job_runs WHERE lane = ${`${BACKUP_RUN} `} AND started_at IS NOT NULL
             ORDER BY started_at DESC LIMIT 1) AS "takenAt",
           current_setting('archive_mode') AS archiving,
           last_archived_time AS "archivedAt"
      FROM pg_stat_archiver`.execute(connection);
  return rows[0] ?? { takenAt: null, archiving: 'off', archivedAt: null };
}
