import type pg from 'pg';

/*
 * The schemas of analysts, one for each organization: sql/repeatable/analyst-schemas.sql makes them out of the views of
 * sql/analytics. Here is what an update does with all of them.
 */

/** What waits behind a running query of an analyst gives up and is tried again. */
type WithTries = (work: () => Promise<void>) => Promise<void>;

/** Before the views that they build on are made anew. */
export async function dropAnalystSchemas(client: pg.ClientBase, withTries: WithTries): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT quote_ident(nspname) AS name FROM pg_namespace WHERE starts_with(nspname, 'analytics_org_')",
  );
  for (const { name } of rows) {
    await withTries(async () => {
      await client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
    });
  }
}

export async function makeMissingAnalystSchemas(client: pg.ClientBase, withTries: WithTries): Promise<void> {
  const { rows } = await client.query<{ organization: string }>(
    'SELECT organization FROM public.missing_analyst_schemas()',
  );
  for (const { organization } of rows) {
    await withTries(async () => {
      await client.query('SELECT public.make_analyst_schema($1)', [organization]);
    });
  }
}
