import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shortAddress } from '../audit.ts';
import { JsonText } from '../body/json-text.ts';
import { type ErrorEntry, unavailable } from '../errors.ts';
import { HANDLER_TIMEOUT_MILLISECONDS } from '../http/server.ts';
import type { Principal } from '../principal.ts';
import { createTimeBudgets, type TimeBudgets } from '../rate-limit/time-budgets.ts';
import type { VersionName } from '../version-name.ts';
import { answerText } from './answer-text.ts';
import { checkInput, isUnread, namesOf, pageScope, placeOf, readAndCheck } from './check-input.ts';
import { fixedFieldEntries, hasOtherFields } from './fixed-fields.ts';
import { type IdempotencyRequest, idempotencyRequestOf, type Replay } from './idempotency.ts';
import { cursorAfter } from './pagination.ts';
import { type FindPrepared, preparedAnswers } from './prepared-answer.ts';
import { type CheckedInput, principalOf } from './request-context.ts';
import {
  type ApiRequest,
  type ApiRoute,
  type ListRequest,
  type Page,
  type PreparedAnswer,
  routeName,
} from './route.ts';
import type { VersionEngine } from './versioning.ts';
import { wholeList } from './whole-list.ts';
import { compiled } from './zod.ts';

export interface RegisterOptions {
  versions: VersionEngine;
  cursorKey: string;
  /** Keeps in the audit log who read personal data; must not throw. */
  onPersonalRead(principal: Principal, request: FastifyRequest, route: ApiRoute): void;
  /** How long the work on one request may take; 20 s where absent. */
  handlerMilliseconds?: number;
}

interface Answering extends RegisterOptions {
  findPrepared: FindPrepared;
  timeBudgets: TimeBudgets;
}

/** Puts every route of the interface into Fastify: one handler shape, validation by the request's own version. */
export function registerRoutes(app: FastifyInstance, options: RegisterOptions): void {
  const answering: Answering = {
    ...options,
    findPrepared: preparedAnswers(),
    timeBudgets: createTimeBudgets(),
  };
  const milliseconds = options.handlerMilliseconds ?? HANDLER_TIMEOUT_MILLISECONDS;
  for (const route of options.versions.routes) {
    const name = routeName(route);
    app.route({
      method: route.method,
      url: route.path.replace(/\{([a-z_]+)\}/g, ':$1'),
      config: { api: { route, name } },
      /* Prepared answers are compressed once for all callers. */
      ...(route.prepared === true && { compress: false }),
      preValidation: (request, _reply, done) => {
        try {
          if (!isUnread(route, request)) request.checked = checkInput(options, route, request);
        } catch (error) {
          request.releaseBody?.();
          throw error;
        }
        done();
      },
      handler: async (request, reply) => {
        let send: Send;
        try {
          send = await withinTime(milliseconds, answerInTurn(answering, route, request, reply));
        } finally {
          request.releaseBody?.();
        }
        return send();
      },
    });
  }
}

const TOO_LATE = 'The request took too long; its outcome is unknown, and it may be sent again';

/**
 * The caller hears 503 when the work takes too long; the work itself goes on to its own limits (statement time-outs of
 * the database, the signal of the request). Counted from here, not from the first byte of a slow body. One promise: a
 * race of two has five.
 */
function withinTime<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unavailable(TOO_LATE)), milliseconds);
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/**
 * Sends the answer that was found. Not part of the work that is held to its time: a long list is written for as long as
 * its reader takes something of it, and an answer that was begun cannot become a 503.
 */
type Send = () => FastifyReply;

function answerInTurn(options: Answering, route: ApiRoute, request: FastifyRequest, reply: FastifyReply) {
  const { timeBudgets } = options;
  const answer = () => answerOf(options, route, request, reply);
  if (isUnread(route, request)) {
    return timeBudgets.inTurn(principalOf(request).organization, async () => {
      readAndCheck(options, route, request, reply);
      return await answer();
    });
  }
  if (route.isLong?.(request.checked?.query) !== true) return answer();
  return timeBudgets.inTurn(principalOf(request).organization, answer);
}

