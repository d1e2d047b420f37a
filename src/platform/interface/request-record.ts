import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Insertable, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Connection, Database } from '../database/db.ts';
import { SQLSTATE, sqlState } from '../database/pg-errors.ts';
import type { Tables } from '../database/tables.ts';
import type { ErrorEntry } from '../errors.ts';
import type { Logger } from '../log/logger.ts';
import type { Metrics } from '../metrics.ts';
import type { Tenant } from '../principal.ts';
import { apiRouteOf } from './request-context.ts';

const GROUP_MILLISECONDS = 1_000;
/**
 * The log has at most so many refused and as many other requests of an organization in a minute. Further ones are in the
 * sums of their day only. A fleet that sends a thousand requests a second would otherwise fill 2.6 billion rows a month.
 */
const ROWS_OF_MINUTE_MAX = 1_200;
const ROWS_MAX = 5_000;
/** `2026-11-20T10:17`, and up to its hour. */
const MINUTE_CHARACTERS = 16;
const HOUR_CHARACTERS = 13;
const PROBLEMS_MAX = 3;
/** The status of a request whose caller left before it had the whole answer. nginx writes the same; nothing refused it. */
export const LEFT = 499;
/** A path of ours is shorter; a member that nobody knows has any name. */
const FIELD_CHARACTERS_MAX = 100;

type LoggedRow = Omit<Insertable<Tables['request_log']>, 'organization_id' | 'problems'> &
  Pick<FastifyRequest, 'problems'>;

interface RequestSums {
  requests: number;
  refused: number;
  rows_stored: number;
}

interface OrganizationGroup {
  rows: LoggedRow[];
  /** By minute, `2026-11-20T10:17Z`. */
  minutes: Map<string, RequestSums>;
}

export interface RequestRecords {
  /** Apart from the answer: what was stored counts also where its caller left, or was told that it took too long. */
  countStored(sender: Tenant, rows: number): void;
}

interface RequestRecordParts {
  clock: Clock;
  database: Database;
  log: Logger;
  metrics: Metrics;
  /** Adds a step for the end of the process, when all requests were answered. */
  atClose(step: () => Promise<void>): void;
}

export function isRefused(status: number): boolean {
  return status >= 400 && status !== LEFT;
}

/** What the log keeps of a refusal: where and which rule, never a value. */
export function problemsOf(entries: readonly ErrorEntry[]): FastifyRequest['problems'] {
  if (entries.length === 0) return null;
  return entries.slice(0, PROBLEMS_MAX).map(({ code, field }) => ({
    code,
    field: field.slice(0, FIELD_CHARACTERS_MAX).replaceAll(/[\p{Cc}\p{Cs}]/gu, '�'),
  }));
}

/**
 * Keeps each request of a known client, for the console of its organization. Outside the transaction of the request and
 * behind its answer, which waits for nothing: a group each second, and a transaction for each organization. Requests that do
 * not fit into the log, or come while the database is away, are left out and counted. Sums of all requests by minute and day
 * wait for the database, by hour then.
 */
