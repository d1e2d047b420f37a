import type { Database } from '../../../platform/database/db.ts';
import type { Batch } from '../batch.ts';
import { onTimeSince } from '../late.ts';
import { createSnapshotWriter, type SnapshotWriter } from '../writer.ts';
import { createMapReader } from './map-reader.ts';
import { type NodeDeps, type NodeWriter, openNode } from './node.ts';
import { addressOf, type ClusterNode, type ShardMap } from './shard-map.ts';

/** Why a batch goes through the coordinator. */
type Detour = 'late' | 'no_map' | 'no_node';

/** Ends the reading of the map as well, and closes the connections to the nodes. */
export interface NodeWriters extends SnapshotWriter {
  close(): Promise<void>;
}

interface NodeWritersDeps extends NodeDeps {
  /** Asked where the shards lie. */
  besideRequests: Database;
}

/**
 * One writer for each node of a Citus cluster, and one for the coordinator. A batch whose assets all lie on one node goes
 * straight there: the coordinator has no part in it, and another node that is away does not hold it up. Every other batch
 * goes through the coordinator. A map that is out of date costs time and nothing else: the node sends rows on.
 */
export function createNodeWriters(deps: NodeWritersDeps): NodeWriters {
  const { clock, metrics, besideRequests } = deps;
  const detours = metrics.counter(
    'snapshot_coordinator_batches_total',
    'Batches that went through the coordinator',
    ['reason'],
  );
  const coordinator = createSnapshotWriter(deps);
  const byAddress = new Map<string, NodeWriter>();
  const leaving = new Set<Promise<void>>();
  const places = createMapReader({ ...deps, database: besideRequests, onRead: retire });

  /** A node that the map no longer has gets no further batch; what it was given before is finished. */
  function retire({ nodes }: ShardMap): void {
    const present = new Set(nodes.map(addressOf));
    for (const [address, node] of byAddress) {
      if (present.has(address)) continue;
      byAddress.delete(address);
      const left = node.end().finally(() => leaving.delete(left));
      leaving.add(left);
    }
  }

  function writerOf(node: ClusterNode): NodeWriter {
    const address = addressOf(node);
    const known = byAddress.get(address) ?? openNode(deps, node, coordinator, places.readAgain);
    byAddress.set(address, known);
    return known;
  }

  function choose(batch: Batch): ClusterNode | Detour {
    /* The queue for sums of late rows is a table of the coordinator, and both are committed together. */
    if (batch.start < onTimeSince(clock)) return 'late';
    const map = places.current();
    if (map === null) return 'no_map';
    return map.nodeOf(batch.encoded.runs.map(({ key }) => key)) ?? 'no_node';
  }

  /** The coordinator last: nodes hand batches over to it. */
  async function afterNodes(finish: (node: NodeWriter) => Promise<void>): Promise<void> {
    await Promise.all([...[...byAddress.values()].map(finish), ...leaving]);
    await coordinator.drain();
  }

  return {
    write(sender, batch, signal) {
      const chosen = choose(batch);
      if (typeof chosen !== 'string') return writerOf(chosen).write(sender, batch, signal);
      detours.inc({ reason: chosen });
      return coordinator.write(sender, batch, signal);
    },
    compare: coordinator.compare,
    waiting: () => [coordinator, ...byAddress.values()].reduce((sum, writer) => sum + writer.waiting(), 0),
    drain: () => afterNodes((node) => node.drain()),
    close: async () => {
      await places.stop();
      await afterNodes((node) => node.end());
    },
  };
}
