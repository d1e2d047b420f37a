import type { Connection } from '../../platform/database/db.ts';
import { unavailable } from '../../platform/errors.ts';
import { dayText, momentText, numberFormat } from '../../platform/http/pages/chart.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { isId } from '../../platform/ids.ts';
import type { ListFilter } from '../../platform/interface/filters.ts';
import type { PagePosition } from '../../platform/interface/pagination.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { type AssetRow, findAsset, listAssets } from '../../telemetry/assets/queries.ts';
import { listLastDays } from '../../telemetry/quarter-hours/queries.ts';
import { listNewestSnapshots, type NewestSnapshot } from '../../telemetry/snapshots/queries.ts';
import { auditRead } from './forms.ts';
import { addressOfNext, positionOf, ROWS_OF_PAGE } from './lists.ts';
import { CONSOLE_PATH, type ConsoleSite } from './pages.ts';
import type { Texts } from './texts.ts';

const HOUR_MILLISECONDS = 3_600_000;
/**
 * Newest snapshots are looked for so far back; before that, the sums of days tell. To ask every chunk for an asset that never
 * sent would cost more with each week that is stored.
 */
const LOOKED_BACK_HOURS = 31 * 24;

const SILENT_HOURS = { '1h': 1, '24h': 24, '7d': 7 * 24, never: LOOKED_BACK_HOURS } as const;
type Silence = keyof typeof SILENT_HOURS;

/**
 * Silent assets are looked for among so many at a time, and among so many for one page. Each costs one look into an index, so
 * the page costs the same for every fleet. A page without one says so and leads on.
 */
const EXAMINED_AT_ONCE = 1_000;
const EXAMINED_MAX = 5_000;

/** An external id has no more characters. */
const NAME_CHARACTERS_MAX = 255;

export interface FleetAsset extends Pick<AssetRow, 'id' | 'household_id' | 'type' | 'decommissioned_at'> {
  name: string;
  newest: NewestSnapshot | null;
  /** Where no snapshot was found. */
  lastDay: CalendarDay | null;
}

interface Fleet {
  assets: FleetAsset[];
  examined: number;
  next: PagePosition | null;
}

/** The devices of the organization, those that fell silent, or those that never sent. */
export function fleetPages({ deps, page }: ConsoleSite): void {
  const { clock, database } = deps;
  page('/fleet', async (visit) => {
    const { visitor, t, query } = visit;
    const { organization } = visitor;
    const find = textOf(query, 'find').trim().slice(0, NAME_CHARACTERS_MAX);
    const chosen = textOf(query, 'silent');
    const silent = Object.hasOwn(SILENT_HOURS, chosen) ? (chosen as Silence) : null;
    const after = positionOf(query);
    const now = clock.nowMilliseconds();
    const look = (signal?: AbortSignal) =>
      database.inOrganization({ organization }, async (connection) => {
        const found = await fleetOf(connection, organization, { find, silent, after, now, signal });
        const households = found.assets.map(({ household_id }) => household_id);
        await auditRead(connection, visit, households);
        return found;
      });
    const fleet = await (silent === null ? look() : visit.costly(look));
    const numbers = numberFormat(t.lang);
    return {
      ...{ template: 'fleet', of: 'fleet' },
      values: {
        ...{ find, silent: silent ?? '' },
        assets: fleet.assets.map((asset) => shownAsset(asset, t)),
        examined: silent === null ? null : numbers.format(fleet.examined),
        next: addressOfNext(fleet.next, { find, silent: silent ?? '' }),
      },
    };
  });
}

