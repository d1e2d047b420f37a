import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import type { JsonText } from '../body/json-text.ts';
import type { ErrorEntry } from '../errors.ts';
import type { Caller, TurnLength } from '../fair-queue.ts';
import type { Principal } from '../principal.ts';
import type { RuleCode } from '../rule-codes.ts';
import type { VersionName } from '../version-name.ts';
import type { AnswerWithHeaders } from './answer-with-headers.ts';
import type { FilterFields, ListFilter } from './filters.ts';
import type { IdempotencyRequest, ReplayedAnswer } from './idempotency.ts';
import type { PagePosition } from './pagination.ts';

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** `GET /assets/{id}`: how a route is named in the version list, in messages, in metrics and in the audit log. */
export type RouteName = `${HttpMethod} /${string}`;

/** The reach of a token of one customer here: its own records, everything, nothing (403). */
export type CustomerTokens = 'own' | 'all' | 'no';

/** One page of a list as a handler returns it; the envelope is added around it. */
export interface Page<Item> {
  items: Item[];
  /** Null on the last page. */
  next_page: string | null;
}

/** What a list handler gets after `limit`, `cursor` and the filters were checked. */
export interface ListRequest {
  limit: number;
  /** Position behind which the page begins; null on the first page. */
  after: PagePosition | null;
  filters: readonly ListFilter[];
  /** Turns the last row of a page that has a successor into the signed text of `next_page`. */
  cursorAfter(row: PagePosition): string;
}

/** One authenticated request as handlers see it: checked, rewritten to the newest version, without HTTP. */
export interface ApiRequest<Query = unknown, Body = unknown> {
  readonly principal: Principal;
  /** For whom costly work is done. */
  readonly caller: Caller;
  readonly version: VersionName;
  /** Whether the caller's version has the change of that name (`feed-in`): for what rewriting cannot express. */
  knows(change: string): boolean;
  /** Refuses what needs that change in a version that has it not, naming the field and the version to use. */
  requires(change: string, field: string): void;
  /** The UUID of `requestId`. */
  readonly id: string;
  /** The route that is called, for the audit log. */
  readonly route: RouteName;
  /** `{id}` of the path. A text that cannot be an id was answered 404 before. */
  readonly pathId: string;
  readonly query: Query;
  readonly body: Body;
  /**
   * Gives a route that reads its body itself these bytes and forgets them. So their memory is free when the handler is
   * done with them, not when the answer is sent.
   */
  takeJson(): JsonText;
  /**
   * For a route that changes a resource: one entry for each field of it that this route cannot change and that was sent with
   * another value. `shown` is what the answer would show now; it is asked for only when such a field was sent.
   */
  fixedFields(shown: () => unknown): Promise<ErrorEntry[]>;
  /** Present on list routes. */
  readonly list: ListRequest;
  /** The idempotency key of a creating POST with the hash of its body; null when none was sent. */
  readonly idempotency: IdempotencyRequest | null;
  /** The shortened remote address, for the audit log. */
  readonly address: string;
  readonly signal: AbortSignal;
  readonly log: FastifyBaseLogger;
}

/**
 * An answer that the handler has encoded by itself and that callers keep: a long series out of a cache. It is sent as it
 * is, so no older version may differ on this route.
 */
export interface PreparedAnswer {
  readonly prepared: true;
  /** Names the present state before its text is made: a client that has it already gets 304 and costs no text. */
  find(): Promise<{
    /** Another one for every other content, also of other callers; visible ASCII without quotes. */
    readonly name: string;
    readonly headers: Readonly<Record<string, string>>;
    /** JSON; null when it changed since it was named. */
    text(): Promise<string | null>;
    /** The same as a table, where the route has `csv` and the caller's version knows it. */
    readonly csv?: { readonly fileName: string; text(): Promise<string | null> } | undefined;
  }>;
}

/** An answer that is also had as CSV, by `Accept: text/csv`. */
export interface CsvForm {
  /** The name of the change with which it came. */
  since: string;
  /** The heading. */
  columns: readonly string[];
  /** For the API description. */
  description: string;
  /** Rows below the columns. */
  example: readonly string[];
}

