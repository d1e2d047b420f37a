import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import { Pool } from 'undici';
import { systemClock } from '../src/platform/clock.ts';
import { openDatabase } from '../src/platform/database/db.ts';
import { sumQuarterHours } from '../src/quarter-hours/sum.ts';
import type { Cleanup } from './cleanup.ts';
import { collectFacts } from './machine.ts';
import { Report } from './report.ts';
import { planFleet, type SeededHousehold, storeFleet } from './seed.ts';
import { prepareSurroundings, type Surroundings } from './service.ts';
import { median, percentiles } from './statistics.ts';

export interface GrowthOptions {
  households: number;
  /** Up to how many rows the store grows, in tenfold steps from a million on. */
  rows: number;
  /** Newest lists that are read at each size in each round. */
  lists: number;
  rounds: number;
  seed: string;
}

const FIRST_ROWS = 1_000_000;
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
  const lists: number[] = [];
  for (let rows = FIRST_ROWS; rows <= options.rows; rows *= 10) {
    say(`storing ${rows.toLocaleString('en')} snapshots`);
    await store(database, keys, { newest, instants: Math.ceil(rows / keys.length) });
    const bytesOfRow = await bytesPerRow(database);
    say('summing by quarter hour');
    const secondsToSum = await sum(surroundings);
    await database.query('VACUUM ANALYZE asset_quarter_hours');
    const list = await newestLists({ baseUrl: api.baseUrl, headers }, fleet, options);
    const questions = await askQuestions(database, keys, options.rounds);
    const isCompressed = await compress(database);
    const bytesOfCompressedRow = isCompressed ? await bytesPerRow(database) : null;
    if (bytesOfCompressedRow !== null) report.judge('P10', bytesOfCompressedRow);
    lists.push(list);
    const figures = {
      bytes_of_row: bytesOfRow,
      bytes_of_compressed_row: bytesOfCompressedRow,
      seconds_to_sum: secondsToSum,
      newest_list_p99_ms: list,
      questions_ms: questions,
      questions_compressed_ms: isCompressed ? await askQuestions(database, keys, options.rounds) : null,
    };
    report.details[`at ${rows.toLocaleString('en')} rows`] = figures;
    say(JSON.stringify(figures));
  }
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

/** Runs the job until it is up to date; seconds. */
async function sum({ maintenanceUrl }: Surroundings): Promise<number> {
  if (maintenanceUrl === undefined) throw new TypeError('Only a database of this run is summed');
  const maintenance = openDatabase({
    url: maintenanceUrl,
    applicationName: 'voltstream-load-sums',
    connectionsMax: 1,
    onError: () => {},
  });
  const started = performance.now();
  try {
    for (;;) {
      const result = await sumQuarterHours(
        { maintenance, clock: systemClock() },
        { signal: new AbortController().signal },
      );
      if (result.is_current === true) return (performance.now() - started) / 1_000;
    }
  } finally {
    await maintenance.close();
  }
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

/** What analysts ask most, from snapshots and from sums. */
const QUESTIONS: Readonly<Record<string, { snapshots: string; sums: string }>> = {
  'energy of ten assets by day': {
    snapshots: `
      SELECT date_trunc('day', timestamp), sum(greatest(power_kw, 0) * least(seconds, 900)) / 3600
        FROM (SELECT timestamp, power_kw,
                     date_part('epoch', lead(timestamp) OVER (PARTITION BY asset_id ORDER BY timestamp) - timestamp) AS seconds
                FROM asset_snapshots WHERE asset_id = ANY ($1::bigint[])) AS held
       GROUP BY 1`,
    sums: `
      SELECT date_trunc('day', start), sum(consumed_kwh) FROM asset_quarter_hours
       WHERE asset_id = ANY ($1::bigint[]) GROUP BY 1`,
  },
  'mean power of all assets by hour': {
    snapshots: `
      SELECT date_trunc('hour', timestamp), avg(power_kw) FROM asset_snapshots
       WHERE asset_id <> ALL ($1::bigint[]) GROUP BY 1`,
    sums: `
      SELECT date_trunc('hour', start), sum(consumed_kwh - fed_kwh) / sum(covered_seconds) * 3600
        FROM asset_quarter_hours WHERE asset_id <> ALL ($1::bigint[]) GROUP BY 1`,
  },
};

/** Milliseconds of each question, the median of the rounds. */
async function askQuestions(database: pg.ClientBase, keys: readonly number[], rounds: number) {
  const found: Record<string, Record<string, number>> = {};
  for (const [question, texts] of Object.entries(QUESTIONS)) {
    found[question] = {};
    for (const [source, text] of Object.entries(texts)) {
      const milliseconds: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const begun = performance.now();
        await database.query(text, [keys.slice(0, 10)]);
        milliseconds.push(performance.now() - begun);
      }
      found[question][source] = Math.round(median(milliseconds) * 10) / 10;
    }
  }
  return found;
}
