import type pg from 'pg';

/*
 * On what measured values are stored: TimescaleDB on one server, or Citus on several. Everything else is the same PostgreSQL.
 * Which one it is nobody configures twice: the server loads its library when it starts, and the database has its extension.
 */

export type Engine = 'timescaledb' | 'citus';

const ENGINES: readonly Engine[] = ['timescaledb', 'citus'];

/** Anything that can run a statement: a client, a pool. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(text: string): Promise<{ rows: Row[] }>;
}

/** The one whose extension the database has; null before `npm run db -- init`. */
export async function findEngine(database: Queryable): Promise<Engine | null> {
  const { rows } = await database.query<{ name: string }>(
    "SELECT extname AS name FROM pg_extension WHERE extname IN ('timescaledb', 'citus')",
  );
  const found = ENGINES.filter((engine) => rows.some(({ name }) => name === engine));
  if (found.length > 1)
    throw new Error('The database has both extensions, timescaledb and citus: one is needed');
  return found[0] ?? null;
}

const known = new WeakMap<Queryable, Engine>();

/** The same for a database that has one. A connection is asked once: its database keeps its extension. */
export async function engineOf(database: Queryable): Promise<Engine> {
  const remembered = known.get(database);
  if (remembered !== undefined) return remembered;
  const engine = await findEngine(database);
  if (engine === null)
    throw new Error('The database has neither extension, timescaledb nor citus: run npm run db -- init');
  known.set(database, engine);
  return engine;
}

/** What a server has loaded, and what its databases can have. */
export async function loadedEngine(server: Queryable): Promise<Engine> {
  const { rows } = await server.query<{ libraries: string }>(
    "SELECT current_setting('shared_preload_libraries') AS libraries",
  );
  const libraries = (rows[0]?.libraries ?? '').split(',').map((name) => name.trim().replaceAll('"', ''));
  const [engine, other] = ENGINES.filter((name) => libraries.includes(name));
  if (engine === undefined || other !== undefined) {
    throw new Error(
      engine === undefined
        ? "shared_preload_libraries of the server names neither timescaledb nor citus: put the line shared_preload_libraries = 'timescaledb' into its postgresql.conf and restart it"
        : 'shared_preload_libraries of the server names both timescaledb and citus: one of them is needed',
    );
  }
  return engine;
}
