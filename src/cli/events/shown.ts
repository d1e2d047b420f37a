import type { EndpointRow } from '../../events/endpoints/queries.ts';

/** One word for people; the instants behind it stand beside it in `show` and in JSON. */
export function stateOf({ disabled_at, failing_since }: EndpointRow): string {
  if (disabled_at !== null) return 'disabled';
  return failing_since === null ? 'on' : 'failing';
}

export function shownEndpoint({ id, topics, ...fields }: EndpointRow) {
  return { endpoint: id, ...fields, topics: topics ?? 'all' };
}
