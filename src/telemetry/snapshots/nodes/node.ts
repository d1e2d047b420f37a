import type { ServiceConfig } from '../../../config/config.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Database, openDatabase } from '../../../platform/database/db.ts';
import {
  isConnectionDoubtful,
  isDatabaseUnavailable,
  SQLSTATE,
  sqlState,
} from '../../../platform/database/pg-errors.ts';
import { Failure, unavailable } from '../../../platform/errors.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { createGroupWrites, NotInThisPlace, type WriteGroup } from '../group.ts';
import { createSnapshotWriter, type SnapshotWriter, type WriterDeps } from '../writer.ts';
import { addressOf, type ClusterNode } from './shard-map.ts';

export interface NodeDeps extends Omit<WriterDeps, 'place'> {
  config: WriterDeps['config'] & Pick<ServiceConfig, 'DATABASE_URL' | 'DATABASE_CONNECTIONS_MAX'>;
}

/** The writer of one node, and its connections. */
export interface NodeWriter extends SnapshotWriter {
  /** Finishes what it was given, then closes the connections. */
  end(): Promise<void>;
}

/**
 * A node that swallows everything answers nothing for 18 seconds. Its batches would take the memory that batches of all other
 * nodes need: after so long without any answer further ones are turned away at once.
 */
const SILENCE_MILLISECONDS_MAX = 5_000;

/** `onTrouble`: a batch failed, or the node did not take a group: it may no longer be the node of these shards. */
export function openNode(
  deps: NodeDeps,
  node: ClusterNode,
  coordinator: SnapshotWriter,
  onTrouble: () => void,
): NodeWriter {
  const { config, clock, traces = null, log } = deps;
  const { batches, refusals } = nodeCounters(deps.metrics);
  const label = { node: String(node.group) };
  /* From the start, as each series that an alarm asks for. */
  for (const outcome of ['answered', 'failed', 'turned_away']) batches.inc({ ...label, outcome }, 0);
  refusals.inc(label, 0);
  const database = openDatabase({
    url: urlOfNode(config.DATABASE_URL, node),
    applicationName: `voltstream-api-node-${node.group}`,
    /* One for each group; what else a process asks goes to the coordinator. */
    connectionsMax: Math.min(config.INGEST_GROUPS_MAX, config.DATABASE_CONNECTIONS_MAX),
    onError: (error) => log.warn({ err: error, ...node }, 'connection to a node lost'),
    traces,
  });
  const onRefused = (error: unknown) => {
    refusals.inc(label);
    log.warn({ err: error, ...node }, 'a node did not take a group, which goes through the coordinator');
    onTrouble();
  };
  const writeGroup = groupWritesOnNode(database, clock, onRefused);
  const writer = createSnapshotWriter({ ...deps, place: { writeGroup, elsewhere: coordinator } });
  let underWay = 0;
  let answeredAt = 0;

  return {
    async write(sender, batch, signal) {
      const now = performance.now();
      if (underWay === 0) answeredAt = now;
      let outcome = 'failed';
      underWay += 1;
      try {
        if (now - answeredAt > SILENCE_MILLISECONDS_MAX) {
          outcome = 'turned_away';
          throw unavailable();
        }
        const written = await writer.write(sender, batch, signal);
        answeredAt = performance.now();
        outcome = 'answered';
        return written;
      } catch (error) {
        /* An error of the server is an answer as well. */
        if (hasAnswer(error)) answeredAt = performance.now();
        onTrouble();
        throw error;
      } finally {
        underWay -= 1;
        batches.inc({ ...label, outcome });
      }
    },
    compare: writer.compare,
    waiting: writer.waiting,
    drain: writer.drain,
    end: async () => {
      await writer.drain();
      await database.close();
    },
  };
}

function hasAnswer(error: unknown): boolean {
  return error instanceof Failure && error.cause !== undefined && !isConnectionDoubtful(error.cause);
}

/** User, password, database and all settings of the coordinator's address. */
export function urlOfNode(databaseUrl: string, node: ClusterNode): string {
  const url = new URL(databaseUrl);
  url.host = addressOf(node);
  for (const name of ['host', 'hostaddr', 'port']) url.searchParams.delete(name);
  return url.href;
}

function nodeCounters(metrics: Metrics) {
  return {
    batches: metrics.counter('snapshot_node_batches_total', 'Batches that went straight to a node', [
      'node',
      'outcome',
    ]),
    refusals: metrics.counter('snapshot_node_refusals_total', 'Groups that a node did not take', ['node']),
  };
}

/**
 * COPY into the table, on a worker: Citus writes the shards that lie there in the worker's own transaction, with one COMMIT
 * and the errors of an ordinary server. A row whose shard has moved it sends on by itself, in two phases. Whatever else a
 * worker does not take is left to the coordinator, which knows the cluster as it is now.
 */
function groupWritesOnNode(
  database: Database,
  clock: Clock,
  onRefused: (error: unknown) => void,
): WriteGroup {
  const write = createGroupWrites(database, clock, refuseLate);
  return async (group, onCommitting) => {
    try {
      await write(group, onCommitting);
    } catch (error) {
      if (!isRefusedByNode(error)) throw error;
      onRefused(error);
      throw new NotInThisPlace('The node did not take the group', { cause: error });
    }
  };
}

/** The queue for sums is a table of the coordinator: rows and entry could not be committed together here. */
async function refuseLate(): Promise<void> {
  throw new NotInThisPlace('Rows became late while they waited');
}

/**
 * The server answered and stored nothing, for a reason that is not in the rows: it is a standby now, or does not know the table.
 * A server that is away, full or busy would be no better through the coordinator, and equal rows are compared there anyway.
 */
function isRefusedByNode(error: unknown): boolean {
  const code = sqlState(error);
  return code !== undefined && code !== SQLSTATE.uniqueViolation && !isDatabaseUnavailable(error);
}
