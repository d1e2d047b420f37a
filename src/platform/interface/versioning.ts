import type { z } from 'zod';
import { isFrom, VERSION_NAMES, type VersionName } from '../../versions/names.ts';
import type { ErrorCode, ErrorEntry } from '../errors.ts';
import { type ApiRoute, type RouteName, routeName } from './route.ts';

/*
 * Dated versions. Business code knows the newest version only; each change is a small module that tells how the past
 * differed. At start the schemas of every older version are made from the newest ones, backward. A request is
 * validated by its own version's schema and then rewritten forward, oldest change first; an answer is encoded by the
 * newest schema and rewritten backward, newest change first.
 */

type Json = Record<string, unknown>;

/** The body of an error answer, in the newest form. */
export interface ErrorEnvelope {
  code: ErrorCode;
  message: string;
  requestId: string;
  docs: string;
  errors?: readonly ErrorEntry[];
}

export interface VersionChange {
  /** The first version that has it. */
  version: VersionName;
  /** Where behaviour differs and no rewriting can express it: business code asks `request.knows(name)`. */
  name?: string;
  /** One sentence for the customer who reads the change log. */
  summary: string;
  /** How it was before, and how it is from this version on; both for the change log. */
  before: string;
  after: string;
  /** Routes that exist from this version on. */
  added?: readonly RouteName[];
  /** Routes that exist only before this version, with the sentence that names what to use instead. */
  removed?: readonly { route: RouteName; instead?: string }[];
  /** The routes whose requests, answers and errors the members below rewrite; every list for `lists`. */
  appliesTo?: readonly RouteName[] | 'lists' | 'all';
  /** Backward: the older schema made from the newer one. Widening only what was wider. */
  schema?: {
    query?(newer: z.ZodType): z.ZodType;
    body?(newer: z.ZodType): z.ZodType;
    response?(newer: z.ZodType): z.ZodType;
    /**
     * What is encoded before the rewriting, where the older version shows fields that the newest one has no more: the
     * newest schema with those fields.
     */
    encoded?(newest: z.ZodType): z.ZodType;
  };
  /** Forward: an older request as the newer version would have sent it. */
  request?(request: { query: Json; body: unknown }): { query: Json; body: unknown };
  /** Backward: one answer object (one item on list routes) as the older version showed it. */
  response?(body: Json): Json;
  /** Backward: the list envelope as the older version showed it. */
  envelope?(envelope: Json): Json;
  /** Backward: the error body as the older version showed it. */
  error?(envelope: ErrorEnvelope): ErrorEnvelope;
}

export type Availability =
  | { state: 'available' }
  /** The route comes later. */
  | { state: 'not_yet'; since: VersionName }
  | { state: 'removed'; since: VersionName; instead?: string };

/** One route as one version has it. */
export interface Contract {
  readonly route: ApiRoute;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  readonly response: z.ZodType;
  /** Encodes what the handler returns, before it is rewritten backward; only what it lists comes through. */
  readonly encoded: z.ZodType;
}

export interface VersionEngine {
  readonly changes: readonly VersionChange[];
  readonly routes: readonly ApiRoute[];
  availability(route: RouteName, version: VersionName): Availability;
  /** Whether a version has the change of that name. Throws where no change is called so. */
  knows(name: string, version: VersionName): boolean;
  /** The routes of one version with its schemas, in the order of registration. */
  contracts(version: VersionName): readonly Contract[];
  contract(route: RouteName, version: VersionName): Contract;
  /** True when nothing of a request or answer on this route differs from the newest version. */
  forward(
    route: RouteName,
    version: VersionName,
    request: { query: Json; body: unknown },
  ): { query: Json; body: unknown };
  backward(route: RouteName, version: VersionName, body: Json): Json;
  backwardEnvelope(version: VersionName, envelope: Json): Json;
  backwardError(route: RouteName | null, version: VersionName, envelope: ErrorEnvelope): ErrorEnvelope;
}

