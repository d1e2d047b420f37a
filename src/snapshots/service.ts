import type { Clock } from '../platform/clock.ts';
import { badRequest, notFound } from '../platform/errors.ts';
import { instantFromMicroseconds } from '../platform/instant.ts';
import type { Tenant } from '../platform/principal.ts';
import type { AssetMap } from './asset-map.ts';
import { type Batch, readBatch, type Verdict } from './batch.ts';
import { contradictionEntries } from './contradictions.ts';
import type { KnownAssets } from './known-assets.ts';
import { readFrame, type SnapshotBatchResult } from './schema.ts';
import { type TimeLimits, timeLimits } from './time-limits.ts';
import type { SnapshotWriter } from './writer.ts';

export interface SnapshotStore {
  readonly clock: Clock;
  /** 0: without limit. */
  readonly retentionMonths: number;
  readonly knownAssets: KnownAssets;
  readonly writer: SnapshotWriter;
}

/**
 * Stores a batch entirely or not at all. Whoever gets an answer without an error has every row on disk. The body is
 * taken inside, so that nothing here holds it during the wait for the database.
 */
export async function storeSnapshots(
  store: SnapshotStore,
  tenant: Tenant,
  takeBody: () => unknown,
  signal: AbortSignal,
): Promise<SnapshotBatchResult> {
  const { household, batch } = await accept(store, tenant, takeBody);
  const written = await store.writer.write(tenant, batch, signal);
  if ('contradictions' in written) throw badRequest(contradictionEntries(batch, written.contradictions));
  return {
    object: 'asset_snapshot_batch',
    household,
    start: instantFromMicroseconds(batch.start),
    end: instantFromMicroseconds(batch.end),
    total: batch.total,
    stored: written.stored,
    duplicates: batch.total - written.stored,
  };
}

/** Everything that can be refused without looking at stored rows. */
async function accept(
  store: SnapshotStore,
  tenant: Tenant,
  takeBody: () => unknown,
): Promise<{ household: string; batch: Batch }> {
  const { household, rows, entries } = readFrame(takeBody());
  const limits = timeLimits(store.clock.nowMilliseconds(), store.retentionMonths);
  const { map, verdict } =
    household === null
      ? { map: null, verdict: readBatch(rows, null, limits) }
      : await judge(store.knownAssets, tenant, household, rows, limits);
  const isShapeRight = entries.length === 0 && !verdict.hasShapeProblem;
  if (household !== null && map === null && isShapeRight) throw notFound();
  const problems = [...entries, ...verdict.entries];
  if (problems.length > 0 || household === null || verdict.batch === null) throw badRequest(problems);
  return { household, batch: verdict.batch };
}

/** A refusal that rests on a remembered asset map is asked again of a fresh one: the asset may be new. */
async function judge(
  knownAssets: KnownAssets,
  tenant: Tenant,
  household: string,
  rows: readonly unknown[],
  limits: TimeLimits,
): Promise<{ map: AssetMap | null; verdict: Verdict }> {
  const { map, isFresh } = await knownAssets.find(tenant, household);
  const verdict = readBatch(rows, map, limits);
  if (isFresh || !verdict.restsOnAssetMap) return { map, verdict };
  const fresh = await knownAssets.findFresh(tenant, household);
  return { map: fresh, verdict: readBatch(rows, fresh, limits) };
}