export function installRequestRecords(app: FastifyInstance, parts: RequestRecordParts): RequestRecords {
  const { clock, database, log } = parts;
  const losses = parts.metrics.counter(
    'request_log_losses_total',
    'Requests that the request log of the console has no row of',
  );
  let groups = new Map<string, OrganizationGroup>();
  let rowsHeld = 0;
  /** By organization and outcome, in the minute that runs. */
  let rowsOfMinute = new Map<string, number>();
  let minute = '';
  let writing: Promise<void> | null = null;

  function groupOf(organization: string): OrganizationGroup {
    const found = groups.get(organization);
    if (found !== undefined) return found;
    const made = { rows: [], minutes: new Map() };
    groups.set(organization, made);
    return made;
  }

  function note(organization: string, row: LoggedRow, instant: string): void {
    const group = groupOf(organization);
    const minuteOfRow = instant.slice(0, MINUTE_CHARACTERS);
    const refused = isRefused(row.status) ? 1 : 0;
    addTo(group, `${minuteOfRow}Z`, { requests: 1, refused, rows_stored: 0 });
    if (hasRoom(`${organization} ${refused}`, minuteOfRow) && rowsHeld < ROWS_MAX) {
      group.rows.push(row);
      rowsHeld += 1;
    } else {
      losses.inc();
    }
  }

  function hasRoom(kind: string, minuteOfRow: string): boolean {
    if (minuteOfRow !== minute) [minute, rowsOfMinute] = [minuteOfRow, new Map()];
    const rows = (rowsOfMinute.get(kind) ?? 0) + 1;
    rowsOfMinute.set(kind, rows);
    return rows <= ROWS_OF_MINUTE_MAX;
  }

  async function write(): Promise<void> {
    const taken = groups;
    groups = new Map();
    rowsHeld = 0;
    let failed = false;
    for (const [organization, group] of taken) {
      if (!failed) {
        try {
          await database.inOrganization({ organization }, (connection) =>
            insertGroup(connection, organization, group),
          );
          continue;
        } catch (error) {
          /* An organization that was removed meanwhile has nobody who would look, and must not stand before others. */
          if (sqlState(error) === SQLSTATE.foreignKeyViolation) continue;
          failed = true;
          log.warn({ err: error }, 'requests not kept for the console');
        }
      }
      losses.inc(group.rows.length);
      const later = groupOf(organization);
      for (const [at, sums] of group.minutes) addTo(later, `${at.slice(0, HOUR_CHARACTERS)}:00Z`, sums);
    }
  }

  function flush(): Promise<void> {
    if (groups.size === 0) return writing ?? Promise.resolve();
    writing ??= write().finally(() => {
      writing = null;
    });
    return writing;
  }

  function noteEnd(request: FastifyRequest, reply: FastifyReply): void {
    const { principal } = request;
    if (principal === null) return;
    const created_at = clock.now().toISOString();
    /* A path that no route has was typed by somebody, and may have an address or a name in it. */
    const route = apiRouteOf(request)?.name ?? `${request.method} unknown`;
    const status = reply.raw.writableFinished ? reply.statusCode : LEFT;
    const row = rowOf(request, { created_at, route, status });
    note(principal.organization, { ...row, milliseconds: Math.round(reply.elapsedTime) }, created_at);
  }

  /* No `onResponse` runs where the caller left before the answer. */
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => noteEnd(request, reply));
    done();
  });
  const timer = setInterval(() => void flush(), GROUP_MILLISECONDS);
  timer.unref();
  parts.atClose(async () => {
    clearInterval(timer);
    await writing;
    await flush();
  });

  return {
    countStored({ organization }, rows) {
      const minuteOfRows = clock.now().toISOString().slice(0, MINUTE_CHARACTERS);
      addTo(groupOf(organization), `${minuteOfRows}Z`, { requests: 0, refused: 0, rows_stored: rows });
    },
  };
}

function rowOf(
  request: FastifyRequest,
  answered: Pick<LoggedRow, 'created_at' | 'route' | 'status'>,
): Omit<LoggedRow, 'milliseconds'> {
  return {
    ...answered,
    request_id: request.id,
    client_id: request.principal?.client ?? '',
    version: request.apiVersion,
    rows_stored: request.rowsStored,
    problems: request.problems,
  };
}

function addTo(
  { minutes }: OrganizationGroup,
  minute: string,
  { requests, refused, rows_stored }: RequestSums,
): void {
  const sums = minutes.get(minute) ?? { requests: 0, refused: 0, rows_stored: 0 };
  sums.requests += requests;
  sums.refused += refused;
  sums.rows_stored += rows_stored;
  minutes.set(minute, sums);
}

/*
 * As texts: a statement with thousands of parameters would be made and parsed anew each second. Sums in the order of
 * their time, because another process of the service may add to the same rows.
 */
async function insertGroup(
  connection: Connection,
  organization: string,
  { rows, minutes }: OrganizationGroup,
): Promise<void> {
  if (rows.length > 0) {
    await sql`
      INSERT INTO request_log
        (organization_id, created_at, request_id, client_id, route, version, status, rows_stored, milliseconds, problems)
      SELECT ${organization}, row.*
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row
             (created_at timestamptz, request_id text, client_id text, route text, version text, status smallint,
              rows_stored integer, milliseconds integer, problems jsonb)`.execute(connection);
  }
  const sums = [...minutes].map(([minute, counts]) => ({ minute, ...counts }));
  await sql`
    WITH noted AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(sums)}::jsonb)
        AS noted (minute timestamptz, requests bigint, refused bigint, rows_stored bigint)
    ), by_minute AS (
      INSERT INTO request_minutes AS known (organization_id, minute, requests, rows_stored)
      SELECT ${organization}, minute, requests, rows_stored FROM noted ORDER BY minute
      ON CONFLICT (organization_id, minute) DO UPDATE SET
        requests = known.requests + excluded.requests,
        rows_stored = known.rows_stored + excluded.rows_stored
    )
    INSERT INTO request_days AS known (organization_id, day, requests, refused, rows_stored)
    SELECT ${organization}, (minute AT TIME ZONE 'Europe/Berlin')::date, sum(requests), sum(refused), sum(rows_stored)
      FROM noted GROUP BY 2 ORDER BY 2
    ON CONFLICT (organization_id, day) DO UPDATE SET
      requests = known.requests + excluded.requests,
      refused = known.refused + excluded.refused,
      rows_stored = known.rows_stored + excluded.rows_stored`.execute(connection);
}