async function fleetOf(
  connection: Connection,
  organization: string,
  chosen: {
    find: string;
    silent: Silence | null;
    after: PagePosition | null;
    now: number;
    signal: AbortSignal | undefined;
  },
): Promise<Fleet> {
  const { find, silent, now, signal } = chosen;
  if (find.startsWith('ast_')) {
    const row = isId(find) ? await findAsset(connection, organization, undefined, find) : undefined;
    const rows = row === undefined ? [] : [row];
    return { assets: await withNewest(connection, rows, now), examined: 1, next: null };
  }
  const filters: ListFilter[] = find === '' ? [] : [filterOf(find)];
  const found: AssetRow[] = [];
  const limit = silent === null ? ROWS_OF_PAGE : EXAMINED_AT_ONCE;
  let { after } = chosen;
  let examined = 0;
  for (;;) {
    if (signal?.aborted === true) throw unavailable('The caller has left');
    const rows = await listAssets(connection, organization, undefined, { limit, after, filters });
    const looked = rows.slice(0, limit);
    found.push(...(silent === null ? looked : await silentOnes(connection, looked, silent, now)));
    examined += looked.length;
    after = rows.length > limit ? (looked.at(-1) ?? null) : null;
    if (silent === null || after === null || found.length > ROWS_OF_PAGE || examined >= EXAMINED_MAX) break;
  }
  const shown = found.slice(0, ROWS_OF_PAGE);
  const next = found.length > shown.length ? (shown.at(-1) ?? null) : after;
  return { assets: await withNewest(connection, shown, now), examined, next };
}

/** A text that cannot be an id is looked for as the client's own id. */
function filterOf(find: string): ListFilter {
  const field = find.startsWith('dom_') ? 'household' : 'external_id';
  /* No text of the database holds a NUL. */
  return { field, operator: 'eq', value: find.replaceAll('\0', ''), type: 'string' };
}

/** Those in use that sent nothing for so long. */
async function silentOnes(
  connection: Connection,
  rows: readonly AssetRow[],
  silent: Silence,
  now: number,
): Promise<AssetRow[]> {
  const inUse = rows.filter(({ decommissioned_at }) => decommissioned_at === null);
  const heard = await newestOf(connection, inUse, now - SILENT_HOURS[silent] * HOUR_MILLISECONDS);
  const quiet = inUse.filter(({ id }) => !heard.has(id));
  if (silent !== 'never') return quiet;
  const days = await listLastDays(
    connection,
    quiet.map(({ id }) => id),
  );
  return quiet.filter(({ id }) => !days.has(id));
}

async function newestOf(
  connection: Connection,
  rows: readonly AssetRow[],
  sinceMilliseconds: number,
): Promise<ReadonlyMap<string, NewestSnapshot>> {
  if (rows.length === 0) return new Map();
  const newest = await listNewestSnapshots(connection, {
    ...{ households: null, assets: rows.map(({ id }) => id), after: null, rows: rows.length },
    since: new Date(sinceMilliseconds).toISOString(),
  });
  return new Map(newest.map((snapshot) => [snapshot.asset, snapshot]));
}

export async function withNewest(
  connection: Connection,
  rows: readonly AssetRow[],
  now: number,
): Promise<FleetAsset[]> {
  const newest = await newestOf(connection, rows, now - LOOKED_BACK_HOURS * HOUR_MILLISECONDS);
  const silent = rows.filter(({ id }) => !newest.has(id)).map(({ id }) => id);
  const days = await listLastDays(connection, silent);
  return rows.map(({ id, household_id, type, decommissioned_at, display_name, external_id }) => ({
    ...{ id, household_id, type, decommissioned_at, name: display_name ?? external_id ?? id },
    ...{ newest: newest.get(id) ?? null, lastDay: days.get(id) ?? null },
  }));
}

/** As its row of a table says it. */
export function shownAsset({ newest, lastDay, household_id, ...asset }: FleetAsset, t: Texts) {
  const silent = lastDay === null ? t.never : t.lastOn(dayText(lastDay, t.lang));
  return {
    ...{ id: asset.id, name: asset.name, type: t.types[asset.type] },
    ...{ household: household_id, address: `${CONSOLE_PATH}/households/${household_id}` },
    at: newest?.timestamp ?? null,
    moment: newest === null ? silent : momentText(newest.timestamp, t.lang),
    values: newest === null ? '' : valuesText(newest, t),
    isDecommissioned: asset.decommissioned_at !== null,
  };
}

function valuesText({ power_kw, state_of_charge }: NewestSnapshot, t: Texts): string {
  const power = typeof power_kw === 'number' ? `${numberFormat(t.lang, 2).format(power_kw)} kW` : '';
  const charge =
    typeof state_of_charge === 'number' ? `${numberFormat(t.lang).format(state_of_charge * 100)} %` : '';
  return [power, charge].filter((text) => text !== '').join(' · ');
}
