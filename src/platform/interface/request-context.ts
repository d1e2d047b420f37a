import type { Span } from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import type { ErrorEntry } from '../errors.ts';
import { type Caller, STRANGERS, type TurnLength } from '../fair-queue.ts';
import { pageOrJson } from '../http/accept.ts';
import type { Principal } from '../principal.ts';
import type { ListFilter } from './filters.ts';
import type { PagePosition } from './pagination.ts';
import type { ApiRoute, RouteName } from './route.ts';

/** What validation leaves for the handler. */
export interface CheckedInput {
  query: Record<string, unknown>;
  body: unknown;
  list: {
    limit: number;
    after: PagePosition | null;
    filters: readonly ListFilter[];
  } | null;
  /** Whether the answer is costly and waits for a turn. */
  turn: TurnLength | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on routes of the interface; routes without it are public. */
    api?: { route: ApiRoute; name: RouteName };
  }
  interface FastifyRequest {
    principal: Principal | null;
    /** The event loop is late: those that cause it are turned away. */
    isUnderPressure: boolean;
    /** For whom costly work is done; null until the token is known. */
    caller: Caller | null;
    /** The inflated body as it was received, for the hash of an idempotency key. */
    bodyBytes: Buffer | null;
    /** Its work took too long: the caller is told so, and nobody needs the rest of the work. */
    isTooLate: boolean;
    checked: CheckedInput | null;
    /** Where it is traced. */
    span?: Span | undefined;
    /** How many rows it newly stored; null on routes that do not say. */
    rowsStored: number | null;
    /** The first problems of its refusal. */
    problems: Pick<ErrorEntry, 'code' | 'field'>[] | null;
  }
}

export function apiRouteOf(request: FastifyRequest): { route: ApiRoute; name: RouteName } | undefined {
  return request.routeOptions.config?.api;
}

/** A browser that a person looks at, and no program: its failures are pages. Routes of the interface answer JSON to all. */
export function expectsPage(request: FastifyRequest): boolean {
  const { method, headers } = request.raw;
  if ((method !== 'GET' && method !== 'HEAD') || headers.authorization !== undefined) return false;
  return apiRouteOf(request) === undefined && pageOrJson(headers.accept, 'json') === 'page';
}

export function callerOfRequest({ caller }: FastifyRequest): Caller {
  return caller ?? STRANGERS;
}

export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error('This request has no principal');
  return request.principal;
}

/** Every value of one header as it came over the wire; Node joins or drops repeated ones elsewhere. */
export function rawHeaderValues(request: FastifyRequest, name: string): string[] {
  const raw = request.raw.rawHeaders;
  const values: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const sent = raw[index] ?? '';
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(raw[index + 1] ?? '');
  }
  return values;
}
