import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION_NAMES, type VersionName } from '../../../src/config/versions.ts';
import type { RouteName } from '../../../src/platform/interface/route.ts';
import type { BodyRow, Ids, Json, Noun, RouteRow } from './row.ts';

/*
 * Every file of test/routes is a noun: a new one is read here without another line. Tests of versions, of isolation and of
 * bad input all ask the routes of this table.
 */

const folder = join(import.meta.dirname, '..');
const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));

export const nouns: readonly Noun[] = await Promise.all(
  files.map(async (file) => ((await import(join(folder, file))) as { noun: Noun }).noun),
);

/** In the order of the files; a route that two files name is here twice. */
export const tableRows: readonly (readonly [RouteName, RouteRow])[] = nouns.flatMap(
  ({ routes }) => Object.entries(routes) as [RouteName, RouteRow][],
);

const rows = new Map(tableRows);

export const routeNames: readonly RouteName[] = [...rows.keys()];

/** Of the newest version's routes that take a body. */
export const bodyRouteNames = routeNames.filter((name) => rows.get(name)?.bodies !== undefined);

export function rowOf(name: RouteName): RouteRow {
  const row = rows.get(name);
  if (row === undefined) throw new Error(`No row for ${name}`);
  return row;
}

export function methodOf(name: RouteName): string {
  return name.slice(0, name.indexOf(' '));
}

export function bodiesOf(name: RouteName): BodyRow {
  const { bodies } = rowOf(name);
  if (bodies === undefined) throw new Error(`No bodies for ${name}`);
  return bodies;
}

/** The smallest body that every version of the route accepts. */
export function smallestBody(name: RouteName, ids: Ids): Json {
  const { bodies, body } = rowOf(name);
  return (bodies?.smallest ?? body)?.(ids) ?? {};
}

/** How a version answers: it has the route, not yet (its path or only its method), or no more. */
export type Availability = 'there' | 'not yet' | 'other methods' | 'removed';

const isIn = ({ since, removed }: RouteRow, version: VersionName) =>
  (since === undefined || version >= since) && (removed === undefined || version < removed.in);

export function availabilityOf(name: RouteName, version: VersionName): Availability {
  const row = rowOf(name);
  if (isIn(row, version)) return 'there';
  if (row.removed !== undefined && version >= row.removed.in) return 'removed';
  const path = name.slice(name.indexOf(' '));
  const hasPath = tableRows.some(([other, row]) => other.endsWith(path) && isIn(row, version));
  return hasPath ? 'other methods' : 'not yet';
}

/** The header by which a route is asked for in a version that has it. */
export function versionHeaderOf(name: RouteName): Record<string, string> {
  const { removed } = rowOf(name);
  if (removed === undefined) return {};
  const last = VERSION_NAMES.findLast((version) => version < removed.in);
  return last === undefined ? {} : { 'x-api-version': last };
}

/** The answer to ids that the caller may see. */
export function goodStatusOf(name: RouteName): number {
  return rowOf(name).leadsTo === undefined ? 200 : 302;
}

/** 200 on lists, and where nothing belongs to anybody. */
export function missingStatusOf(name: RouteName): number {
  const { missingStatus, list, whose } = rowOf(name);
  return missingStatus ?? (list === undefined && whose !== 'public' ? 404 : 200);
}
