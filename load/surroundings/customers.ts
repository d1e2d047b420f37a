import type pg from 'pg';

/** One in so many is a company. */
const COMPANY_EVERY = 20;
/** So many came at the same instant: their order is that of their ids. */
const AT_ONCE = 4;

/**
 * Writes customers into an organization, as an administrator who is not bound by row-level security: one statement, then
 * what autovacuum would do in time.
 */
export async function storeCustomers(
  client: pg.ClientBase,
  organization: string,
  count: number,
): Promise<void> {
  await client.query(
    `INSERT INTO customers (organization_id, id, type, first_name, last_name, company_name, email, created_at, updated_at)
     SELECT $1, 'cus_' || substr(md5($1 || number), 1, 24), CASE WHEN is_company THEN 'company' ELSE 'person' END,
            'Load', 'Customer ' || number, CASE WHEN is_company THEN 'Load ' || number END,
            'load-' || number || '@example.org', at, at
       FROM generate_series(1, $2::int) AS number,
            LATERAL (SELECT number % $3::int = 0 AS is_company,
                            now() - (number / $4::int) * INTERVAL '251 seconds' AS at) AS facts`,
    [organization, count, COMPANY_EVERY, AT_ONCE],
  );
  await client.query('VACUUM (ANALYZE) customers');
}
