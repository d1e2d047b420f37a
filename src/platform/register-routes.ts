import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { VersionName } from '../versions/names.ts';
import { answerText } from './answer-text.ts';
import { shortAddress } from './audit.ts';
import { type ErrorEntry, Failure, unavailable } from './errors.ts';
import { parseFilters } from './filters.ts';
import { HANDLER_TIMEOUT_MILLISECONDS } from './http-server.ts';
import { type IdempotencyRequest, idempotencyRequestOf, type Replay } from './idempotency.ts';
import { cursorAfter, type PageScope, readPage } from './pagination.ts';
import type { Principal } from './principal.ts';
import { type QueryPair, queryPairs, singleValues } from './query.ts';
import { type CheckedInput, principalOf } from './request-context.ts';
import { type ApiRequest, type ApiRoute, type ListRequest, type Page, routeName } from './route.ts';
import type { Contract, VersionEngine } from './versioning.ts';
import { compiled, entriesOf } from './zod.ts';

export interface RegisterOptions {
  versions: VersionEngine;
  cursorKey: string;
  /** Keeps in the audit log who read personal data; must not throw. */
  onPersonalRead(principal: Principal, request: FastifyRequest, route: ApiRoute): void;
}

/** Puts every route of the interface into Fastify: one handler shape, validation by the request's own version. */
export function registerRoutes(app: FastifyInstance, options: RegisterOptions): void {
  for (const route of options.versions.routes) {
    const name = routeName(route);
    app.route({
      method: route.method,
      url: route.path.replace(/\{([a-z_]+)\}/g, ':$1'),
      config: { api: { route, name } },
      preValidation: async (request) => {
        try {
          request.checked = checkInput(options, route, request);
        } catch (error) {
          request.releaseBody?.();
          throw error;
        }
      },
      handler: async (request, reply) => {
        try {
          return await withinTime(answer(options, route, request, reply));
        } finally {
          request.releaseBody?.();
        }
      },
    });
  }
}

/**
 * The caller hears 503 when the work takes too long; the work itself goes on to its own limits (statement time-outs of
 * the database, the signal of the request). Counted from here, not from the first byte of a slow body.
 */
async function withinTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () =>
        reject(unavailable('The request took too long; its outcome is unknown, and it may be sent again')),
      HANDLER_TIMEOUT_MILLISECONDS,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Query first, then body: every problem of both is listed, in that order. */
function checkInput(options: RegisterOptions, route: ApiRoute, request: FastifyRequest): CheckedInput {
  const version = request.apiVersion;
  const contract = options.versions.contract(routeName(route), version);
  const pairs = queryPairs(request.raw.url ?? '');
  const findings = new InputFindings();
  const rawQuery = singleValues(pairs, namesOf(contract.query), findings.query);
  const query = findings.check(contract.query, rawQuery, 'query') as Record<string, unknown>;
  const list = route.list === undefined ? null : checkList(options, route, request, pairs, findings);
  /* A missing body counts as an empty object; a sent `null` does not. */
  const rawBody = request.body === undefined ? {} : request.body;
  const body = route.validatesOwnBody === true ? rawBody : findings.check(contract.body, rawBody, 'body');
  findings.throwIfAny(pairs);
  const forwarded = options.versions.forward(routeName(route), version, { query: query ?? {}, body });
  return { ...forwarded, list };
}

function namesOf(schema: Contract['query']): ReadonlySet<string> {
  return new Set(schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);
}

function checkList(
  options: RegisterOptions,
  route: ApiRoute,
  request: FastifyRequest,
  pairs: readonly QueryPair[],
  findings: InputFindings,
): CheckedInput['list'] {
  if (route.list === undefined) return null;
  const { filters, entries } = parseFilters(pairs, route.list.filters, route.list.requiredFilters);
  findings.add('query', entries);
  const page = readPage(pairs, pageScope(options, route, request), filters);
  findings.add('query', page.entries);
  return { limit: page.limit, after: page.after, filters };
}

