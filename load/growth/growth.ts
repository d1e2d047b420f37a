import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import { Pool } from 'undici';
import { openSums } from '../ingest/sums.ts';
import { collectFacts } from '../measure/machine.ts';
import { postmasterOf, timed } from '../measure/processor.ts';
import { Report } from '../measure/report.ts';
import { median, percentiles } from '../measure/statistics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { planFleet, type SeededHousehold, storeFleet } from '../surroundings/seed.ts';
import { prepareSurroundings } from '../surroundings/service.ts';
import { askCookbook, openCookbook } from './cookbook.ts';
import { exportAll } from './exports.ts';
import { withLiveSums } from './live-sums.ts';
import { askQuestions } from './questions.ts';

export interface GrowthOptions {
  households: number;
  /** How many rows the store has first, and up to how many it grows in tenfold steps. */
  from: number;
  rows: number;
  /** How long a question of the cookbook may take that is answered without sums. */
  liveSeconds: number;
  /** Whether the largest store is also exported. */
  exports: boolean;
  /** Newest lists that are read at each size in each round. */
  lists: number;
  rounds: number;
  seed: string;
}

/** Rows of one statement. */
const PORTION_ROWS = 500_000;
const STEP_SECONDS = 60;

/** What a store costs and how fast it answers as it grows: bytes of a row, newest lists, questions of analysts. */
export async function growth(
  options: GrowthOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  const surroundings = await prepareSurroundings({}, cleanup);
  const { database, organization } = surroundings;
  const report = new Report('growth', await collectFacts(database), { ...options });
  const fleet = planFleet(`${options.seed}/${organization}`, options.households);
  const keys = [...(await storeFleet(database, organization, fleet)).values()];
  const api = await surroundings.service('growth');
  const headers = await api.headers();
  const newest = Math.floor(Date.now() / 60_000) * 60;
  const asked = await openCookbook(surroundings, { household: fleet[0]?.id ?? '', newest }, cleanup);
  const postmaster = await postmasterOf(database);
  const sums = openSums(surroundings, cleanup);
  const lists: number[] = [];
  for (let rows = options.from; rows <= options.rows; rows *= 10) {
    say(`storing ${rows.toLocaleString('en')} snapshots`);
    await store(database, keys, { newest, instants: Math.ceil(rows / keys.length) });
    const bytesOfRow = await bytesPerRow(database);
    say('summing by quarter hour');
    const summed = await timed({ service: null, postmaster }, () => sums.untilCurrent());
    await database.query('VACUUM ANALYZE asset_quarter_hours');
    const list = await timed({ service: api.pid, postmaster }, () =>
      newestLists({ baseUrl: api.baseUrl, headers }, fleet, options),
    );
    const questions = await askQuestions(database, keys, options.rounds);
    say('asking the cookbook');
    const cookbook = await askCookbook(asked, options.rounds);
    const live = await withLiveSums(database, asked.begins, () => askCookbook(asked, 1, options.liveSeconds));
    const isCompressed = await compress(database);
    const bytesOfCompressedRow = isCompressed ? await bytesPerRow(database) : null;
    if (bytesOfCompressedRow !== null) report.judge('P10', bytesOfCompressedRow);
    lists.push(list.result);
    const figures = {
      bytes_of_row: bytesOfRow,
      bytes_of_compressed_row: bytesOfCompressedRow,
      seconds_to_sum: summed.seconds,
      processor_seconds_to_sum: summed.processorSeconds,
      newest_list_p99_ms: list.result,
      newest_list_processor_ms: (list.processorSeconds * 1000) / (options.lists * (options.rounds + 1)),
      questions_ms: questions,
      cookbook,
      cookbook_without_sums: live,
      questions_compressed_ms: isCompressed ? await askQuestions(database, keys, options.rounds) : null,
      cookbook_compressed: isCompressed ? await askCookbook(asked, options.rounds) : null,
    };
    report.details[`at ${rows.toLocaleString('en')} rows`] = figures;
    say(JSON.stringify(figures));
  }
  if (options.exports) await exportAll(surroundings, report, cleanup, say);
  if (lists.length > 1) report.judge('P5', (lists.at(-1) as number) / (lists[0] as number));
  return report;
}

/** Values of a minute each up to the newest one, in the order in which gateways send them; nothing else is stored then. */
async function store(
  database: pg.ClientBase,
  keys: readonly number[],
  { newest, instants }: { newest: number; instants: number },
): Promise<void> {
  await database.query('TRUNCATE asset_snapshots, asset_quarter_hours');
  await database.query("UPDATE quarter_hour_progress SET summed_until = '-infinity'");
  const portion = Math.max(1, Math.floor(PORTION_ROWS / keys.length));
  for (let begin = instants; begin > 0; begin -= portion) {
    await database.query(
      `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
       SELECT key, to_timestamp(second), round((3 * sin(second / 7000.0 + key) + random())::numeric, 2)
         FROM generate_series($2::bigint, $3::bigint, ${STEP_SECONDS}) AS second, unnest($1::bigint[]) AS key`,
      [keys, newest - (begin - 1) * STEP_SECONDS, newest - Math.max(0, begin - portion) * STEP_SECONDS],
    );
  }
  await database.query('VACUUM ANALYZE asset_snapshots');
}

async function bytesPerRow(database: pg.ClientBase): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>(
    `SELECT (SELECT hypertable_size('asset_snapshots'))::float8
            / (SELECT count(*) FROM asset_snapshots) AS bytes`,
  );
  return Math.round((rows[0]?.bytes ?? 0) * 10) / 10;
}

/** All chunks into the columnstore, where there is one. */
async function compress(database: pg.ClientBase): Promise<boolean> {
  const { rows } = await database.query<{ chunk: string }>(
    `SELECT chunk::text FROM show_chunks('asset_snapshots') AS chunk
      WHERE current_setting('timescaledb.license') = 'timescale'`,
  );
  for (const { chunk } of rows) await database.query(`CALL convert_to_columnstore('${chunk}')`);
  return rows.length > 0;
}

/** Milliseconds: the median of the rounds' 99th percentiles. */
async function newestLists(
  { baseUrl, headers }: { baseUrl: string; headers: Record<string, string> },
  fleet: readonly SeededHousehold[],
  { lists, rounds }: GrowthOptions,
): Promise<number> {
  const pool = new Pool(baseUrl, { connections: 1 });
  const found: number[] = [];
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const milliseconds: number[] = [];
      for (let index = 0; index < lists; index += 1) {
        const { id } = fleet[(index * 7) % fleet.length] as SeededHousehold;
        const begun = performance.now();
        const path = `/asset-snapshots?filter[household][eq]=${id}`;
        const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
        const { items } = (await body.json()) as { items: unknown[] };
        milliseconds.push(performance.now() - begun);
        if (statusCode !== 200 || items.length === 0) throw new Error(`${path}: ${statusCode}, no snapshots`);
      }
      /* The first one warms up. */
      if (round > 0) found.push(percentiles(milliseconds).p99);
    }
  } finally {
    await pool.close();
  }
  return median(found);
}
