import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bodyInterrupted } from '../body/failures.ts';
import { JsonText } from '../body/json-text.ts';
import { BoundedCache } from '../bounded-cache.ts';
import { badRequest, type ErrorEntry, invalidInput } from '../errors.ts';
import type { CompiledContract, Contract } from './contract.ts';
import { maySearchAll, parseFilters } from './filters.ts';
import { lostParameters } from './lost-parameters.ts';
import { PAGE_PARAMETERS, type PageScope, readPage } from './pagination.ts';
import { type QueryPair, queryPairs, singleValues } from './query.ts';
import { type CheckedInput, principalOf } from './request-context.ts';
import { type ApiRoute, routeName } from './route.ts';
import type { VersionEngine } from './versioning.ts';
import { compiled, entriesOf } from './zod.ts';

export interface InputOptions {
  versions: VersionEngine;
  cursorKey: string;
}

/** Query first, then body: every problem of both is listed, in that order. */
export function checkInput(options: InputOptions, route: ApiRoute, request: FastifyRequest): CheckedInput {
  const version = request.apiVersion;
  const contract = options.versions.contract(routeName(route), version);
  const pairs = queryPairs(request.raw.url ?? '');
  const findings = new InputFindings();
  const rawQuery = singleValues(pairs, namesOf(contract.query), findings.query);
  const query = findings.check(contract.query, rawQuery, 'query') as Record<string, unknown>;
  const list = checkList(options, contract, request, pairs, findings);
  if (route.method === 'GET') {
    const pageNames =
      route.list !== undefined && options.versions.hasPages(version) ? PAGE_PARAMETERS : NO_NAMES;
    const known = new Set([...namesOf(contract.query), ...pageNames]);
    findings.add('query', lostParameters(pairs, known, contract.filters));
  }
  const body =
    route.readsOwnBody === true ? ownBody(request) : findings.check(contract.body, sent(request), 'body');
  findings.throwIfAny(pairs);
  const forwarded = options.versions.forward(routeName(route), version, { query: query ?? {}, body });
  const search = maySearchAll(list?.filters ?? []) ? 'long' : null;
  return { ...forwarded, list, turn: route.turn?.(forwarded.query) ?? search };
}

/** Checked addresses that are kept, in characters: some thousands. */
const KEPT_CHARACTERS_MAX = 256 * 1024;

/**
 * For routes whose answers are prepared: a route without list and body, so that the address and the version alone say what
 * is asked for, whoever asks. Many callers send the same address, and it is checked once: 4 µs of each such request.
 */
export function keptInput(options: InputOptions, route: ApiRoute): (request: FastifyRequest) => CheckedInput {
  const known = new BoundedCache<CheckedInput>(KEPT_CHARACTERS_MAX);
  return (request) => {
    const key = `${request.apiVersion} ${request.raw.url}`;
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const checked = checkInput(options, route, request);
    for (const part of [checked, checked.query, checked.body]) Object.freeze(part);
    known.set(key, checked, key.length);
    return checked;
  };
}

/** The parser of bodies leaves a large one as it came. A route that reads its own has turns of its own. */
export function isUnread(route: ApiRoute, request: FastifyRequest): boolean {
  return request.body instanceof JsonText && route.readsOwnBody !== true;
}

/** For a large body whose turn has come. Whose caller has left, or has heard that it takes too long, is not worked on. */
export function readAndCheck(options: InputOptions, route: ApiRoute, request: FastifyRequest): void {
  if (!(request.body instanceof JsonText)) throw bodyInterrupted();
  request.body = request.body.parse();
  request.checked = checkInput(options, route, request);
}

/** A missing body counts as an empty object; a sent `null` does not. */
function sent(request: FastifyRequest): unknown {
  return request.body === undefined ? {} : request.body;
}

function ownBody(request: FastifyRequest): JsonText {
  return request.body instanceof JsonText ? request.body : new JsonText(Buffer.alloc(0));
}

const knownNames = new WeakMap<z.ZodType, ReadonlySet<string>>();
const NO_NAMES: ReadonlySet<string> = new Set();

/** The members that an object's schema names. */
export function namesOf(schema: Contract['query']): ReadonlySet<string> {
  if (!(schema instanceof z.ZodObject)) return NO_NAMES;
  const known = knownNames.get(schema) ?? new Set(Object.keys(schema.shape));
  knownNames.set(schema, known);
  return known;
}

function checkList(
  options: InputOptions,
  { route, filters: fields, forwardFilter }: CompiledContract,
  request: FastifyRequest,
  pairs: readonly QueryPair[],
  findings: InputFindings,
): CheckedInput['list'] {
  if (fields === undefined) {
    /* Whoever filters what is no list would take the answer for a filtered one. */
    if (pairs.length > 0) findings.add('query', parseFilters(pairs, {}).entries);
    return null;
  }
  const { filters: sent, entries } = parseFilters(pairs, fields, route.list?.requiredFilters);
  findings.add('query', entries);
  const filters = sent.map(forwardFilter);
  if (!options.versions.hasPages(request.apiVersion)) return { limit: 0, after: null, filters };
  const page = readPage(pairs, pageScope(options, route, request), filters);
  findings.add('query', page.entries);
  return { limit: page.limit, after: page.after, filters };
}

/** Problems of query and body. Those of filters and pages are always 400. */
class InputFindings {
  readonly query: ErrorEntry[] = [];
  readonly body: ErrorEntry[] = [];
  #filterProblem = false;

  add(part: 'query' | 'body', entries: readonly ErrorEntry[]): void {
    if (entries.length > 0) this.#filterProblem = true;
    for (const entry of entries) this[part].push(entry);
  }

  check(schema: Contract['body'], input: unknown, part: 'query' | 'body'): unknown {
    if (schema === undefined) return input;
    const result = compiled(schema).safeParse(input);
    if (result.success) return result.data;
    /* A parameter that was refused for being sent twice is not missing besides. */
    const told = new Set(this[part].map(({ field }) => field));
    /* One by one: the list has no limit, and the arguments of a single call have the stack's. */
    for (const entry of entriesOf(result.error.issues, input)) {
      if (!told.has(entry.field)) this[part].push(entry);
    }
    return undefined;
  }

  throwIfAny(pairs: readonly QueryPair[]): void {
    if (this.query.length === 0 && this.body.length === 0) return;
    const places = new Map(pairs.map(({ name }, index) => [name, index] as const).toReversed());
    const position = (entry: ErrorEntry) => places.get(entry.field) ?? pairs.length;
    const entries = [...this.query.toSorted((a, b) => position(a) - position(b)), ...this.body];
    throw this.#filterProblem ? badRequest(entries) : invalidInput(entries);
  }
}

export function pageScope(options: InputOptions, route: ApiRoute, request: FastifyRequest): PageScope {
  const principal = principalOf(request);
  return {
    key: options.cursorKey,
    route: [placeOf(route, request), ...ownParameters(route, request)].join(' '),
    organization: principal.organization,
    customer: principal.customer ?? null,
  };
}

/** What a list is asked for beside filters: another search has another list. */
function ownParameters(route: ApiRoute, request: FastifyRequest): string[] {
  if (route.query === undefined) return [];
  const known = namesOf(route.query);
  const sent = queryPairs(request.raw.url ?? '').filter(({ name }) => known.has(name));
  return sent.map(({ name, value }) => JSON.stringify([name, value])).sort();
}

/** The route with the ids in its path: a cursor or a key of one contract's list means nothing for another's. */
export function placeOf(route: ApiRoute, request: FastifyRequest): string {
  const params = request.params as Record<string, string>;
  return [routeName(route), ...Object.values(params)].join(' ');
}
