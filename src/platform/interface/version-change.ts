import type { z } from 'zod';
import type { ErrorCode, ErrorEntry } from '../errors.ts';
import type { VersionName } from '../version-name.ts';
import type { FilterFields, ListFilter } from './filters.ts';
import { type ApiRoute, type RouteName, routeName } from './route.ts';

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
  /**
   * The members below rewrite requests, answers and errors of these routes, of every list, or of all routes. With `object`:
   * every object of this kind that any answer shows, also inside another one. `schema.response`, `schema.encoded` and
   * `response` then get that object alone.
   */
  appliesTo?: readonly RouteName[] | 'lists' | 'all' | { object: string };
  /** Backward: the older schema made from the newer one. Widening only what was wider. */
  schema?: {
    query?(newer: z.ZodType): z.ZodType;
    body?(newer: z.ZodType): z.ZodType;
    /** Of list routes: the fields that can be filtered. */
    filters?(newer: FilterFields): FilterFields;
    response?(newer: z.ZodType): z.ZodType;
    /**
     * The schema by which an answer is encoded before its rewriting. It is needed where the older version shows fields that
     * the newest one lacks: the newest schema with those fields.
     */
    encoded?(newest: z.ZodType): z.ZodType;
  };
  /** Forward: an older request as the newer version would have sent it. */
  request?(request: { query: Json; body: unknown }): { query: Json; body: unknown };
  /** Forward: one filter of an older request as the newer version would have read it. */
  filter?(filter: ListFilter): ListFilter;
  /** Backward: one answer object (one item on list routes) as the older version showed it. */
  response?(body: Json): Json;
  /** Backward: the list envelope as the older version showed it. */
  envelope?(envelope: Json): Json;
  /** Backward: the error body as the older version showed it. */
  error?(envelope: ErrorEnvelope): ErrorEnvelope;
}

/** The kind of object that a change is about; null where it is about routes. */
export function objectOf(change: VersionChange): string | null {
  const { appliesTo } = change;
  return typeof appliesTo === 'object' && 'object' in appliesTo ? appliesTo.object : null;
}

/** Whether requests, answers and errors of this route as a whole are rewritten by this change. */
export function concerns(change: VersionChange, route: ApiRoute): boolean {
  const { appliesTo } = change;
  if (appliesTo === undefined || objectOf(change) !== null) return false;
  if (appliesTo === 'all') return true;
  if (appliesTo === 'lists') return route.list !== undefined;
  return (appliesTo as readonly RouteName[]).includes(routeName(route));
}
