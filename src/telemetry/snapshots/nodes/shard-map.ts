import { hashOfKey } from './hash.ts';

/** A place of a shard, as Citus' tables have it. Without a host: on the coordinator, or on a node that takes no direct writes. */
export interface ShardRow {
  readonly first_hash: number;
  readonly last_hash: number;
  readonly node_group: number | null;
  readonly host: string | null;
  readonly port: number | null;
}

export interface ClusterNode {
  /** Citus' number of the node and its standbys; a standby that takes over keeps it. */
  readonly group: number;
  readonly host: string;
  readonly port: number;
}

/** Which node holds which hashes, as it was when the map was read. */
export interface ShardMap {
  readonly nodes: readonly ClusterNode[];
  /** The node that all of these keys lie on; null where there is no such one. */
  nodeOf(keys: Iterable<number>): ClusterNode | null;
}

interface Span {
  readonly first: number;
  readonly last: number;
  readonly node: ClusterNode | null;
}

export function shardMapOf(rows: readonly ShardRow[]): ShardMap {
  const nodes = new Map<string, ClusterNode>();
  const spans: Span[] = [];
  for (const row of rows) {
    const before = spans.at(-1);
    /* If a shard lies in several places, no single node can commit all copies. */
    if (before?.first === row.first_hash) spans[spans.length - 1] = { ...before, node: null };
    else spans.push({ first: row.first_hash, last: row.last_hash, node: nodeIn(nodes, row) });
  }
  return {
    nodes: [...nodes.values()],
    nodeOf: (keys) => {
      let found: ClusterNode | null = null;
      for (const key of keys) {
        const node = nodeOfHash(spans, hashOfKey(key));
        if (node === null || (found !== null && node !== found)) return null;
        found = node;
      }
      return found;
    },
  };
}

/** The same object for the same node, so that nodes are compared by what they are. */
function nodeIn(nodes: Map<string, ClusterNode>, { node_group: group, host, port }: ShardRow) {
  if (group === null || host === null || port === null) return null;
  const node = { group, host, port };
  const address = addressOf(node);
  const known = nodes.get(address);
  if (known === undefined) nodes.set(address, node);
  return known ?? node;
}

export function addressOf({ host, port }: ClusterNode): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Shards do not overlap; a hash between two of them lies on no node. */
function nodeOfHash(spans: readonly Span[], hash: number): ClusterNode | null {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle] as Span).first <= hash) low = middle + 1;
    else high = middle;
  }
  const span = spans[low - 1];
  return span === undefined || hash > span.last ? null : span.node;
}
