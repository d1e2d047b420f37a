import { expect } from 'vitest';
import { parseJson } from '../../../src/platform/body/json.ts';
import type { ErrorEntry } from '../../../src/platform/errors.ts';
import type { AssetMap } from '../../../src/telemetry/snapshots/asset-map.ts';
import {
  type Batch,
  type BatchVerdict,
  readBatch as readInPieces,
  scanBatch,
} from '../../../src/telemetry/snapshots/batch.ts';
import { readOpening } from '../../../src/telemetry/snapshots/scan.ts';
import { assetMap, LIMITS } from './asset-maps.ts';

const allTypes = assetMap();

/** All pieces of the work, one right behind the other. */
export function readBatch(
  ...batch: Parameters<typeof readInPieces>
): BatchVerdict & { entries: readonly ErrorEntry[] } {
  const pieces = readInPieces(...batch);
  for (;;) {
    const step = pieces.next();
    if (step.done === true) return { ...step.value, entries: step.value.problems.entries() };
  }
}

/** What the reader of bytes makes of a body; null where it leaves it to the other one. */
export function scanned(bytes: Buffer, assets: AssetMap = allTypes): Batch | null {
  const opening = readOpening(bytes);
  return opening === null ? null : scanBatch(bytes, opening.rowsAt, assets, LIMITS);
}

/** What JSON.parse, the schema and the rules say; null where they refuse. */
export function judged(bytes: Buffer, assets: AssetMap = allTypes): Batch | null {
  try {
    const { snapshots } = parseJson(bytes) as { snapshots: unknown[] };
    return readBatch(snapshots, assets, LIMITS).batch;
  } catch {
    return null;
  }
}

/** Everything that a batch says, its bytes included. */
export function contentOf(batch: Batch | null) {
  if (batch === null) return null;
  const { encoded, ...rest } = batch;
  return { ...rest, buffer: encoded.buffer, runs: encoded.runs, rows: encoded.rows };
}

/** What the reader of bytes takes is what the other one makes of it. False where it takes nothing. */
export function expectSame(bytes: Buffer, assets: AssetMap = allTypes): boolean {
  const fast = scanned(bytes, assets);
  if (fast === null) return false;
  expect(contentOf(fast), bytes.toString()).toEqual(contentOf(judged(bytes, assets)));
  return true;
}