/** Oldest change first: the order of the versions, then the order in which the list names them. */
function ordered(changes: readonly VersionChange[]): VersionChange[] {
  return [...changes].sort((a, b) => VERSION_NAMES.indexOf(a.version) - VERSION_NAMES.indexOf(b.version));
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

export function createVersionEngine(
  list: readonly VersionChange[],
  routes: readonly ApiRoute[],
): VersionEngine {
  const changes = ordered(list);
  const byName = new Map<string, ApiRoute>(routes.map((route) => [routeName(route), route]));
  if (byName.size !== routes.length) throw new Error('Two routes have the same method and path');
  assertRoutesKnown(changes, new Set(byName.keys()));

  const appliesTo = (change: VersionChange, route: ApiRoute): boolean => {
    if (change.appliesTo === undefined) return false;
    if (change.appliesTo === 'all') return true;
    if (change.appliesTo === 'lists') return route.list !== undefined;
    return change.appliesTo.includes(routeName(route));
  };

  const availability = (name: RouteName, version: VersionName): Availability => {
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
    return { state: 'available' };
  };

  /* Per version and route: the later changes that a request or answer has to cross, oldest first. */
  const crossed = new Map<string, readonly VersionChange[]>();
  const contracts = new Map<VersionName, Map<string, Contract>>();
  for (const version of VERSION_NAMES) {
    const later = changes.filter((change) => !isFrom(version, change.version));
    const ofVersion = new Map<string, Contract>();
    for (const [name, route] of byName) {
      const applying = later.filter((change) => appliesTo(change, route));
      crossed.set(`${version} ${name}`, applying);
      if (availability(name as RouteName, version).state !== 'available') continue;
      let { query, body, response } = route;
      let encoded = response;
      for (const change of applying.toReversed()) {
        if (query !== undefined && change.schema?.query !== undefined) query = change.schema.query(query);
        if (body !== undefined && change.schema?.body !== undefined) body = change.schema.body(body);
        if (change.schema?.response !== undefined) response = change.schema.response(response);
        if (change.schema?.encoded !== undefined) encoded = change.schema.encoded(encoded);
      }
      ofVersion.set(name, { route, query, body, response, encoded });
    }
    contracts.set(version, ofVersion);
  }

  const crossedBy = (name: RouteName, version: VersionName) => crossed.get(`${version} ${name}`) ?? [];
  const newestFirst = (version: VersionName, route: RouteName | null) =>
    changes
      .filter((change) => !isFrom(version, change.version))
      .filter((change) => {
        if (change.appliesTo === 'all') return true;
        const known = route === null ? undefined : byName.get(route);
        return known !== undefined && appliesTo(change, known);
      })
      .toReversed();

  return {
    changes,
    routes,
    availability,
    knows(name, version) {
      const named = changes.find((change) => change.name === name);
      if (named === undefined) throw new Error(`No change of a version is called "${name}"`);
      return isFrom(version, named.version);
    },
    contracts: (version) => [...(contracts.get(version)?.values() ?? [])],
    contract(name, version) {
      const found = contracts.get(version)?.get(name);
      if (found === undefined) throw new Error(`${name} is not available in ${version}`);
      return found;
    },
    forward: (name, version, request) =>
      crossedBy(name, version).reduce((current, change) => change.request?.(current) ?? current, request),
    backward: (name, version, body) =>
      crossedBy(name, version).reduceRight((current, change) => change.response?.(current) ?? current, body),
    backwardEnvelope: (version, envelope) =>
      changes
        .filter((change) => !isFrom(version, change.version) && change.appliesTo === 'lists')
        .reduceRight((current, change) => change.envelope?.(current) ?? current, envelope),
    backwardError: (name, version, envelope) =>
      newestFirst(version, name).reduce((current, change) => change.error?.(current) ?? current, envelope),
  };
}
