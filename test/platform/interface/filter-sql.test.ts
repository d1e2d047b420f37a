import { type Generated, type GeneratedAlways, Kysely, PostgresDialect, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyFilters } from '../../../src/platform/interface/filter-sql.ts';
import { type FilterFields, parseFilters } from '../../../src/platform/interface/filters.ts';
import { queryPairs } from '../../../src/platform/interface/query.ts';
import { administrator } from '../../setup/administrator.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';

interface Things {
  things: {
    id: Generated<number>;
    name: string | null;
    name_search: GeneratedAlways<string | null>;
    email: string;
    email_lower: GeneratedAlways<string>;
    power: number | null;
    phases: number;
    created_at: string;
    hybrid: boolean | null;
    status: string;
  };
}

const fields: FilterFields = {
  name: { type: 'string' },
  email: { type: 'string', ignoreCase: true },
  power: { type: 'number' },
  phases: { type: 'number' },
  created_at: { type: 'date' },
  hybrid: { type: 'boolean' },
  status: { type: 'enum', values: ['open', 'paid'] },
};

let database: TestDatabase;
let connection: Kysely<Things>;

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  connection = new Kysely<Things>({
    dialect: new PostgresDialect({ pool: administrator(database.adminUrl) }),
  });
  await sql`
    CREATE TABLE things (
      id int GENERATED ALWAYS AS IDENTITY, name text, name_search text GENERATED ALWAYS AS (lower(normalize(name, NFC))) STORED, email text, email_lower text GENERATED ALWAYS AS (lower(email)) STORED, power float8, phases int,
      created_at timestamptz, hybrid boolean, status text)`.execute(connection);
  await connection
    .insertInto('things')
    .values([
      {
        name: 'Alpha',
        email: 'A@b.de',
        power: 1.5,
        phases: 1,
        created_at: '2026-10-05T08:30:00.000001Z',
        hybrid: true,
        status: 'open',
      },
      {
        name: 'beta_50%',
        email: 'c@d.de',
        power: -2,
        phases: 3,
        created_at: '2026-10-05T08:30:00.000002Z',
        hybrid: false,
        status: 'paid',
      },
      {
        name: null,
        email: 'e@f.de',
        power: null,
        phases: 3,
        created_at: '2026-10-05T08:30:00.000003Z',
        hybrid: null,
        status: 'paid',
      },
      {
        name: 'back\\slash, and comma',
        email: 'g@h.de',
        power: 0,
        phases: 1,
        created_at: '2026-10-06T00:00:00Z',
        hybrid: null,
        status: 'open',
      },
    ])
    .execute();
});
afterAll(async () => {
  await database?.drop();
});

async function found(query: string): Promise<number[]> {
  const { filters, entries } = parseFilters(queryPairs(`/things?${query}`), fields);
  expect(entries).toEqual([]);
  const columns = {
    name: { exact: 'things.name', search: 'name_search' },
    email: 'email_lower',
    power: 'power',
    phases: 'phases',
    created_at: 'created_at',
    hybrid: 'hybrid',
    status: 'status',
  } as const;
  const rows = await applyFilters(
    connection.selectFrom('things').select('id').orderBy('id'),
    filters,
    columns,
  ).execute();
  return rows.map((row) => row.id);
}

describe('filters find exactly the rows that they describe', () => {
  test.each<[query: string, ids: number[]]>([
    ['', [1, 2, 3, 4]],
    ['filter[name][eq]=Alpha', [1]],
    ['filter[name][eq]=alpha', []],
    ['filter[name][ne]=Alpha', [2, 4]],
    ['filter[name][in]=Alpha,beta_50%25', [1, 2]],
    ['filter[name][in]=', []],
    ['filter[name][is_null]=true', [3]],
    ['filter[name][is_null]=false', [1, 2, 4]],
    ['filter[name][contains]=PH', [1]],
    ['filter[name][contains]=%25', [2]],
    ['filter[name][contains]=_', [2]],
    ['filter[name][contains]=%5C', [4]],
    ['filter[name][contains]=', [1, 2, 4]],
    ['filter[name][starts_with]=ALP', [1]],
    ['filter[name][starts_with]=lpha', []],
    ['filter[name][ends_with]=50%25', [2]],
    ['filter[name][ends_with]=COMMA', [4]],
    ["filter[name][eq]='; DROP TABLE things; --", []],
    ['filter[email][eq]=a@B.de', [1]],
    ['filter[email][ne]=a@B.de', [2, 3, 4]],
    ['filter[email][in]=a@B.de,E@F.DE', [1, 3]],
    ['filter[email][starts_with]=A@', [1]],
    ['filter[power][eq]=1.5', [1]],
    ['filter[power][ne]=1.5', [2, 4]],
    ['filter[power][gt]=0', [1]],
    ['filter[power][gte]=0', [1, 4]],
    ['filter[power][lt]=0', [2]],
    ['filter[power][lte]=0', [2, 4]],
    ['filter[power][in]=1.5,-2', [1, 2]],
    ['filter[power][is_null]=true', [3]],
    ['filter[power][lt]=1e300', [1, 2, 4]],
    ['filter[phases][eq]=1.5', []],
    ['filter[phases][gt]=1.5', [2, 3]],
    ['filter[phases][lt]=99999999999999999999', [1, 2, 3, 4]],
    ['filter[phases][in]=1,1.5', [1, 4]],
    ['filter[created_at][gte]=2026-10-05T10:30:00.000002%2B02:00', [2, 3, 4]],
    ['filter[created_at][lte]=2026-10-05T08:30:00.000002Z', [1, 2]],
    [
      'filter[created_at][gte]=2026-10-05T08:30:00.000002Z&filter[created_at][lte]=2026-10-05T09:00:00Z',
      [2, 3],
    ],
    ['filter[created_at][lte]=9999-12-31T23:59:59Z', [1, 2, 3, 4]],
    ['filter[created_at][gte]=0001-01-01T00:00:00Z', [1, 2, 3, 4]],
    ['filter[created_at][is_null]=true', []],
    ['filter[hybrid][eq]=true', [1]],
    ['filter[hybrid][eq]=0', [2]],
    ['filter[hybrid][is_null]=true', [3, 4]],
    ['filter[status][eq]=open', [1, 4]],
    ['filter[status][ne]=open', [2, 3]],
    ['filter[status][in]=open,paid', [1, 2, 3, 4]],
    ['filter[status][eq]=paid&filter[name][is_null]=false', [2]],
  ])('%s', async (query, ids) => {
    expect(await found(query)).toEqual(ids);
  });

  test('a field without a column is a mistake of the list, not an empty answer', () => {
    const { filters } = parseFilters(queryPairs('/things?filter[name][eq]=a'), fields);
    expect(() => applyFilters(connection.selectFrom('things').select('id'), filters, {})).toThrow('name');
  });
});
