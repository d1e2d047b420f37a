import { isDeepStrictEqual } from 'node:util';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { shortAddress } from '../audit.ts';
import { JsonText } from '../body/json-text.ts';
import { type ErrorEntry, notFound } from '../errors.ts';
import type { Caller } from '../fair-queue.ts';
import { isId } from '../ids.ts';
import type { Principal } from '../principal.ts';
import type { VersionName } from '../version-name.ts';
import { answerText } from './answer-text.ts';
import { type InputOptions, namesOf, pageScope, placeOf } from './check-input.ts';
import type { Contract } from './contract.ts';
import { encodeOne } from './encode.ts';
import { type IdempotencyRequest, idempotencyRequestOf } from './idempotency.ts';
import { cursorAfter } from './pagination.ts';
import { type CheckedInput, callerOfRequest, principalOf } from './request-context.ts';
import { type ApiRequest, type ApiRoute, type ListRequest, type RouteName, routeName } from './route.ts';
import type { VersionEngine } from './versioning.ts';

/** Placeholders of a path stand for ids: no row has another text, and a database would refuse some of them. */
export function assertPathIds(request: FastifyRequest): void {
  const params = request.params as Record<string, string>;
  if (!Object.values(params).every(isId)) throw notFound();
}

/**
 * Parts that few handlers look at are made at their first use: together they took a tenth of a small request's time. A
 * class, because getters of an object literal are new functions and a new hidden class each time: those kept 6 kB of every
 * request alive until the next full collection.
 */
export class CheckedRequest implements ApiRequest {
  readonly principal: Principal;
  readonly version: VersionName;
  readonly id: string;
  readonly route: RouteName;
  readonly query: unknown;
  readonly idempotency: IdempotencyRequest | null;
  readonly log: FastifyRequest['log'];
  private readonly options: InputOptions;
  private readonly apiRoute: ApiRoute;
  private readonly checked: CheckedInput;
  private readonly request: FastifyRequest;
  private readonly reply: FastifyReply;
  private leaving: AbortSignal | null = null;

  constructor(options: InputOptions, route: ApiRoute, request: FastifyRequest, reply: FastifyReply) {
    const checked = request.checked as CheckedInput;
    this.principal = principalOf(request);
    this.version = request.apiVersion;
    this.id = request.id;
    this.route = routeName(route);
    this.query = checked.query;
    this.idempotency = idempotencyOf(route, request);
    this.log = request.log;
    this.options = options;
    this.apiRoute = route;
    this.checked = checked;
    this.request = request;
    this.reply = reply;
  }

  knows(change: string): boolean {
    return this.options.versions.knows(change, this.version);
  }

  requires(change: string, field: string): void {
    this.options.versions.require(change, this.version, field);
  }

  fixedFields(shown: () => unknown): Promise<ErrorEntry[]> {
    return fixedFieldsOf(this.options.versions, this.apiRoute, this.request, shown);
  }

  get caller(): Caller {
    return callerOfRequest(this.request);
  }

  get list(): ListRequest {
    return listRequest(this.options, this.apiRoute, this.request, this.checked.list);
  }

  /** A function that stands alone: handlers hand it on. */
  get takeJson(): ApiRequest['takeJson'] {
    return () => {
      const { body } = this.checked;
      this.checked.body = undefined;
      this.request.body = undefined;
      if (body instanceof JsonText) return body;
      throw new TypeError(`${this.route} does not read its own body, or has taken it before`);
    };
  }

  get pathId(): string {
    const { id } = this.request.params as { id?: string };
    if (id === undefined) throw new TypeError(`${this.route} has no id in its path`);
    return id;
  }

  get body(): unknown {
    return this.checked.body;
  }

  get address(): string {
    return shortAddress(this.request.remoteAddress);
  }

  get signal(): AbortSignal {
    this.leaving ??= signalOf(this.request, this.reply);
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
  const changeable = changeableNames(versions.contract(routeName(route), request.apiVersion).body);
  if (!hasOtherFields(sent, changeable)) return [];
  const encoded = encodeOne(versions, route, request.apiVersion, await shown());
  return fixedFieldEntries(sent, changeable, JSON.parse(answerText(encoded)));
}

/** A strict body names the fields that cannot change as well, read-only. */
function changeableNames(body: Contract['body']): ReadonlySet<string> {
  if (!(body instanceof z.ZodObject)) return namesOf(body);
  const shape: Record<string, z.ZodType> = body.shape;
  return new Set(Object.keys(shape).filter((name) => shape[name]?.meta()?.readOnly !== true));
}

type Json = Readonly<Record<string, unknown>>;

/** Moves with every change, also with that of somebody else: who sends what was read before means no change by it. */
const MOVES_BY_ITSELF = 'updated_at';

const CANNOT_CHANGE = 'Cannot be changed here: leave it out, or send the value that is stored';

/** Whether a body has more in it than what the route changes. */
function hasOtherFields(sent: unknown, changeable: ReadonlySet<string>): sent is Json {
  return isObject(sent) && Object.keys(sent).some((field) => !changeable.has(field));
}

/**
 * One entry for each field that the answer shows, that this route does not change, and that was sent with another value:
 * an answer of 200 would say that it was changed. Fields that nobody knows are not among them.
 */
function fixedFieldEntries(sent: Json, changeable: ReadonlySet<string>, shown: Json): ErrorEntry[] {
  return Object.keys(shown)
    .filter((field) => Object.hasOwn(sent, field) && !changeable.has(field) && field !== MOVES_BY_ITSELF)
    .filter((field) => !isSame(sent[field], shown[field]))
    .map((field) => ({ code: 'custom', field, message: CANNOT_CHANGE }));
}

/** An object may be sent as its id, as lists show it. */
function isSame(sent: unknown, shown: unknown): boolean {
  if (typeof sent === 'string' && isObject(shown)) return sent === shown.id;
  return isDeepStrictEqual(sent, shown);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listRequest(
  options: InputOptions,
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

/**
 * Aborts when the caller leaves before the answer, or has it because the work took too long. Fastify's own
 * `request.signal` listens to the request's `close`, which Node emits as soon as a body has been read: it would be aborted on
 * every POST.
 */
export function signalOf(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  const left = () => {
    if (!reply.raw.writableFinished || request.isTooLate) leaving.abort();
  };
  if (reply.raw.destroyed || request.isTooLate) left();
  else reply.raw.once('close', left);
  return leaving.signal;
}
