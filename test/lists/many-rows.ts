import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import pg from 'pg';
import { storeCustomers } from '../../load/surroundings/customers.ts';
import type { Connection } from '../../src/platform/database/db.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';

export const ORGANIZATION = `org_${'a'.repeat(24)}`;

/** An organization whose every list is long: all rows are alike, so that any other filter finds nothing. */
export async function longLists(rows: number): Promise<TestDatabase> {
  const database = await createTestDatabase();
  const admin = new pg.Client(database.adminUrl);
  await admin.connect();
  try {
    await admin.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Long lists')`, [ORGANIZATION]);
    await storeCustomers(admin, ORGANIZATION, rows);
    await admin.query(`UPDATE customers SET type = 'person', company_name = NULL WHERE type = 'company'`);
    await admin.query(storedRows(rows));
    for (const table of TABLES) await admin.query(`VACUUM (ANALYZE) ${table}`);
  } finally {
    await admin.end();
  }
  return database;
}

const TABLES = [
  ...[
    'customers',
    'households',
    'plans',
    'subscriptions',
    'meter_orders',
    'meter_readings',
    'grid_fee_reductions',
    'market_partners',
    'assets',
    'leads',
    'events',
    'invoices',
  ],
];

const id = (prefix: string, of = 'n::text') => `'${prefix}_' || substr(md5('${prefix}' || ${of}), 1, 24)`;

/**
 * Everything belongs to the first customer; every household has one contract; half of the invoices are restricted. These
 * rows are counted only: no trigger checks each of them, and invoices are without what belongs to a document.
 */
function storedRows(rows: number): string {
  const customer = `(SELECT min(id) FROM customers)`;
  const text = `'x'::text`;
  return `
    SET LOCAL session_replication_role = 'replica';
    INSERT INTO addresses (organization_id, id, customer_id, street, house_number, zip, city)
      SELECT '${ORGANIZATION}', ${id('adr')}, ${customer}, 'Weg', '1', '20354', 'Hamburg' FROM generate_series(1, 2) n;
    INSERT INTO plans (organization_id, id, slug, name, type)
      SELECT '${ORGANIZATION}', ${id('pln')}, 'plan-' || n, 'Plan', 'feed_in' FROM generate_series(1, ${rows}) n;
    INSERT INTO leads (organization_id, id, plan_id, details)
      SELECT '${ORGANIZATION}', ${id('lead')}, ${id('pln', "'1'")}, '{}' FROM generate_series(1, ${rows}) n;
    INSERT INTO payment_methods (organization_id, id, customer_id, type, iban, account_holder)
      SELECT '${ORGANIZATION}', ${id('pm', text)}, ${customer}, 'sepa_debit', 'DE89370400440532013000', 'Jule Brandt';
    INSERT INTO households (organization_id, id, customer_id)
      SELECT '${ORGANIZATION}', ${id('dom')}, ${customer} FROM generate_series(1, ${rows}) n;
    INSERT INTO meters (organization_id, id, customer_id, household_id, number, type)
      SELECT '${ORGANIZATION}', ${id('mtr', text)}, ${customer}, ${id('dom', "'1'")}, '1EMH1', 'smart';
    INSERT INTO subscriptions (organization_id, id, plan_id, type, customer_id, household_id, address_id,
                               billing_address_id, meter_id, payment_method_id, status, estimated_usage,
                               intended_start_on)
      SELECT '${ORGANIZATION}', ${id('sub')}, ${id('pln', "'1'")}, 'feed_in', ${customer}, ${id('dom')},
             ${id('adr', "'1'")}, ${id('adr', "'2'")}, ${id('mtr', text)}, ${id('pm', text)}, 'pending', 2500,
             '2026-01-01'
        FROM generate_series(1, ${rows}) n;
    INSERT INTO meter_orders (organization_id, id, customer_id, subscription_id, product, provider, status, unblocked_status)
      SELECT '${ORGANIZATION}', ${id('prdo')}, ${customer}, ${id('sub')}, 'smart-meter-partner-b', 'partner-b', 'ordered',
             'ordered'
        FROM generate_series(1, ${rows}) n;
    INSERT INTO meter_readings (organization_id, id, customer_id, subscription_id, meter_id, value, read_on, type)
      SELECT '${ORGANIZATION}', ${id('mr')}, ${customer}, ${id('sub', "'1'")}, ${id('mtr', text)}, n,
             '1950-01-01'::date + n, 'grid_reading'
        FROM generate_series(1, ${rows}) n;
    INSERT INTO events (organization_id, id, topic, timestamp, context, sequence)
      SELECT '${ORGANIZATION}', ${id('evt')}, 'meter_order.' || (ARRAY['created', 'cancelled'])[1 + n % 2],
             '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute', '{}', n
        FROM generate_series(1, ${rows}) n;
    INSERT INTO grid_fee_reductions (organization_id, id, customer_id, subscription_id, type, status)
      SELECT '${ORGANIZATION}', ${id('gfr')}, ${customer}, ${id('sub', "'1'")}, 'enwg-14a-module-1', 'ended'
        FROM generate_series(1, ${rows}) n;
    INSERT INTO invoices (organization_id, id, customer_id, subscription_id, type, running_number, invoice_number,
                          ledger_number, month, year, period_start, period_end, period_number, status, is_estimated,
                          is_final, net, tax, deducted, total, taxes, due_on, created_at, issued_at, facts, retain_until,
                          restricted_at)
      SELECT '${ORGANIZATION}', ${id('inv')}, ${customer}, ${id('sub', "'1'")}, 'exit_summary', n,
             'VERTRAG1-' || lpad(n::text, 5, '0'), n, 1, 2026, '2026-01-01', '2026-02-01', n, 'voided', false, true, 1, 0, 0,
             1, '[]', '2026-03-01',
             '2026-02-01'::timestamptz + n * interval '1 second', '2026-02-01', '{}', '2040-12-31', CASE WHEN n > ${rows} THEN now() END
        FROM generate_series(1, ${rows * 2}) n;
    INSERT INTO market_partners (id, code, name, country)
      SELECT ${id('mp')}, lpad(n::text, 13, '0'), 'Stadtwerke ' || n, 'DE' FROM generate_series(1, ${rows}) n;
    INSERT INTO assets (organization_id, id, key, customer_id, household_id, type, display_name)
      SELECT '${ORGANIZATION}', ${id('ast')}, n, ${customer}, ${id('dom')}, 'household_net', 'Net'
        FROM generate_series(1, ${rows}) n;`;
}

