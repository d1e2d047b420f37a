import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LOGO_BYTES_MAX, readLogo } from '../../../src/identity/brands/png.ts';
import { drawnPng, pngPart } from './drawn-png.ts';

/* A logo is a stranger's file that every customer's browser will open. */

const PLAIN = drawnPng();

test('a PNG is taken with its size', () => {
  expect(readLogo(PLAIN)).toEqual({ bytes: PLAIN, width: 4, height: 2 });
});

test('what is kept is the picture alone: no text, no place, nothing behind its end', () => {
  const told = drawnPng({
    more: [
      ['tEXt', Buffer.from('Author\0Käthe Voß')],
      ['eXIf', Buffer.from('52.5 N 13.4 E')],
      ['acTL', Buffer.alloc(8)],
    ],
  });
  const read = readLogo(Buffer.concat([told, Buffer.from('<script>alert(1)</script>')]));
  expect(read).toEqual({ bytes: PLAIN, width: 4, height: 2 });
});

const damaged = Buffer.from(PLAIN);
damaged[damaged.length - 20] = (damaged[damaged.length - 20] ?? 0) ^ 1;
const headless = Buffer.concat([PLAIN.subarray(0, 8), pngPart('IEND', Buffer.alloc(0))]);

describe('what is no such PNG is refused with what is wrong', () => {
  test.each<[string, Buffer, string]>([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'is no PNG'],
    ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'is no PNG'],
    ['an empty file', Buffer.alloc(0), 'is no PNG'],
    ['a file that ends in the middle', PLAIN.subarray(0, PLAIN.length - 10), 'is a PNG that is damaged'],
    ['a part with a wrong checksum', damaged, 'is a PNG that is damaged'],
    ['no head', headless, 'is a PNG that is damaged'],
    ['a part that has to be known and is not', drawnPng({ more: [['XXXX', Buffer.alloc(1)]] }), 'not known'],
    ['lines that are missing', drawnPng({ lines: Buffer.alloc(5) }), 'is a PNG that is damaged'],
    [
      'more lines than there may be: a bomb is not inflated',
      drawnPng({ lines: Buffer.alloc(8_000_000) }),
      'is a PNG that is damaged',
    ],
    ['a filter that there is not', drawnPng({ lines: Buffer.alloc(34, 9) }), 'is a PNG that is damaged'],
    ['1,001 pixels', drawnPng({ width: 1_001 }), 'is 1001 by 2 pixels, at most 1000 by 400 are taken'],
    ['0 pixels', drawnPng({ height: 0 }), 'is 4 by 0 pixels'],
    ['4 billion pixels', drawnPng({ width: 4_294_967_295 }), 'is 4294967295 by 2 pixels'],
    ['16 bits', drawnPng({ depth: 16 }), 'of another kind than 8 bits'],
    ['interlaced lines', drawnPng({ interlace: 1 }), 'is an interlaced PNG'],
    ['a palette that is missing', drawnPng({ colorType: 3 }), 'is a PNG that is damaged'],
    ['49 kB', drawnPng({ more: [['tEXt', randomBytes(LOGO_BYTES_MAX)]] }), 'at most 49152 are taken'],
  ])('%s', (_name, file, problem) => {
    const read = readLogo(file);
    expect('problem' in read ? read.problem : 'taken').toContain(problem);
  });

  test('any byte that is changed is either refused or changes nothing but what is left out', () => {
    for (let at = 0; at < PLAIN.length; at += 1) {
      const changed = Buffer.from(PLAIN);
      changed[at] = (changed[at] ?? 0) ^ 0x40;
      expect([at, 'problem' in readLogo(changed)]).toEqual([at, true]);
    }
  });
});
