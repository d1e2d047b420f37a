import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import { Pool } from 'undici';
import { VERSION_NAMES } from '../../src/config/versions.ts';
import { measure } from '../measure/leg.ts';
import { judgeMemory, memoryOf, watchMemory } from '../measure/memory.ts';
import type { Report } from '../measure/report.ts';
import { storeCustomers } from '../surroundings/customers.ts';
import type { Service, Surroundings } from '../surroundings/service.ts';
import { readWholeList } from './list-reader.ts';
import { besideWork } from './two-callers.ts';

export interface WholeListsOptions {
  customers: number;
  /** Readers of the whole list at once. */
  wholeLists: number;
  quietSeconds: number;
}

/** autocannon keeps an answer whole; these are read row by row. */
const UNDICI = 'undici';
const NAME = 'whole list, oldest version';
const OLDEST_VERSION = VERSION_NAMES[0];
const NEIGHBOUR_CUSTOMERS = 1_000;
const QUIET_SECONDS = 5;

/**
 * The oldest version knows no pages: each reader gets all customers in one answer. It has to come whole, in bounded memory,
 * and beside it another organization reads pages of its own.
 */
export async function wholeLists(
  { client, database }: Surroundings,
  service: Service,
  report: Report,
  options: WholeListsOptions,
  say: (line: string) => void,
): Promise<void> {
  const other = await client({ rate_per_second: 1_000, rate_burst: 1_000 });
  await storeCustomers(database, other.organization, NEIGHBOUR_CUSTOMERS);
  const probe = { service, headers: await other.headers(service), pathAt: () => '/customers?limit=10' };
  const headers = { ...(await service.headers()), 'x-api-version': OLDEST_VERSION };
  const megabytesBefore = (await memoryOf(service)) / 1e6;
  const stopWatching = watchMemory(service);
  const seen = await besideWork(probe, QUIET_SECONDS, () => readAll(database, service, headers, options));
  const added = Math.max(0, judgeMemory(stopWatching()).megabytesMax - megabytesBefore);
  const { leg, result } = seen.result;
  report.add(leg);
  for (const { rows, fault } of result.lists) {
    if (fault !== null) report.problems.push(`${NAME}: ${fault}`);
    if (rows !== options.customers) report.problems.push(`${NAME}: ${rows} of ${options.customers} rows`);
  }
  if (seen.refused > 0) report.problems.push(`${NAME}: ${seen.refused} answers of the other refused`);
  const { before, during, after } = seen;
  report.details[NAME] = { ...{ before, during, after }, megabytes_added: added, lists: result.lists };
  const megabytes = result.lists.map(({ bytes }) => (bytes / 1e6).toFixed(0)).join(', ');
  say(
    `${NAME}: ${megabytes} MB in ${result.seconds.toFixed(1)} s, ${added.toFixed(0)} MB of memory in addition; ` +
      `median of the other: ${before.toFixed(1)} ms before, ${during.toFixed(1)} during, ${after.toFixed(1)} after`,
  );
  report.judge('L4', added, UNDICI);
  report.judge('L4 beside', during / before, UNDICI);
}

async function readAll(
  database: pg.ClientBase,
  service: Service,
  headers: Record<string, string>,
  options: WholeListsOptions,
) {
  const context = { database, name: NAME, round: 1, servicePid: service.pid };
  const pool = new Pool(service.baseUrl, { connections: options.wholeLists });
  const read = async () => {
    const { statusCode, body } = await pool.request({ method: 'GET', path: '/customers', headers });
    if (statusCode !== 200) throw new Error(`${statusCode} ${await body.text()}`);
    return await readWholeList(body);
  };
  try {
    return await measure({ ...context, quietSecondsMax: options.quietSeconds }, async (begin) => {
      begin();
      const begunAt = performance.now();
      const lists = await Promise.all(Array.from({ length: options.wholeLists }, read));
      const rows = lists.reduce((sum, list) => sum + list.rows, 0);
      return { client: UNDICI, rows, seconds: (performance.now() - begunAt) / 1_000, lists };
    });
  } finally {
    await pool.close();
  }
}
