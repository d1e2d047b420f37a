import { describe, expect, test } from 'vitest';
import { type FilterFields, parseFilters } from '../../../src/platform/interface/filters.ts';
import { queryPairs } from '../../../src/platform/interface/query.ts';

const fields: FilterFields = {
  name: { type: 'string' },
  email: { type: 'string', ignoreCase: true },
  household: { type: 'string', operators: ['eq', 'in'] },
  power: { type: 'number' },
  created_at: { type: 'date' },
  hybrid: { type: 'boolean' },
  status: { type: 'enum', values: ['open', 'paid'] },
};

const parse = (query: string, required?: string[]) =>
  parseFilters(queryPairs(`/x?${query}`), fields, required);

describe('every operator of every type is read', () => {
  test.each<[string, unknown]>([
    ['filter[name][eq]=a', { field: 'name', operator: 'eq', value: 'a', type: 'string' }],
    ['filter[name][eq]=', { field: 'name', operator: 'eq', value: '', type: 'string' }],
    ['filter[name][ne]=a', { field: 'name', operator: 'ne', value: 'a', type: 'string' }],
    ['filter[name][in]=a,b', { field: 'name', operator: 'in', value: ['a', 'b'], type: 'string' }],
    ['filter[name][is_null]=true', { field: 'name', operator: 'is_null', value: true, type: 'string' }],
    ['filter[name][contains]=%25', { field: 'name', operator: 'contains', value: '%', type: 'string' }],
    ['filter[name][starts_with]=a', { field: 'name', operator: 'starts_with', value: 'a', type: 'string' }],
    ['filter[name][ends_with]=a', { field: 'name', operator: 'ends_with', value: 'a', type: 'string' }],
    [
      'filter[email][eq]=A@b.c',
      { field: 'email', operator: 'eq', value: 'A@b.c', type: 'string', ignoreCase: true },
    ],
    ['filter[power][eq]=1.5', { field: 'power', operator: 'eq', value: 1.5, type: 'number' }],
    ['filter[power][ne]=-1', { field: 'power', operator: 'ne', value: -1, type: 'number' }],
    ['filter[power][gt]=1e3', { field: 'power', operator: 'gt', value: 1000, type: 'number' }],
    ['filter[power][gte]=0', { field: 'power', operator: 'gte', value: 0, type: 'number' }],
    ['filter[power][lt]=0', { field: 'power', operator: 'lt', value: 0, type: 'number' }],
    ['filter[power][lte]=0', { field: 'power', operator: 'lte', value: 0, type: 'number' }],
    ['filter[power][in]=1,2', { field: 'power', operator: 'in', value: [1, 2], type: 'number' }],
    ['filter[power][is_null]=false', { field: 'power', operator: 'is_null', value: false, type: 'number' }],
    [
      'filter[created_at][gte]=2026-10-05T10:30:00.123456%2B02:00',
      { field: 'created_at', operator: 'gte', value: '2026-10-05T08:30:00.123456Z', type: 'date' },
    ],
    [
      'filter[created_at][lte]=2026-10-05T08:30:00Z',
      { field: 'created_at', operator: 'lte', value: '2026-10-05T08:30:00.000Z', type: 'date' },
    ],
    [
      'filter[created_at][is_null]=true',
      { field: 'created_at', operator: 'is_null', value: true, type: 'date' },
    ],
    ['filter[hybrid][eq]=1', { field: 'hybrid', operator: 'eq', value: true, type: 'boolean' }],
    ['filter[hybrid][eq]=false', { field: 'hybrid', operator: 'eq', value: false, type: 'boolean' }],
    ['filter[status][eq]=open', { field: 'status', operator: 'eq', value: 'open', type: 'enum' }],
    ['filter[status][ne]=open', { field: 'status', operator: 'ne', value: 'open', type: 'enum' }],
    [
      'filter[status][in]=open,paid',
      { field: 'status', operator: 'in', value: ['open', 'paid'], type: 'enum' },
    ],
    ['filter%5Bname%5D%5Beq%5D=a', { field: 'name', operator: 'eq', value: 'a', type: 'string' }],
  ])('%s', (query, filter) => {
    expect(parse(query)).toEqual({ filters: [filter], entries: [] });
  });
});

