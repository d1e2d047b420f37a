import { crc32, inflateSync } from 'node:zlib';

/*
 * A logo comes from somebody else and goes to every customer's browser. It is PNG, because an SVG is a document that can
 * have scripts and load what it names. Every part is looked at, and what is stored is written anew out of the parts that
 * make the picture: no text, no place where it was taken, nothing behind its end.
 */

export interface Logo {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

export const LOGO_BYTES_MAX = 48 * 1024;
const WIDTH_MAX = 1_000;
const HEIGHT_MAX = 400;

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const KEPT_PARTS = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);

/** Samples of a pixel by colour type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

interface Part {
  readonly type: string;
  readonly data: Buffer;
}

/** The picture, or what is wrong with the file as the end of a sentence. */
export function readLogo(file: Uint8Array): Logo | { problem: string } {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length > LOGO_BYTES_MAX)
    return { problem: `has ${bytes.length} bytes, at most ${LOGO_BYTES_MAX} are taken` };
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return { problem: 'is no PNG' };
  const parts = partsOf(bytes);
  if (parts === null) return { problem: 'is a PNG that is damaged' };
  const kept = parts.filter(({ type }) => KEPT_PARTS.has(type));
  const [head, ...others] = kept;
  const isOrdered =
    head?.type === 'IHDR' && head.data.length === 13 && others.every(({ type }) => type !== 'IHDR');
  if (!isOrdered) return { problem: 'is a PNG that is damaged' };
  const unknown = parts.find(({ type }) => /^[A-Z]/.test(type) && !KEPT_PARTS.has(type));
  if (unknown !== undefined) return { problem: 'is a PNG with parts that are not known' };
  const [width, height] = [head.data.readUInt32BE(0), head.data.readUInt32BE(4)];
  if (width < 1 || height < 1 || width > WIDTH_MAX || height > HEIGHT_MAX) {
    return { problem: `is ${width} by ${height} pixels, at most ${WIDTH_MAX} by ${HEIGHT_MAX} are taken` };
  }
  const [depth = 0, colorType = 0, compression, filter, interlace] = head.data.subarray(8);
  const samples = SAMPLES[colorType];
  if (samples === undefined || depth !== 8 || compression !== 0 || filter !== 0) {
    return { problem: 'is a PNG of another kind than 8 bits for each colour' };
  }
  if (interlace !== 0) return { problem: 'is an interlaced PNG' };
  const hasPalette = kept.some(({ type }) => type === 'PLTE');
  if (colorType === 3 && !hasPalette) return { problem: 'is a PNG that is damaged' };
  const pixels = Buffer.concat(kept.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  if (!hasAllLines(pixels, width * samples, height)) return { problem: 'is a PNG that is damaged' };
  return { bytes: written(kept), width, height };
}

/** Up to the end of the picture; null where a length or a checksum is wrong. */
function partsOf(bytes: Buffer): Part[] | null {
  const parts: Part[] = [];
  let at = SIGNATURE.length;
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > bytes.length) return null;
    if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) return null;
    const type = bytes.toString('latin1', at + 4, at + 8);
    parts.push({ type, data: bytes.subarray(at + 8, end) });
    if (type === 'IEND') return parts;
    at = end + 4;
  }
  return null;
}

/** The inflated lines, each behind the number of its filter. More than they may be is never inflated. */
function hasAllLines(deflated: Buffer, lineBytes: number, height: number): boolean {
  const expected = height * (1 + lineBytes);
  try {
    const lines = inflateSync(deflated, { maxOutputLength: expected });
    if (lines.length !== expected) return false;
    for (let at = 0; at < expected; at += 1 + lineBytes) if ((lines[at] ?? 5) > 4) return false;
    return true;
  } catch {
    return false;
  }
}

function written(parts: readonly Part[]): Buffer {
  const pieces = parts.map(({ type, data }) => {
    const piece = Buffer.alloc(data.length + 12);
    piece.writeUInt32BE(data.length, 0);
    piece.write(type, 4, 'latin1');
    data.copy(piece, 8);
    piece.writeUInt32BE(crc32(piece.subarray(4, data.length + 8)), data.length + 8);
    return piece;
  });
  return Buffer.concat([SIGNATURE, ...pieces]);
}
