import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import type { ListFilter } from '../../platform/interface/filters.ts';
import type { ListRequest, Page } from '../../platform/interface/route.ts';
import type { Tenant } from '../../platform/principal.ts';
import { instantFromMicroseconds } from '../../platform/time/instant.ts';
import { POSTGRES_EPOCH_MICROSECONDS } from '../../platform/time/time.ts';
import { type FieldTable, MEASURED, measuredFieldsOf } from './fields.ts';
import { listNewestSnapshots, type NewestSnapshot } from './queries.ts';
import type { AssetSnapshot } from './schema.ts';

/** Older ones are history and no longer "newest". */
const WITHIN_MILLISECONDS = 24 * 60 * 60 * 1000;

/**
 * The newest snapshot of each asset that the filters leave, out of the last 24 hours. Its pages show what was stored when the
 * first of them was read: what comes meanwhile is in the next reading.
 */
export async function newestSnapshots(
  { database, clock }: { database: Database; clock: Clock },
  tenant: Tenant,
  list: ListRequest,
  table: FieldTable = MEASURED,
): Promise<Page<AssetSnapshot>> {
  const since = (clock.nowMilliseconds() - WITHIN_MILLISECONDS) * 1_000 - POSTGRES_EPOCH_MICROSECONDS;
  const { after } = list;
  const rows = await database.inOrganization(tenant, (connection) =>
    listNewestSnapshots(connection, {
      households: idsOf(list.filters, 'household'),
      assets: idsOf(list.filters, 'asset'),
      since: instantFromMicroseconds(since),
      after:
        after === null
          ? null
          : {
              ...{ timestamp: after.created_at, asset: after.id },
              ...{ storedUntil: after.first_read_at ?? null, seen: after.first_seen ?? null },
            },
      rows: list.limit + 1,
    }),
  );
  const page = rows.slice(0, list.limit);
  const last = page.at(-1);
  return {
    items: page.map((row) => snapshotItem(row, table)),
    next_page:
      rows.length > page.length && last !== undefined
        ? list.cursorAfter({
            created_at: last.timestamp,
            id: last.asset,
            first_read_at: after?.first_read_at ?? last.read_at,
            first_seen: after?.first_seen ?? last.seen,
          })
        : null,
  };
}

/** Null: every one. */
function idsOf(filters: readonly ListFilter[], field: string): string[] | null {
  const filter = filters.find((candidate) => candidate.field === field);
  if (filter === undefined) return null;
  return Array.isArray(filter.value) ? filter.value.map(String) : [String(filter.value)];
}

/** Only the fields that the type has. */
function snapshotItem(row: NewestSnapshot, table: FieldTable): AssetSnapshot {
  const { household, asset, timestamp, created_at } = row;
  const measured = Object.fromEntries(
    measuredFieldsOf(row.asset_type, table).map((field) => [field, row[field]]),
  );
  return { object: 'asset_snapshot', household, asset, timestamp, ...measured, created_at };
}
