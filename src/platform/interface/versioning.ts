import { badRequest } from '../errors.ts';
import { UPGRADE_API_VERSION } from '../rule-codes.ts';
import type { VersionList, VersionName } from '../version-name.ts';
import { type CompiledContract, type Contract, compileContract } from './contract.ts';
import { type ApiRoute, type RouteName, routeName } from './route.ts';
import { concerns, type ErrorEnvelope, objectOf, type VersionChange } from './version-change.ts';

/*
 * Dated versions. Business code knows the newest version only; each change is a small module that tells how the past
 * differed. At start the schemas of every older version are made from the newest ones, backward. A request is
 * validated by its own version's schema and then rewritten forward, oldest change first; an answer is encoded by the
 * newest schema and rewritten backward, newest change first.
 */

type Json = Record<string, unknown>;

export type Availability =
  | { state: 'available' }
  /** The route comes later. */
  | { state: 'not_yet'; since: VersionName }
  | { state: 'removed'; since: VersionName; instead?: string };

export interface VersionEngine {
  readonly list: VersionList;
  readonly changes: readonly VersionChange[];
  readonly routes: readonly ApiRoute[];
  availability(route: RouteName, version: VersionName): Availability;
  /** Whether a version has the change of that name. Throws where no change is called so. */
  knows(name: string, version: VersionName): boolean;
  /** Throws 400 with `upgrade_api_version` at the field where a version has not the change of that name. */
  require(name: string, version: VersionName, field: string): void;
  /** The routes of one version with its schemas, in the order of registration. */
  contracts(version: VersionName): readonly Contract[];
  contract(route: RouteName, version: VersionName): CompiledContract;
  /** The routes whose answers show an object that this change is about. */
  routesWithObject(change: VersionChange): readonly RouteName[];
  /** Whether the lists of a version come in pages; before, a list answers everything at once. */
  hasPages(version: VersionName): boolean;
  forward(
    route: RouteName,
    version: VersionName,
    request: { query: Json; body: unknown },
  ): { query: Json; body: unknown };
  backward(route: RouteName, version: VersionName, body: Json): Json;
  backwardEnvelope(version: VersionName, envelope: Json): Json;
  backwardError(route: RouteName | null, version: VersionName, envelope: ErrorEnvelope): ErrorEnvelope;
}

function assertRoutesKnown(changes: readonly VersionChange[], known: ReadonlySet<string>): void {
  for (const change of changes) {
    const named = [
      ...(change.added ?? []),
      ...(change.removed ?? []).map((removal) => removal.route),
      ...(Array.isArray(change.appliesTo) ? (change.appliesTo as readonly RouteName[]) : []),
    ];
    for (const name of named) {
      if (!known.has(name))
        throw new Error(`The change "${change.summary}" names ${name}, which is no route`);
    }
  }
}

const AVAILABLE: Availability = { state: 'available' };

export function createVersionEngine(
  list: VersionList,
  changesInAnyOrder: readonly VersionChange[],
  routes: readonly ApiRoute[],
): VersionEngine {
  const rank = (version: VersionName) => list.names.indexOf(version);
  const isFrom = (version: VersionName, other: VersionName) => rank(version) >= rank(other);
  /* Oldest first: the order of the versions, then the order in which the list names them. */
  const changes = [...changesInAnyOrder].sort((a, b) => rank(a.version) - rank(b.version));
  const unknown = changes.find((change) => rank(change.version) === -1);
  if (unknown !== undefined)
    throw new Error(`The change "${unknown.summary}" is of no version that there is`);
  const byName = new Map<string, ApiRoute>(routes.map((route) => [routeName(route), route]));
  if (byName.size !== routes.length) throw new Error('Two routes have the same method and path');
  assertRoutesKnown(changes, new Set(byName.keys()));
  const named = (name: string): VersionChange => {
    const found = changes.find((change) => change.name === name);
    if (found === undefined) throw new Error(`No change of a version is called "${name}"`);
    return found;
  };
  const later = new Map(
    list.names.map((name) => [name, changes.filter((change) => !isFrom(name, change.version))]),
  );
  const laterThan = (version: VersionName) => later.get(version) ?? [];

  const soughtAvailability = (name: RouteName, version: VersionName): Availability => {
    for (const change of changes) {
      if (!isFrom(version, change.version) && change.added?.includes(name)) {
        return { state: 'not_yet', since: change.version };
      }
      const removal = change.removed?.find((candidate) => candidate.route === name);
      if (removal !== undefined && isFrom(version, change.version)) {
        const instead = removal.instead === undefined ? {} : { instead: removal.instead };
        return { state: 'removed', since: change.version, ...instead };
      }
    }
    return AVAILABLE;
  };

  const contracts = new Map<VersionName, ReadonlyMap<string, CompiledContract>>();
  for (const version of list.names) {
    const available = [...byName].filter(
      ([name]) => soughtAvailability(name as RouteName, version).state === 'available',
    );
    contracts.set(
      version,
      new Map(available.map(([name, route]) => [name, compileContract(route, laterThan(version))])),
    );
  }
  /* Every request asks, and nearly all for a route that their version has. */
  const availability = (name: RouteName, version: VersionName): Availability =>
    contracts.get(version)?.has(name) === true ? AVAILABLE : soughtAvailability(name, version);
  const contractOf = (name: RouteName, version: VersionName): CompiledContract => {
    const found = contracts.get(version)?.get(name);
    if (found === undefined) throw new Error(`${name} is not available in ${version}`);
    return found;
  };

  const routesWithObject = (change: VersionChange): RouteName[] => {
    const all = [...contracts.values()].flatMap((ofVersion) => [...ofVersion.values()]);
    const touched = all.filter(({ objectChanges }) => objectChanges.includes(change));
    return [...new Set(touched.map(({ route }) => routeName(route)))];
  };
  for (const change of changes) {
    const object = objectOf(change);
    if (object !== null && routesWithObject(change).length === 0)
      throw new Error(`The change "${change.summary}" names the object ${object}, which no answer shows`);
  }

  const backwardEnvelope = (version: VersionName, envelope: Json): Json =>
    laterThan(version)
      .filter((change) => change.appliesTo === 'lists')
      .reduceRight((current, change) => change.envelope?.(current) ?? current, envelope);
  const emptyPage = { object: 'list', items: [], has_more: false, next_page: null };
  const withPages = new Set(
    list.names.filter((version) => 'next_page' in backwardEnvelope(version, emptyPage)),
  );

  return {
    list,
    changes,
    routes,
    availability,
    knows: (name, version) => isFrom(version, named(name).version),
    require: (name, version, field) => {
      const since = named(name).version;
      if (isFrom(version, since)) return;
      const message = `${name.charAt(0).toUpperCase()}${name.slice(1)} needs API version ${since} or later`;
      throw badRequest([{ code: UPGRADE_API_VERSION, field, message }]);
    },
    contracts: (version) => [...(contracts.get(version)?.values() ?? [])],
    contract: contractOf,
    routesWithObject,
    hasPages: (version) => withPages.has(version),
    forward: (name, version, request) => contractOf(name, version).forward(request),
    backward: (name, version, body) => contractOf(name, version).backward(body),
    backwardEnvelope,
    backwardError: (name, version, envelope) => {
      const route = name === null ? undefined : byName.get(name);
      return laterThan(version)
        .filter((change) => change.appliesTo === 'all' || (route !== undefined && concerns(change, route)))
        .reduceRight((current, change) => change.error?.(current) ?? current, envelope);
    },
  };
}
