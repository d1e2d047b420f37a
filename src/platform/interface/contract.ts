import type { z } from 'zod';
import { changedObjects, rewriteOfObjects } from './changed-objects.ts';
import type { FilterFields, ListFilter } from './filters.ts';
import type { ApiRoute, CsvForm } from './route.ts';
import { concerns, objectOf, type VersionChange } from './version-change.ts';

type Json = Record<string, unknown>;

/** One route as one version has it. */
export interface Contract {
  readonly route: ApiRoute;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  /** What can be filtered; undefined where the route is no list. */
  readonly filters: FilterFields | undefined;
  readonly response: z.ZodType;
  /** The answer as a table; undefined where the version has none. */
  readonly csv: CsvForm | undefined;
  /** Encodes what the handler returns, before it is rewritten backward; only what it lists comes through. */
  readonly encoded: z.ZodType;
}

/** With the ways between the version and the newest one. */
export interface CompiledContract extends Contract {
  forward(request: { query: Json; body: unknown }): { query: Json; body: unknown };
  /** A filter as the newest version reads it, whose names may be others. */
  forwardFilter(filter: ListFilter): ListFilter;
  backward(body: Json): Json;
  /** The changes by object that this route's answer is touched by. */
  objectChanges: readonly VersionChange[];
}

/** `crossed`: the changes between the version and the newest one, oldest first. */
export function compileContract(route: ApiRoute, crossed: readonly VersionChange[]): CompiledContract {
  let { query, body, response } = route;
  let encoded = response;
  let filters = route.list?.filters;
  const steps: ((body: Json) => Json)[] = [];
  const objectChanges: VersionChange[] = [];
  for (const change of crossed.toReversed()) {
    const { schema, response: rewrite } = change;
    const object = objectOf(change);
    if (object !== null) {
      const found = rewriteOfObjects(response, object, rewrite ?? ((shown) => shown));
      if (found === null) continue;
      objectChanges.push(change);
      if (rewrite !== undefined) steps.push(found as (body: Json) => Json);
      if (schema?.response !== undefined) response = changedObjects(response, object, schema.response);
      if (schema?.encoded !== undefined) encoded = changedObjects(encoded, object, schema.encoded);
    } else if (concerns(change, route)) {
      if (rewrite !== undefined) steps.push(rewrite);
      if (query !== undefined && schema?.query !== undefined) query = schema.query(query);
      if (body !== undefined && schema?.body !== undefined) body = schema.body(body);
      if (filters !== undefined && schema?.filters !== undefined) filters = schema.filters(filters);
      if (schema?.response !== undefined) response = schema.response(response);
      if (schema?.encoded !== undefined) encoded = schema.encoded(encoded);
    }
  }
  const csv = crossed.some(({ name }) => name !== undefined && name === route.csv?.since)
    ? undefined
    : route.csv;
  const ofRequests = crossed.filter((change) => concerns(change, route));
  return {
    ...{ route, query, body, filters, response, csv, encoded, objectChanges },
    forward: (older) => ofRequests.reduce((current, change) => change.request?.(current) ?? current, older),
    forwardFilter: (older) =>
      ofRequests.reduce((current, change) => change.filter?.(current) ?? current, older),
    backward: (newest) => steps.reduce((current, step) => step(current), newest),
  };
}
