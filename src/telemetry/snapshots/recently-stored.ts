import { BoundedCache } from '../../platform/bounded-cache.ts';
import type { Batch } from './batch.ts';

/** Of one organization: 64 KiB. */
const MARKS_MAX = 16_384;
const INDEX_SHIFT = 32 - Math.log2(MARKS_MAX);
/** 16 MiB. */
const ORGANIZATIONS_MAX = 256;
const TWO_POW_32 = 4_294_967_296;

/**
 * The batches that were stored a moment ago, each known by its first row: asset and instant. A batch that begins with such a
 * row cannot go into a COPY, whatever else it holds. It is a guess and decides nothing: rows may have been erased since, and
 * two rows may have one mark. A newer mark takes the place of an older one.
 */
export interface RecentlyStored {
  has(organization: string, batch: Batch): boolean;
  add(organization: string, batch: Batch): void;
}

export function createRecentlyStored(): RecentlyStored {
  const organizations = new BoundedCache<Int32Array>(ORGANIZATIONS_MAX);
  return {
    has(organization, batch) {
      const mark = markOf(batch);
      return organizations.get(organization)?.[mark >>> INDEX_SHIFT] === mark;
    },
    add(organization, batch) {
      let marks = organizations.get(organization);
      if (marks === undefined) {
        marks = new Int32Array(MARKS_MAX);
        organizations.set(organization, marks);
      }
      const mark = markOf(batch);
      marks[mark >>> INDEX_SHIFT] = mark;
    },
  };
}

/** Never 0, with which a place begins that has no mark. */
function markOf({ encoded: { runs } }: Batch): number {
  const { key = 0, first = 0 } = runs[0] ?? {};
  let mark = mixed(key | 0, Math.floor(key / TWO_POW_32));
  mark = mixed(mark ^ (first | 0), Math.floor(first / TWO_POW_32));
  return mark === 0 ? 1 : mark;
}

/** The last step of MurmurHash3, over both halves of a number. */
function mixed(low: number, high: number): number {
  let word = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}
