import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  isMetadataTooLarge,
  metadata,
  textMetadata,
} from '../../../src/platform/interface/metadata-schema.ts';
import { compiled, entriesOf } from '../../../src/platform/interface/zod.ts';

const anyJson = compiled(z.object({ metadata }));
const texts = compiled(z.object({ metadata: textMetadata }));

function refusals(value: unknown, schema: typeof anyJson | typeof texts = anyJson): string[] {
  const input = { metadata: value };
  const result = schema.safeParse(input);
  if (result.success) {
    expect(result.data).toEqual(input);
    return [];
  }
  return entriesOf(result.error.issues, input).map(({ code, field }) => `${code} ${field}`);
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { a: nested(levels - 1) };
}

const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });

describe('B48 B113 metadata', () => {
  test('of any JSON comes through unchanged', () => {
    const value = { a: [1, -0.5, null, true, { b: '' }], 'ä key': '=HYPERLINK(1)\t\r\n\'; DROP "x" \\.' };
    expect(refusals(value)).toEqual([]);
    expect(refusals({})).toEqual([]);
  });

  test('has at most 10,240 bytes as compact JSON in UTF-8', () => {
    expect(refusals(ofBytes(10_240))).toEqual([]);
    expect(refusals(ofBytes(10_241))).toEqual(['too_big metadata']);
    expect(refusals({ a: 'ä'.repeat(5_116) })).toEqual([]);
    expect(refusals({ a: 'ä'.repeat(5_117) })).toEqual(['too_big metadata']);
    expect([isMetadataTooLarge(ofBytes(10_240)), isMetadataTooLarge(ofBytes(10_241))]).toEqual([false, true]);
  });

  test('has at most 8 levels', () => {
    expect(refusals(nested(8))).toEqual([]);
    expect(refusals(nested(9))).toEqual([`custom metadata${'.a'.repeat(8)}`]);
    expect(refusals({ a: [[[[[[[1]]]]]]] })).toEqual([]);
    expect(refusals({ a: [[[[[[[[1]]]]]]]] })).toEqual([`custom metadata.a${'.0'.repeat(7)}`]);
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'])(
    'has no key %s',
    (key) => {
      expect(refusals({ [key]: 1, a: [{ [key]: 2 }] })).toEqual([
        `custom metadata.${key}`,
        `custom metadata.a.0.${key}`,
      ]);
      expect(refusals({ [key]: 'x' }, texts)).toEqual([`custom metadata.${key}`]);
    },
  );

  test.each(['x\u0000', 'x\u0007', 'x\u007f', 'x\ud800', '\udc00x'])('holds no %j', (text) => {
    expect(refusals({ a: text })).toEqual(['invalid_format metadata.a']);
    expect(refusals({ a: [text] })).toEqual(['invalid_format metadata.a.0']);
    expect(refusals({ [text]: 1 })).toEqual([`invalid_format metadata.${text}`]);
  });

  test('is an object of numbers that JSON has', () => {
    expect(refusals({ a: Number.POSITIVE_INFINITY })).toEqual(['invalid_type metadata.a']);
    for (const value of [null, [], 'x', 1]) expect(refusals(value)).toEqual(['invalid_type metadata']);
  });

  test('of texts has no other values', () => {
    expect(refusals({ a: 'x', b: '' }, texts)).toEqual([]);
    expect(refusals({ a: 1, b: null, c: {} }, texts)).toEqual([
      'invalid_type metadata.a',
      'invalid_type metadata.b',
      'invalid_type metadata.c',
    ]);
  });
});
