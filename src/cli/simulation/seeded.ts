/*
 * Numbers that follow from their arguments alone, so that a fleet shows the same values for the same instants on
 * every machine and after every restart. Nothing here is fit for secrets.
 */

/** FNV-1a over the text: 32 bits that stand for a household, a device or a run. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** A number in [0, 1) out of a seed and a place: the same two give the same number, neighbours are unrelated. */
export function unitAt(seed: number, place: number): number {
  let bits = (seed ^ Math.imul(place | 0, 0x9e3779b1)) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 0x1_0000_0000;
}

/** A number in [low, high) out of a seed and a place. */
export function between(seed: number, place: number, low: number, high: number): number {
  return low + unitAt(seed, place) * (high - low);
}

/** Noise in [0, 1) without jumps: drawn anew at every whole `position`, eased in between. */
export function smoothNoise(seed: number, position: number): number {
  const knot = Math.floor(position);
  const part = position - knot;
  const eased = part * part * (3 - 2 * part);
  const before = unitAt(seed, knot);
  return before + (unitAt(seed, knot + 1) - before) * eased;
}

/** Three decimals: watts and tenths of a percent, as meters deliver them. */
export function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}
