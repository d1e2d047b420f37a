import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, listRoute, route } from '../../platform/interface/route.ts';
import { batteryExample } from '../assets/examples.ts';
import { createKnownAssets } from './known-assets.ts';
import { newestSnapshots } from './newest.ts';
import { createNodeWriters } from './nodes/writers.ts';
import { assetSnapshot, snapshotBatch, snapshotBatchResult } from './schema.ts';
import { type SnapshotStore, storeSnapshots } from './service.ts';
import { createSnapshotWriter, type SnapshotWriter } from './writer.ts';
import { createCounters, measureWaiting } from './writer-metrics.ts';

/** A full batch with long names and every field stays below 3 MiB. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/** Opened by the first request: the list of routes is also made by those who only describe them. */
function lazyStore(deps: Deps): () => SnapshotStore {
  const { config, clock, database, metrics } = deps;
  /* Before any request: an alarm asks whether they grow, and may need to know where no batch comes through. */
  createCounters(metrics);
  let store: SnapshotStore | undefined;
  return () => {
    if (store !== undefined) return store;
    const writer = openWriter(deps);
    measureWaiting(metrics, writer.waiting);
    deps.changes.begin();
    store = {
      ...{ clock, database },
      queue: deps.queue,
      retentionMonths: config.SNAPSHOT_RETENTION_MONTHS,
      knownAssets: createKnownAssets({
        database,
        watch: deps.changes,
        entriesMax: config.ASSET_MAP_CACHE_ENTRIES_MAX,
        reads: metrics.counter('asset_map_reads_total', 'Asset maps that were read from the database'),
      }),
      writer,
      parsedBatches: metrics.counter(
        'snapshot_batches_parsed_total',
        'Good batches that the quick reader left to JSON.parse',
      ),
    };
    return store;
  };
}

function openWriter(deps: Deps): SnapshotWriter {
  if (deps.config.SNAPSHOT_WRITES_TO === 'coordinator') {
    const writer = createSnapshotWriter(deps);
    deps.atClose(writer.drain);
    return writer;
  }
  const writers = createNodeWriters(deps);
  deps.atClose(writers.close);
  return writers;
}

const { household, parent_inverter } = batteryExample;

export function snapshotRoutes(deps: Deps): ApiRoute[] {
  const store = lazyStore(deps);
  return [
    route({
      method: 'POST',
      path: '/asset-snapshots',
      tag: 'Asset snapshots',
      summary: "Store measurements of a household's assets",
      description:
        'Up to 10,000 snapshots of the assets of one household, stored entirely or not at all; every problem is ' +
        'listed by its path. An answer without an error means that every row is on disk. Sending the same body again ' +
        'is safe at any time: rows that are stored with equal values count as duplicates. Of a key that is written ' +
        'twice in an object the last one counts. Numbers are kept as binary64: -0 is stored as 0, 1e-400 as 0.',
      customerTokens: 'no',
      body: snapshotBatch,
      readsOwnBody: true,
      bodyBytesMax: BODY_BYTES_MAX,
      response: snapshotBatchResult,
      example: {
        response: {
          object: 'asset_snapshot_batch',
          household,
          start: '2026-11-01T11:00:00.000Z',
          end: '2026-11-01T11:00:10.250Z',
          total: 2,
          stored: 2,
          duplicates: 0,
        },
        body: {
          household,
          snapshots: [
            { asset: parent_inverter, timestamp: '2026-11-01T11:00:00Z', power_kw: -3.42 },
            {
              external_id: 'battery-1',
              timestamp: '2026-11-01T12:00:10.250+01:00',
              power_kw: 2.1,
              state_of_charge: 0.64,
            },
          ],
        },
      },
      storedRows: ({ stored }) => stored,
      handler: (request) => storeSnapshots(store(), request),
    }),
    listRoute({
      path: '/asset-snapshots',
      tag: 'Asset snapshots',
      summary: 'The newest snapshot of each asset',
      description:
        'One item per asset whose newest snapshot lies within the last 24 hours, newest first. At least one of the ' +
        'filters is required. All pages show what was stored when the first one was read, so that an asset that sends ' +
        'meanwhile is left out of none.',
      customerTokens: 'own',
      readsPersonalData: true,
      response: assetSnapshot,
      list: {
        filters: {
          household: { type: 'string', operators: ['eq', 'in'] },
          asset: { type: 'string', operators: ['eq', 'in'] },
        },
        requiredFilters: ['household', 'asset'],
      },
      example: {
        response: {
          object: 'asset_snapshot',
          household,
          asset: batteryExample.id,
          timestamp: '2026-11-01T11:00:10.250Z',
          power_kw: 2.1,
          state_of_charge: 0.64,
          created_at: '2026-11-01T11:00:10.900Z',
        },
      },
      handler: ({ principal, list }) => newestSnapshots(deps, principal, list),
    }),
  ];
}