/** Runs statements of the service as its own role and counts the pages of the database that each of them looked at. */
export class CountedPages {
  pages = 0;
  readonly connection: Connection;
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
    const shared: DatabaseConnection = {
      executeQuery: (query) => this.#count(query),
      // biome-ignore lint/correctness/useYield: nothing here streams
      streamQuery: async function* () {
        throw new Error('Nothing here streams');
      },
    };
    const nothing = async () => {};
    this.connection = new Kysely({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => ({
          init: nothing,
          acquireConnection: async () => shared,
          beginTransaction: nothing,
          commitTransaction: nothing,
          rollbackTransaction: nothing,
          releaseConnection: nothing,
          destroy: nothing,
        }),
        createIntrospector: (kysely) => new PostgresIntrospector(kysely),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    });
  }

  static async open(database: TestDatabase, organization = ORGANIZATION): Promise<CountedPages> {
    const client = new pg.Client(database.appUrl);
    await client.connect();
    await client.query(`SELECT set_config('app.organization', $1, false)`, [organization]);
    return new CountedPages(client);
  }

  async #count(query: CompiledQuery) {
    const { rows } = await this.#client.query<{ 'QUERY PLAN': [Explained] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${query.sql}`,
      [...query.parameters],
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    this.pages += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
    return { rows: [] };
  }

  /** Takes away what earlier statements left in a table and its indexes, as the server does by itself in time. */
  async vacuum(database: TestDatabase, table: string): Promise<void> {
    const admin = new pg.Client(database.adminUrl);
    await admin.connect();
    await admin.query(`VACUUM (ANALYZE) ${table}`);
    await admin.end();
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

interface Explained {
  Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number };
}
