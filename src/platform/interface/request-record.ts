import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Insertable, sql } from 'kysely';
import type { Connection } from '../database/db.ts';
import type { Tables } from '../database/tables.ts';
import type { Deps } from '../deps.ts';
import type { ErrorEntry } from '../errors.ts';
import { berlinDayOf, type CalendarDay } from '../time/berlin-calendar.ts';
import { apiRouteOf } from './request-context.ts';

const GROUP_MILLISECONDS = 1_000;
/** Of one group; further requests are in the sums of their day and not in the log. */
const ROWS_OF_ORGANIZATION_MAX = 500;
const ROWS_MAX = 5_000;
const PROBLEMS_MAX = 3;
/** A path of ours is shorter; a member that nobody knows has any name. */
const FIELD_CHARACTERS_MAX = 100;

type LoggedRow = Omit<Insertable<Tables['request_log']>, 'organization_id' | 'problems'> &
  Pick<FastifyRequest, 'problems'>;

interface DaySums {
  requests: number;
  refused: number;
  rows_stored: number;
}

interface OrganizationGroup {
  rows: LoggedRow[];
  days: Map<CalendarDay, DaySums>;
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
 * behind its answer, which waits for nothing: a group each second, and a transaction for each organization. What does not
 * fit into a group, or is there when the database is away, is left out of the log and counted. Sums of days wait for the
 * database in a few bytes an organization.
 */
export function installRequestRecords(app: FastifyInstance, deps: Deps): void {
  const { clock, database, log } = deps;
  const losses = deps.metrics.counter(
    'request_log_losses_total',
    'Requests that the request log of the console has no row of',
  );
  let groups = new Map<string, OrganizationGroup>();
  let rowsHeld = 0;
  let writing: Promise<void> | null = null;

  function groupOf(organization: string): OrganizationGroup {
    const found = groups.get(organization);
    if (found !== undefined) return found;
    const made = { rows: [], days: new Map() };
    groups.set(organization, made);
    return made;
  }

  function note(organization: string, row: LoggedRow, day: CalendarDay): void {
    const group = groupOf(organization);
    addTo(group, day, {
      requests: 1,
      refused: row.status >= 400 ? 1 : 0,
      rows_stored: row.rows_stored ?? 0,
    });
    if (group.rows.length >= ROWS_OF_ORGANIZATION_MAX || rowsHeld >= ROWS_MAX) {
      losses.inc();
      return;
    }
    group.rows.push(row);
    rowsHeld += 1;
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
          failed = true;
          log.warn({ err: error }, 'requests not kept for the console');
        }
      }
      losses.inc(group.rows.length);
      const later = groupOf(organization);
      for (const [day, sums] of group.days) addTo(later, day, sums);
    }
  }

  function flush(): Promise<void> {
    if (groups.size === 0) return writing ?? Promise.resolve();
    writing ??= write().finally(() => {
      writing = null;
    });
    return writing;
  }

  app.addHook('onResponse', (request, reply, done) => {
    const { principal } = request;
    const name = apiRouteOf(request)?.name;
    if (principal !== null && name !== undefined) {
      const created_at = clock.now().toISOString();
      const row = rowOf(request, { created_at, route: name, status: reply.statusCode });
      note(
        principal.organization,
        { ...row, milliseconds: Math.round(reply.elapsedTime) },
        dayOf(created_at),
      );
    }
    done();
  });
  const timer = setInterval(() => void flush(), GROUP_MILLISECONDS);
  timer.unref();
  deps.atClose(async () => {
    clearInterval(timer);
    await writing;
    await flush();
  });
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

let lastHour = '';
let lastDay: CalendarDay = '';

/** The calendar of Berlin is asked once an hour. */
function dayOf(instant: string): CalendarDay {
  const hour = instant.slice(0, 13);
  if (hour !== lastHour) [lastHour, lastDay] = [hour, berlinDayOf(instant)];
  return lastDay;
}

function addTo(
  group: OrganizationGroup,
  day: CalendarDay,
  { requests, refused, rows_stored }: DaySums,
): void {
  const sums = group.days.get(day) ?? { requests: 0, refused: 0, rows_stored: 0 };
  sums.requests += requests;
  sums.refused += refused;
  sums.rows_stored += rows_stored;
  group.days.set(day, sums);
}

async function insertGroup(
  connection: Connection,
  organization: string,
  { rows, days }: OrganizationGroup,
): Promise<void> {
  /* As one text: a statement with 4,500 parameters would be made and parsed anew each second. */
  if (rows.length > 0) {
    await sql`
      INSERT INTO request_log
        (organization_id, created_at, request_id, client_id, route, version, status, rows_stored, milliseconds, problems)
      SELECT ${organization}, row.*
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row
             (created_at timestamptz, request_id text, client_id text, route text, version text, status smallint,
              rows_stored integer, milliseconds integer, problems jsonb)`.execute(connection);
  }
  for (const [day, sums] of days) {
    await connection
      .insertInto('request_days')
      .values({ organization_id: organization, day, ...sums })
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'day']).doUpdateSet((is) => ({
          requests: sql`${is.ref('request_days.requests')} + ${sums.requests}`,
          refused: sql`${is.ref('request_days.refused')} + ${sums.refused}`,
          rows_stored: sql`${is.ref('request_days.rows_stored')} + ${sums.rows_stored}`,
        })),
      )
      .execute();
  }
}
