import pg from 'pg';

const pools = new Map<string, pg.Pool>();

/**
 * Connections of the superuser that stay open for the next statement: opening one takes the time of many statements, and five
 * files of plans and leads opened 135.
 */
export function administrator(url: string): pg.Pool {
  const known = pools.get(url);
  if (known !== undefined) return known;
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'voltstream-setup',
    allowExitOnIdle: true,
  });
  // A connection that a test or a dropped database ended is no failure: the next statement opens another one.
  pool.on('error', () => {});
  pools.set(url, pool);
  return pool;
}

export async function endAdministrator(url: string): Promise<void> {
  const pool = pools.get(url);
  pools.delete(url);
  await pool?.end();
}
