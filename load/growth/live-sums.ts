import type pg from 'pg';

/*
 * The views of analysts as they would be without sums that are kept: each view computes them from snapshots while it is read,
 * with the very statement of the job.
 */

const JOB = 'write_quarter_hours';
/** What stands around the columns and around the query in the function's text. */
const COLUMNS = ['INSERT INTO public.asset_quarter_hours (', ')'] as const;
const QUERY = [')\n', 'ORDER BY a.key, quarter_hour.start\n'] as const;
const OF_A_PORTION = 'a.key > after_asset AND a.key <= last_asset AND ';

interface HouseView {
  name: string;
  definition: string;
}

/** Does some work while the views of analysts compute from snapshots, from an instant on; then they are as before. */
export async function withLiveSums<Result>(
  database: pg.ClientBase,
  begins: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const views = await viewsOfSums(database);
  if (views.length === 0) throw new Error('No view below those of analysts reads asset_quarter_hours');
  await makeLiveView(database, begins);
  try {
    await replaceViews(
      database,
      views.map(({ name, definition }) => ({
        name,
        definition: definition.replaceAll('public.asset_quarter_hours', 'public.live_quarter_hours'),
      })),
    );
    return await work();
  } finally {
    await replaceViews(database, views);
    await database.query('DROP VIEW public.live_quarter_hours');
  }
}

async function viewsOfSums(database: pg.ClientBase): Promise<HouseView[]> {
  /* An empty path: the definitions name every schema. */
  await database.query("SET search_path = ''");
  const { rows } = await database.query<HouseView>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name, pg_get_viewdef(c.oid) AS definition
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = 'measured' AND c.relkind = 'v'
        AND strpos(pg_get_viewdef(c.oid), 'public.asset_quarter_hours') > 0`,
  );
  await database.query('RESET search_path');
  return rows;
}

async function makeLiveView(database: pg.ClientBase, begins: string): Promise<void> {
  const { rows } = await database.query<{ body: string }>(
    `SELECT prosrc AS body FROM pg_proc WHERE proname = '${JOB}'`,
  );
  const columns = textBetween(rows[0]?.body, COLUMNS);
  const query = textBetween(columns?.after, QUERY);
  if (columns === null || query?.text.includes(OF_A_PORTION) !== true) {
    throw new Error(`${JOB} has another statement than this run knows`);
  }
  const live = query.text
    .replace(OF_A_PORTION, '')
    .replace(/\bbegun\b/g, `timestamptz '${begins}'`)
    .replace(/\bended\b/g, "timestamptz 'tomorrow'");
  await database.query(`CREATE VIEW public.live_quarter_hours (${columns.text}) AS ${live}`);
  await database.query('GRANT SELECT ON public.live_quarter_hours TO voltstream_analyst_reader');
}

/** What stands between two marks, and the rest from the second one on. */
function textBetween(text: string | undefined, [begin, end]: readonly [string, string]) {
  const from = text?.indexOf(begin) ?? -1;
  const to = from === -1 ? -1 : (text?.indexOf(end, from + begin.length) ?? -1);
  if (text === undefined || to === -1) return null;
  return { text: text.slice(from + begin.length, to), after: text.slice(to) };
}

async function replaceViews(database: pg.ClientBase, views: readonly HouseView[]): Promise<void> {
  for (const { name, definition } of views) {
    await database.query(`CREATE OR REPLACE VIEW ${name} AS ${definition}`);
  }
}
