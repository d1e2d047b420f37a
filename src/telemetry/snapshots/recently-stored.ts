import { hash } from 'node:crypto';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import type { Batch } from './batch.ts';

/** Mark, two halves of the digest, second. */
const WORDS = 4;
/** A batch may stand in one of so many places side by side, so that few of many thousand have to go. */
const PLACES_OF_MARK = 4;
/* Of one organization: 1 KiB to 256 KiB, as many as it sends in a minute. */
const PLACES_MIN = 64;
const PLACES_MAX = 16_384;
const GROWTH = 4;
/** Of all organizations: 32 MiB. Who sent longest ago is forgotten first. */
const WORDS_MAX = 8_388_608;
const TWO_POW_32 = 4_294_967_296;

/** An outage is over and the batch comes again, or its answer was lost and the gateway tries once more. */
const KNOWN_SECONDS = 60;
/** More rows are cheaper to compare than new ones are to store, and their bytes cost more to remember. */
const KNOWN_ROWS_MAX = 1_000;

/**
 * The batches that were stored a moment ago, each with a mark of its first row (asset and instant) and a digest of all rows.
 * The oldest of those side by side makes room.
 */
export interface RecentlyStored {
  /**
   * `stored`: all its bytes were stored within the last minute. `perhaps`: its first row was stored a moment ago, so that it
   * cannot go into a COPY. That is a guess: two rows may have one mark.
   */
  find(organization: string, batch: Batch): 'stored' | 'perhaps' | 'nothing';
  add(organization: string, batch: Batch): void;
  /** The database may be another one from here on: what was stored before is a guess. */
  doubt(): void;
}

/** `nowMilliseconds` never goes back. */
export function createRecentlyStored(nowMilliseconds = () => performance.now()): RecentlyStored {
  const organizations = new BoundedCache<Int32Array>(WORDS_MAX);
  const startedAt = nowMilliseconds();
  let doubtedAt = 0;
  /* From 1 on: a place with 0 is empty. */
  const second = () => Math.floor((nowMilliseconds() - startedAt) / 1_000) + 1;
  return {
    find(organization, batch) {
      const places = organizations.get(organization);
      if (places === undefined) return 'nothing';
      const mark = markOf(batch);
      const at = placeOf(places, mark);
      if (at === null) return 'nothing';
      const storedAt = places[at + 3] as number;
      const isKnown = storedAt > doubtedAt && second() - storedAt < KNOWN_SECONDS;
      if (!isKnown || batch.encoded.rows > KNOWN_ROWS_MAX) return 'perhaps';
      const [high, low] = digestOf(batch);
      return places[at + 1] === high && places[at + 2] === low ? 'stored' : 'perhaps';
    },
    add(organization, batch) {
      const now = second();
      let places = organizations.get(organization);
      if (places === undefined) {
        places = new Int32Array(PLACES_MIN * WORDS);
        organizations.set(organization, places, places.length);
      }
      const mark = markOf(batch);
      let at = placeOf(places, mark);
      if (at === null) {
        at = oldestPlace(places, mark);
        const leftAt = places[at + 3] as number;
        if (leftAt > 0 && now - leftAt < KNOWN_SECONDS && places.length < PLACES_MAX * WORDS) {
          places = grown(places);
          organizations.set(organization, places, places.length);
          at = oldestPlace(places, mark);
        }
      }
      const [high, low] = batch.encoded.rows > KNOWN_ROWS_MAX ? [0, 0] : digestOf(batch);
      places.set([mark, high, low, now], at);
    },
    doubt() {
      doubtedAt = second();
    },
  };
}

function grown(places: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(places.length * GROWTH);
  for (let at = 0; at < places.length; at += WORDS) {
    const mark = places[at] as number;
    if (mark !== 0) larger.set(places.subarray(at, at + WORDS), oldestPlace(larger, mark));
  }
  return larger;
}

function firstPlace({ length }: Int32Array, mark: number): number {
  const sets = length / (WORDS * PLACES_OF_MARK);
  return (mark >>> (1 + Math.clz32(sets))) * PLACES_OF_MARK * WORDS;
}

function placeOf(places: Int32Array, mark: number): number | null {
  const first = firstPlace(places, mark);
  for (let at = first; at < first + PLACES_OF_MARK * WORDS; at += WORDS) if (places[at] === mark) return at;
  return null;
}

function oldestPlace(places: Int32Array, mark: number): number {
  const first = firstPlace(places, mark);
  let oldest = first;
  for (let at = first; at < first + PLACES_OF_MARK * WORDS; at += WORDS) {
    if ((places[at + 3] as number) < (places[oldest + 3] as number)) oldest = at;
  }
  return oldest;
}

/** 64 bits: among batches that begin with one row, two different ones have the same by a chance of 1 to 10^19. */
function digestOf({ encoded: { buffer } }: Batch): [number, number] {
  const digest = hash('sha256', buffer, 'buffer');
  return [digest.readInt32LE(0), digest.readInt32LE(4)];
}

/** Never 0, which an empty place has. */
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