async function answerOf(
  options: Answering,
  route: ApiRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Send> {
  const principal = principalOf(request);
  const asked = new CheckedRequest(options, route, request, reply);
  if (route.list !== undefined && !options.versions.hasPages(request.apiVersion)) {
    const texts = await answerWhole(options.versions, route, asked);
    if (route.readsPersonalData === true) options.onPersonalRead(principal, request, route);
    return () => reply.type('application/json; charset=utf-8').send(texts);
  }
  const result = await route.handler(asked);
  if (route.prepared === true) return await options.findPrepared(request, reply, result as PreparedAnswer);
  const body = isReplay(result) ? result.body : result;
  const text = answerText(encode(options.versions, route, request.apiVersion, body));
  if (route.readsPersonalData === true) options.onPersonalRead(principal, request, route);
  return () => {
    if (isReplay(result)) reply.header('idempotent-replayed', 'true');
    return reply.type('application/json; charset=utf-8').send(text);
  };
}

function answerWhole(versions: VersionEngine, route: ApiRoute, asked: ApiRequest) {
  return wholeList(
    async (portion) => {
      const part: ApiRequest = Object.create(asked, { list: { value: { ...asked.list, ...portion } } });
      return (await route.handler(part)) as Page<unknown>;
    },
    (item) => encodeOne(versions, route, asked.version, item),
  );
}

/**
 * Aborts when the caller leaves before the answer. Fastify's own `request.signal` listens to the request's `close`, which
 * Node emits as soon as a body has been read: it would be aborted on every POST.
 */
function signalOf(reply: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  const left = () => {
    if (!reply.raw.writableFinished) leaving.abort();
  };
  if (reply.raw.destroyed) left();
  else reply.raw.once('close', left);
  return leaving.signal;
}

function isReplay(result: unknown): result is Replay {
  return typeof result === 'object' && result !== null && 'replayed' in result;
}

/*
 * Encoding by a schema comes first, so that a column that no schema lists cannot leak through the rewriting of an older
 * version.
 */
function encodeOne(versions: VersionEngine, route: ApiRoute, version: VersionName, item: unknown): unknown {
  const name = routeName(route);
  const encoded = compiled(versions.contract(name, version).encoded).parse(item);
  return versions.backward(name, version, encoded as Record<string, unknown>);
}

function encode(versions: VersionEngine, route: ApiRoute, version: VersionName, body: unknown): unknown {
  if (route.list === undefined) return encodeOne(versions, route, version, body);
  const page = body as Page<unknown>;
  return versions.backwardEnvelope(version, {
    object: 'list',
    items: page.items.map((item) => encodeOne(versions, route, version, item)),
    has_more: page.next_page !== null,
    next_page: page.next_page,
  });
}

/**
 * What few handlers look at is made when it is asked for: together it took a tenth of a small request's time. A class,
 * because getters of an object literal are new functions and a new hidden class each time: those kept 6 kB of every
 * request alive until the next full collection.
 */
class CheckedRequest implements ApiRequest {
  readonly principal: Principal;
  readonly version: VersionName;
  readonly id: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly list: ListRequest;
  readonly idempotency: IdempotencyRequest | null;
  readonly log: FastifyRequest['log'];
  readonly takeJson: ApiRequest['takeJson'];
  readonly fixedFields: ApiRequest['fixedFields'];
  private readonly versions: VersionEngine;
  private readonly checked: CheckedInput;
  private readonly request: FastifyRequest;
  private readonly reply: FastifyReply;
  private leaving: AbortSignal | null = null;

  constructor(options: RegisterOptions, route: ApiRoute, request: FastifyRequest, reply: FastifyReply) {
    const checked = request.checked as CheckedInput;
    this.principal = principalOf(request);
    this.version = request.apiVersion;
    this.id = request.id;
    this.params = request.params as Record<string, string>;
    this.query = checked.query;
    this.list = listRequest(options, route, request, checked.list);
    this.idempotency = idempotencyOf(route, request);
    this.log = request.log;
    this.takeJson = () => {
      const { body } = checked;
      checked.body = undefined;
      request.body = undefined;
      if (body instanceof JsonText) return body;
      throw new TypeError(`${routeName(route)} does not read its own body, or has taken it before`);
    };
    this.fixedFields = (shown) => fixedFieldsOf(options.versions, route, request, shown);
    this.versions = options.versions;
    this.checked = checked;
    this.request = request;
    this.reply = reply;
  }

  knows(change: string): boolean {
    return this.versions.knows(change, this.version);
  }

  requires(change: string, field: string): void {
    this.versions.require(change, this.version, field);
  }

  get body(): unknown {
    return this.checked.body;
  }

  get address(): string {
    return shortAddress(this.request.remoteAddress);
  }

  get signal(): AbortSignal {
    this.leaving ??= signalOf(this.reply);
    return this.leaving;
  }
}

async function fixedFieldsOf(
  versions: VersionEngine,
  route: ApiRoute,
  request: FastifyRequest,
  shown: () => unknown,
): Promise<ErrorEntry[]> {
  const sent = request.body;
  const changeable = namesOf(versions.contract(routeName(route), request.apiVersion).body);
  if (!hasOtherFields(sent, changeable)) return [];
  const encoded = encodeOne(versions, route, request.apiVersion, await shown());
  return fixedFieldEntries(sent, changeable, JSON.parse(answerText(encoded)));
}

function listRequest(
  options: RegisterOptions,
  route: ApiRoute,
  request: FastifyRequest,
  list: CheckedInput['list'],
): ListRequest {
  const { limit, after, filters } = list ?? { limit: 0, after: null, filters: [] };
  return {
    limit,
    after,
    filters,
    cursorAfter: (row) => cursorAfter(row, limit, pageScope(options, route, request), filters),
  };
}

function idempotencyOf(route: ApiRoute, request: FastifyRequest): IdempotencyRequest | null {
  if (route.idempotent !== true) return null;
  /* Two customers of one client may choose the same key. */
  const { customer } = principalOf(request);
  const place = placeOf(route, request) + (customer === undefined ? '' : ` for ${customer}`);
  return idempotencyRequestOf(request.raw.rawHeaders, place, request.bodyBytes);
}