export interface ApiRoute {
  method: HttpMethod;
  /** With placeholders for ids in braces: `/assets/{id}`. */
  path: `/${string}`;
  /** For the API description: one sentence, then what a caller must know. */
  summary: string;
  description?: string;
  tag: string;
  customerTokens: CustomerTokens;
  /** Rules of the business by which a call is refused, for the API description: each code stands in `errors`. */
  refusals?: readonly RuleCode[];
  query?: z.ZodType;
  body?: z.ZodType;
  /** The newest version's answer; of one item on list routes. */
  response: z.ZodType;
  /** For the API description, in the newest version; of one item on list routes. */
  example?: { response: object; body?: object };
  /** Makes this a list route: these fields can be filtered. `required`: at least one of them must be. */
  list?: { filters: FilterFields; requiredFilters?: readonly string[] };
  /** The headers that an `AnswerWithHeaders` of this route may have, by name, and their words for the API description. */
  answerHeaders?: Readonly<Record<string, string>>;
  /** Takes an `Idempotency-Key`: only on POSTs that create. */
  idempotent?: boolean;
  /** The answer shows personal data: who read it is kept in the audit log. */
  readsPersonalData?: boolean;
  /** How many rows its answer says were newly stored: for the request log. */
  storedRows?(answer: unknown): number;
  /** Largest body after inflating, in bytes; 1 MiB where absent. */
  bodyBytesMax?: number;
  /**
   * The handler reads and validates the body itself and lists every problem: because its rules look at the good rows of
   * a bad body too, and because it can be faster than JSON.parse. `body` then only describes it.
   */
  readsOwnBody?: boolean;
  /** The handler gives a `PreparedAnswer`, with an entity tag and 304. */
  prepared?: boolean;
  /** A prepared answer that is also had as a table. */
  csv?: CsvForm;
  /**
   * The route answers 302 without a body; the handler gives the address. What the address leads to, for the API
   * description.
   */
  redirectsTo?: string;
  /** Whether a checked query is costly and waits for a turn: a short one comes before the long ones of the same caller. */
  turn?(query: unknown): TurnLength | null;
  handler(request: ApiRequest): Promise<unknown>;
}

interface RouteOptions<Query extends z.ZodType, Body extends z.ZodType, Response extends z.ZodType>
  extends Omit<
    ApiRoute,
    'query' | 'body' | 'response' | 'example' | 'handler' | 'list' | 'turn' | 'storedRows'
  > {
  query?: Query;
  storedRows?(answer: z.input<Response>): number;
  turn?(query: z.output<Query>): TurnLength | null;
  body?: Body;
  response: Response;
  example?: { response: z.input<Response>; body?: z.input<Body> };
  handler(
    request: ApiRequest<z.output<Query>, z.output<Body>>,
  ): Promise<z.input<Response> | AnswerWithHeaders<z.input<Response>> | ReplayedAnswer | PreparedAnswer>;
}

/** Where a route of `redirectRoute` leads its caller. */
export interface Redirect {
  location: string;
}

interface RedirectRouteOptions
  extends Pick<
    ApiRoute,
    'path' | 'summary' | 'description' | 'tag' | 'customerTokens' | 'readsPersonalData'
  > {
  redirectsTo: string;
  handler(request: ApiRequest): Promise<Redirect>;
}

interface ListRouteOptions<Item extends z.ZodType>
  extends Omit<ApiRoute, 'body' | 'response' | 'example' | 'handler' | 'method'> {
  response: Item;
  example?: { response: z.input<Item> };
  list: NonNullable<ApiRoute['list']>;
  handler(request: ApiRequest): Promise<Page<z.input<Item>>>;
}

/** Describes a route whose handler is checked against its schemas by the compiler. */
export function route<Query extends z.ZodType, Body extends z.ZodType, Response extends z.ZodType>(
  options: RouteOptions<Query, Body, Response>,
): ApiRoute {
  return options as unknown as ApiRoute;
}

/** Describes a list route: newest first, pages by signed cursor, strict filters. */
export function listRoute<Item extends z.ZodType>(options: ListRouteOptions<Item>): ApiRoute {
  return { ...options, method: 'GET' } as unknown as ApiRoute;
}

/** Describes a route that leads elsewhere: its answer has an address and no body, the same in every version. */
export function redirectRoute(options: RedirectRouteOptions): ApiRoute {
  return { ...options, method: 'GET', response: z.never() };
}

export function routeName(route: Pick<ApiRoute, 'method' | 'path'>): RouteName {
  return `${route.method} ${route.path}`;
}
