import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { PagePosition } from '../../platform/interface/pagination.ts';
import { LEFT } from '../../platform/interface/request-record.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';

export interface StoredSums {
  rows_stored: number;
  rows_of_day: number;
  requests_of_day: number;
  refused_of_day: number;
}

/** Out of the sums of days: a row for each day on which something was asked for. */
export async function findStoredSums(
  connection: Connection,
  organization: string,
  day: CalendarDay,
): Promise<StoredSums> {
  const { rows } = await sql<StoredSums>`
    SELECT coalesce(sum(rows_stored), 0)::float8 AS rows_stored,
           coalesce(sum(rows_stored) FILTER (WHERE day = ${day}::date), 0)::float8 AS rows_of_day,
           coalesce(sum(requests) FILTER (WHERE day = ${day}::date), 0)::float8 AS requests_of_day,
           coalesce(sum(refused) FILTER (WHERE day = ${day}::date), 0)::float8 AS refused_of_day
      FROM request_days WHERE organization_id = ${organization}`.execute(connection);
  return rows[0] as StoredSums;
}

/** Requests since the start of a minute, and the rows that they stored. */
export async function findRecentSums(
  connection: Connection,
  organization: string,
  since: string,
): Promise<{ requests: number; rows_stored: number }> {
  const { rows } = await sql<{ requests: number; rows_stored: number }>`
    SELECT coalesce(sum(requests), 0)::float8 AS requests, coalesce(sum(rows_stored), 0)::float8 AS rows_stored
      FROM request_minutes
     WHERE organization_id = ${organization} AND minute >= ${since}::timestamptz`.execute(connection);
  return rows[0] ?? { requests: 0, rows_stored: 0 };
}

export interface LoggedRequest {
  id: string;
  /** To the microsecond, as it is sent back for the next page. */
  at: string;
  request_id: string;
  client_id: string;
  /** Null where there is no such client. */
  client_name: string | null;
  route: string;
  version: string;
  status: number;
  rows_stored: number | null;
  milliseconds: number;
  problems: { code: string; field: string }[] | null;
}

/** The log, newest first; of one request where its id is given. Ids are numbers: `id` alone would be the text of the answer. */
export async function listRequests(
  connection: Connection,
  organization: string,
  filter: {
    request: string;
    refusedOnly: boolean;
    status: number | null;
    after: PagePosition | null;
    rows: number;
  },
): Promise<LoggedRequest[]> {
  const { request, refusedOnly, status, after, rows: rowsMax } = filter;
  const conditions = [
    sql`organization_id = ${organization}`,
    ...(request === '' ? [] : [sql`request_id = ${request}`]),
    ...(refusedOnly ? [sql`status >= 400 AND status <> ${LEFT}`] : []),
    ...(status === null ? [] : [sql`status = ${status}`]),
    ...(after === null
      ? []
      : [sql`(created_at, id) < (${after.created_at}::timestamptz, ${after.id}::bigint)`]),
  ];
  const { rows } = await sql<LoggedRequest>`
    SELECT id::text, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, request_id,
           client_id, (SELECT display_name FROM auth_clients AS client
                        WHERE client.organization_id = ${organization} AND client.id = request_log.client_id) AS client_name,
           route, version, status, rows_stored, milliseconds, problems
      FROM request_log WHERE ${sql.join(conditions, sql` AND `)}
     ORDER BY created_at DESC, request_log.id DESC LIMIT ${rowsMax}`.execute(connection);
  return rows;
}
