import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { insertTenant, type Tenant } from '../../setup/tenants.ts';
import { Accounts } from './account.ts';

/** Two organizations with rows of their own; an analyst of the first is signed in. */
export interface Fixture {
  database: TestDatabase;
  admin: pg.Client;
  analyst: pg.Client;
  own: Tenant;
  other: Tenant;
  close(): Promise<void>;
}

export async function startFixture(): Promise<Fixture> {
  const database = await createTestDatabase();
  const accounts = new Accounts(database);
  const admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  const own = await insertTenant(admin);
  const other = await insertTenant(admin);
  await admin.query("UPDATE meters SET type = 'smart'");
  await admin.query('SELECT make_analyst_schema(id) FROM organizations');
  const { address } = await accounts.make(own.organization);
  const analyst = await accounts.connect(address);
  return {
    database,
    admin,
    analyst,
    own,
    other,
    close: async () => {
      await accounts.close();
      await admin.end();
      await database.drop();
    },
  };
}

/** Prices as served, quarter hour by quarter hour or hour by hour, without the record of where they came from. */
export async function storePrices(
  admin: pg.Client,
  { from, until, minutes }: { from: string; until: string; minutes: 15 | 60 },
  eurMwh: string,
): Promise<void> {
  await admin.query('BEGIN; SET LOCAL session_replication_role = replica');
  await admin.query(
    `INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
     SELECT 'DE-LU', at, $3, (at AT TIME ZONE 'Europe/Berlin')::date, ${eurMwh}, 'test', 1
       FROM generate_series($1::timestamptz, $2::timestamptz - interval '1 minute', $3 * interval '1 minute') AS at`,
    [from, until, minutes],
  );
  await admin.query('COMMIT');
}

/** Rows of a table, by the names of its columns; one that is not named has its default value. */
export async function fillTable(
  admin: pg.Client,
  table: string,
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const names = Object.keys(first).join(', ');
  await admin.query(
    `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE
     SELECT ${names} FROM jsonb_populate_recordset(NULL::${table}, $1)`,
    [JSON.stringify(rows)],
  );
}