describe('what is not a filter is refused and named as it was sent', () => {
  test.each<[title: string, query: string, code: string, field?: string]>([
    ['B96 unknown field', 'filter[unknown][eq]=1', 'unrecognized_keys'],
    ['B96 __proto__', 'filter[__proto__][eq]=1', 'unrecognized_keys'],
    ['B96 constructor', 'filter[constructor][eq]=1', 'unrecognized_keys'],
    ['B96 unknown operator', 'filter[name][like]=1', 'unrecognized_keys'],
    ['B96 operator of another type', 'filter[name][gt]=1', 'unrecognized_keys'],
    ['B96 operator that the field does not take', 'filter[household][ne]=1', 'unrecognized_keys'],
    ['B96 dates have no eq', 'filter[created_at][eq]=2026-10-05T08:30:00Z', 'unrecognized_keys'],
    ['B96 three brackets', 'filter[a][b][c]=1', 'invalid_key'],
    ['B96 empty brackets', 'filter[]=1', 'invalid_key'],
    ['B96 one bracket', 'filter[name]=1', 'invalid_key'],
    ['B96 no brackets', 'filter=x', 'invalid_key'],
    ['B96 a dot', 'filter.name=x', 'invalid_key'],
    ['B100 a name that only begins so', 'filters[name][eq]=1', 'invalid_key'],
    ['number', 'filter[power][eq]=abc', 'invalid_value'],
    ['number without digits', 'filter[power][eq]=', 'invalid_value'],
    ['number beyond the range', 'filter[power][eq]=1e400', 'invalid_value'],
    ['number in hexadecimal', 'filter[power][eq]=0x10', 'invalid_value'],
    ['boolean', 'filter[hybrid][eq]=yes', 'invalid_value'],
    ['is_null takes no digits', 'filter[name][is_null]=1', 'invalid_value'],
    ['is_null takes no prototype', 'filter[name][is_null]=constructor', 'invalid_value'],
    ['enum', 'filter[status][eq]=closed', 'invalid_value'],
    ['one wrong element of in', 'filter[status][in]=open,closed', 'invalid_value'],
    ['B97 101 values', `filter[name][in]=${Array(101).fill('a').join(',')}`, 'invalid_value'],
    ['256 characters', `filter[name][eq]=${'a'.repeat(256)}`, 'invalid_value'],
    ['NUL', 'filter[name][eq]=a%00b', 'invalid_value'],
    ['broken encoding', 'filter[name][eq]=%ff', 'invalid_value'],
    ['B98 rubbish', 'filter[created_at][gte]=rubbish', 'invalid_value'],
    ['B98 year 999999', 'filter[created_at][gte]=999999-01-01T00:00:00Z', 'invalid_value'],
    ['B98 infinity', 'filter[created_at][gte]=infinity', 'invalid_value'],
    ['B98 no zone', 'filter[created_at][gte]=2026-10-05T08:30:00', 'invalid_value'],
    ['B98 year 0 by its zone', 'filter[created_at][gte]=0001-01-01T00:00:00%2B01:00', 'invalid_value'],
  ])('%s', (_title, query, code) => {
    const { filters, entries } = parse(query);
    expect(filters).toEqual([]);
    const [field = ''] = query.split('=');
    expect(entries).toEqual([{ code, field, message: expect.any(String) }]);
    expect(Object.getPrototypeOf({})).not.toHaveProperty('eq');
  });

  test('B96 the same filter twice: the later one is refused', () => {
    const { filters, entries } = parse('filter[name][eq]=a&filter[name][eq]=b');
    expect(filters).toMatchObject([{ value: 'a' }]);
    expect(entries).toMatchObject([{ code: 'custom', field: 'filter[name][eq]' }]);
  });

  test('B96 eq together with in on one field: the later one is refused', () => {
    expect(parse('filter[name][eq]=a&filter[name][in]=b').entries).toMatchObject([
      { code: 'custom', field: 'filter[name][in]' },
    ]);
    expect(parse('filter[power][gte]=1&filter[power][lt]=9').entries).toEqual([]);
  });

  test('a plus sign that became a space is explained', () => {
    const [entry] = parse('filter[created_at][gte]=2026-10-05T08:30:00+02:00').entries;
    expect(entry?.message).toContain('%2B');
  });
});

describe('limits', () => {
  test('B97 an empty in is an empty list, 100 values are accepted', () => {
    expect(parse('filter[name][in]=').filters).toMatchObject([{ value: [] }]);
    expect(parse(`filter[name][in]=${Array(100).fill('a').join(',')}`).entries).toEqual([]);
  });

  test('255 characters are accepted, counted as Unicode characters', () => {
    expect(parse(`filter[name][eq]=${encodeURIComponent('😀'.repeat(255))}`).entries).toEqual([]);
    expect(parse(`filter[name][eq]=${encodeURIComponent('😀'.repeat(256))}`).entries).toHaveLength(1);
  });

  test('one of the required fields must be filtered, whichever', () => {
    expect(parse('', ['household', 'name']).entries).toEqual([
      { code: 'custom', field: 'filter[household]', message: 'Required: filter[household] or filter[name]' },
    ]);
    expect(parse('filter[name][eq]=a', ['household', 'name']).entries).toEqual([]);
    expect(parse('filter[household][gt]=a', ['household', 'name']).entries).toHaveLength(1);
  });
});