function pageScope(options: RegisterOptions, route: ApiRoute, request: FastifyRequest): PageScope {
  const principal = principalOf(request);
  return {
    key: options.cursorKey,
    route: routeName(route),
    organization: principal.organization,
    customer: principal.customer ?? null,
  };
}

/** Problems of query and body; a set of nothing but disallowed values of enums is 422, everything else 400. */
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
    /* One by one: the list has no limit, and the arguments of a single call have the stack's. */
    for (const entry of entriesOf(result.error.issues, input)) this[part].push(entry);
    return undefined;
  }

  throwIfAny(pairs: readonly QueryPair[]): void {
    const position = (entry: ErrorEntry) => {
      const index = pairs.findIndex((pair) => pair.name === entry.field);
      return index === -1 ? pairs.length : index;
    };
    const entries = [...this.query.toSorted((a, b) => position(a) - position(b)), ...this.body];
    if (entries.length === 0) return;
    const onlyDisallowed = !this.#filterProblem && entries.every((entry) => entry.code === 'invalid_value');
    throw new Failure(onlyDisallowed ? 'UNPROCESSABLE_ENTITY' : 'BAD_REQUEST', { entries });
  }
}

async function answer(
  options: RegisterOptions,
  route: ApiRoute,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const principal = principalOf(request);
  const result = await route.handler(apiRequest(options, route, request, principal, signalOf(reply)));
  const body = isReplay(result) ? result.body : result;
  if (isReplay(result)) reply.header('idempotent-replayed', 'true');
  if (route.readsPersonalData === true) options.onPersonalRead(principal, request, route);
  reply.type('application/json; charset=utf-8');
  return reply.send(answerText(encode(options.versions, route, request.apiVersion, body)));
}

/**
 * Aborts when the caller leaves before the answer. Fastify's own `request.signal` listens to the request's `close`, which
 * Node emits as soon as a body has been read: it would be aborted on every POST.
 */
function signalOf(reply: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) leaving.abort();
  });
  return leaving.signal;
}

function isReplay(result: unknown): result is Replay {
  return typeof result === 'object' && result !== null && 'replayed' in result;
}

/*
 * Encoding by the newest schema comes first, so that a column that no schema lists cannot leak through the rewriting of
 * an older version.
 */
function encode(versions: VersionEngine, route: ApiRoute, version: VersionName, body: unknown): unknown {
  const name = routeName(route);
  const one = (item: unknown) =>
    versions.backward(name, version, compiled(route.response).parse(item) as Record<string, unknown>);
  if (route.list === undefined) return one(body);
  const page = body as Page<unknown>;
  return versions.backwardEnvelope(version, {
    object: 'list',
    items: page.items.map(one),
    has_more: page.next_page !== null,
    next_page: page.next_page,
  });
}

function apiRequest(
  options: RegisterOptions,
  route: ApiRoute,
  request: FastifyRequest,
  principal: Principal,
  signal: AbortSignal,
): ApiRequest {
  const checked = request.checked as CheckedInput;
  return {
    principal,
    version: request.apiVersion,
    id: request.id,
    params: request.params as Record<string, string>,
    query: checked.query,
    get body() {
      return checked.body;
    },
    takeBody: () => {
      const { body } = checked;
      checked.body = undefined;
      request.body = undefined;
      return body;
    },
    list: listRequest(options, route, request, checked.list),
    idempotency: idempotencyOf(route, request),
    address: shortAddress(request.ip),
    signal,
    log: request.log,
  };
}

function listRequest(
  options: RegisterOptions,
  route: ApiRoute,
  request: FastifyRequest,
  list: CheckedInput['list'],
): ListRequest {
  const { limit, after, filters } = list ?? { limit: 0, after: null, filters: [] };
  const scope = pageScope(options, route, request);
  return { limit, after, filters, cursorAfter: (row) => cursorAfter(row, limit, scope, filters) };
}

function idempotencyOf(route: ApiRoute, request: FastifyRequest): IdempotencyRequest | null {
  if (route.idempotent !== true) return null;
  return idempotencyRequestOf(request.raw.rawHeaders, routeName(route), request.bodyBytes);
}
