import { describe, expect, test } from 'vitest';
import type { ErrorEntry } from '../../../src/platform/errors.ts';
import { queryPairs, singleValues } from '../../../src/platform/interface/query.ts';

function read(url: string, known: string[]) {
  const entries: ErrorEntry[] = [];
  const values = singleValues(queryPairs(url), new Set(known), entries);
  return { values, entries };
}

describe('parameters of an address', () => {
  test('keep their order and their repetitions', () => {
    expect(queryPairs('/assets?b=1&a=2&b=3').map(({ name, value }) => `${name}=${value}`)).toEqual([
      'b=1',
      'a=2',
      'b=3',
    ]);
  });

  test('are decoded in name and value, brackets plain or encoded', () => {
    expect(queryPairs('/a?filter%5Bstatus%5D%5Beq%5D=a%26b&filter[x][in]=c+d#e')).toEqual([
      { name: 'filter[status][eq]', value: 'a&b', malformed: false },
      { name: 'filter[x][in]', value: 'c d', malformed: false },
    ]);
  });

  test('B91 a broken percent encoding is an entry that names the parameter', () => {
    expect(read('/assets?limit=%zz', ['limit'])).toEqual({
      values: {},
      entries: [{ code: 'invalid_format', field: 'limit', message: expect.stringContaining('encoding') }],
    });
    expect(read('/assets?limit=%ff', ['limit']).entries).toHaveLength(1);
  });

  test('B94 a known parameter sent twice is an entry, and neither value counts', () => {
    expect(read('/assets?limit=5&limit=5', ['limit'])).toEqual({
      values: {},
      entries: [{ code: 'custom', field: 'limit', message: 'Sent more than once' }],
    });
  });

  test('B100 unknown parameters are ignored, also twice and broken', () => {
    expect(read('/assets?x=1&x=%zz&__proto__=1&limit=5', ['limit'])).toEqual({
      values: { limit: '5' },
      entries: [],
    });
  });
});
