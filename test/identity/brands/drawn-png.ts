import { crc32, deflateSync } from 'node:zlib';

interface Drawn {
  width?: number;
  height?: number;
  /** Bits of a sample. */
  depth?: number;
  colorType?: number;
  interlace?: number;
  /** In the place of the lines. */
  lines?: Buffer;
  /** Further parts, behind the head. */
  more?: readonly [type: string, data: Buffer][];
}

export function pngPart(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A PNG of one colour, with transparency where nothing else is said. */
export function drawnPng(drawn: Drawn = {}): Buffer {
  const { width = 4, height = 2, depth = 8, colorType = 6, interlace = 0, more = [] } = drawn;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([depth, colorType, 0, 0, interlace], 8);
  const lines = drawn.lines ?? Buffer.alloc(Math.min(height, 1_000) * (1 + Math.min(width, 1_000) * 4));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngPart('IHDR', head),
    ...more.map(([type, data]) => pngPart(type, data)),
    pngPart('IDAT', deflateSync(lines)),
    pngPart('IEND', Buffer.alloc(0)),
  ]);
}
