import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import { Pool } from 'undici';
import { cursorAfter } from '../../src/platform/interface/pagination.ts';
import { measure } from '../measure/leg.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import { median, type Percentiles, percentiles } from '../measure/statistics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { storeCustomers } from '../surroundings/customers.ts';
import { prepareSurroundings, type Service } from '../surroundings/service.ts';
import { type WholeListsOptions, wholeLists } from './whole-lists.ts';

export interface ListsOptions extends WholeListsOptions {
  /** Pages that a reader reads one after the other, at each depth in each round. */
  pages: number;
  rounds: number;
  readers: number;
}

const PAGE_ITEMS = 10;
const WARM_UP_PAGES = 500;
const ROUTE = 'GET /customers';

interface Customer {
  id: string;
  type: string;
  created_at: string;
}

interface Answer {
  items: Customer[];
  next_page: string | null;
}

/** What one reader asks for next, given the answer before; undefined when there is nothing left. */
type Reading = (before: Answer | undefined) => string | undefined;

/**
 * Pages of the list of customers of a large organization: wherever in the list, a page must cost the same. Each reader asks
 * for the next page when it has the last one; every page is looked at.
 */
export async function lists(
  options: ListsOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  const surroundings = await prepareSurroundings({}, cleanup);
  const { database, organization, service } = surroundings;
  const report = new Report('lists', await collectFacts(database), { ...options });
  say(`storing ${options.customers.toLocaleString('en')} customers`);
  await storeCustomers(database, organization, options.customers);
  /* With a key of its own the run can write the cursor of any page, and need not walk there. */
  const key = randomBytes(32).toString('base64url');
  const api = await service('lists', { CURSOR_KEY: key });
  const reader = new Reader(api, database, report, options);
  const scope = { key, route: ROUTE, organization, customer: null };

  const last = Math.max(1, Math.ceil(options.customers / PAGE_ITEMS) - options.pages + 1);
  const depths = new Set([1, 1_000, 50_000, last].filter((depth) => depth <= last));
  const places: Place[] = [];
  for (const depth of depths) {
    const row = await rowBefore(database, organization, (depth - 1) * PAGE_ITEMS);
    const start = row === undefined ? '' : `?cursor=${cursorAfter(row, PAGE_ITEMS, scope, [])}`;
    places.push({ name: `from page ${depth.toLocaleString('en')}`, reading: () => walk(start) });
  }
  const known = await sample(database, organization, options.pages);
  const byFilter = filtered(known);
  await reader.warmUp();
  /* In turn, so that a busy moment of the machine meets all of them. */
  const found = new Map([...places, ...byFilter].map(({ name }) => [name, { p50: [], p99: [] } as Found]));
  for (let round = 1; round <= options.rounds; round += 1) {
    say(`round ${round}: ${options.pages} pages at each depth and by each filter`);
    for (const place of [...places, ...byFilter]) {
      const { p50, p99 } = await reader.measure(place, round);
      found.get(place.name)?.p50.push(p50);
      found.get(place.name)?.p99.push(p99);
    }
  }
  const slowest = (what: readonly Place[], figure: keyof Found) =>
    Math.max(...what.map(({ name }) => median(found.get(name)?.[figure] ?? [])));
  report.judge('L1', slowest(places, 'p99'));
  report.judge('L1 depth', slowest(places, 'p50') / slowest(places.slice(0, 1), 'p50'));
  const isSearch = ({ name }: Place) => / (part|end)$/.test(name);
  report.judge(
    'L2',
    slowest(
      byFilter.filter((place) => !isSearch(place)),
      'p99',
    ),
  );
  report.judge('L3', slowest(byFilter.filter(isSearch), 'p99'));
  await wholeLists(surroundings, api, report, options, say);
  return report;
}

/** Milliseconds, one for each round. */
type Found = Record<'p50' | 'p99', number[]>;

/** Somewhere in the list. */
interface Place {
  name: string;
  reading: () => Reading;
  /** Nothing is there, and that must be cheap to find out. */
  isEmpty?: boolean;
}

/** From page to page by the cursor of the answer before. */
function walk(start: string): Reading {
  return (before) => {
    if (before === undefined) return start;
    return before.next_page === null ? undefined : `?cursor=${before.next_page}`;
  };
}

/** Each value once, in turn. */
function each(queries: readonly string[]): () => Reading {
  return () => {
    let index = 0;
    return () => {
      const query = queries[index % queries.length];
      index += 1;
      return query;
    };
  };
}

function filtered(known: readonly (Customer & { email: string })[]): Place[] {
  const eq = (field: string, value: string) => `?filter[${field}][eq]=${encodeURIComponent(value)}`;
  const by = (operator: string, part: string) => `?filter[email][${operator}]=${encodeURIComponent(part)}`;
  const dates = known.map((row) => `?filter[created_at][lte]=${row.created_at}`);
  return [
    { name: 'by e-mail', reading: each(known.map(({ email }) => eq('email', email.toUpperCase()))) },
    { name: 'by date', reading: each(dates) },
    { name: 'persons', reading: () => walkBy('type', 'person') },
    { name: 'companies', reading: () => walkBy('type', 'company') },
    { name: 'not a person', reading: () => walkBy('type', 'person', 'ne') },
    { name: 'by a rare part', reading: each(known.map(({ email }) => by('contains', email.slice(0, -4)))) },
    { name: 'by a common part', reading: () => walkBy('email', 'example', 'contains') },
    { name: 'nobody by e-mail', reading: each([eq('email', 'nobody@example.org')]), isEmpty: true },
    { name: 'nobody by a part', reading: each([by('contains', 'nobody')]), isEmpty: true },
    { name: 'nobody by an end', reading: each([by('ends_with', '@nowhere.example')]), isEmpty: true },
    { name: 'no such type', reading: each([eq('type', 'nothing')]), isEmpty: true },
  ];
}

function walkBy(field: string, value: string, operator = 'eq'): Reading {
  const query = `?filter[${field}][${operator}]=${value}`;
  return (before) => {
    if (before === undefined) return query;
    return before.next_page === null ? undefined : `${query}&cursor=${before.next_page}`;
  };
}

class Reader {
  readonly #api: Service;
  readonly #database: pg.ClientBase;
  readonly #report: Report;
  readonly #options: ListsOptions;

  constructor(api: Service, database: pg.ClientBase, report: Report, options: ListsOptions) {
    this.#api = api;
    this.#database = database;
    this.#report = report;
    this.#options = options;
  }

  async warmUp(): Promise<void> {
    await this.#read(() => walk(''), WARM_UP_PAGES);
  }

  async measure({ name, reading, isEmpty = false }: Place, round: number): Promise<Percentiles> {
    const context = {
      ...{ database: this.#database, name, round, servicePid: this.#api.pid },
      quietSecondsMax: this.#options.quietSeconds,
    };
    const { leg, result } = await measure(context, () => this.#read(reading, this.#options.pages, isEmpty));
    const latency_ms = percentiles(result.milliseconds);
    const requests = result.milliseconds.length;
    this.#report.add({ ...leg, requests, requests_per_second: requests / result.seconds, latency_ms });
    this.#report.problems.push(...new Set(result.problems.map((problem) => `${name}: ${problem}`)));
    return latency_ms;
  }

  async #read(reading: () => Reading, pagesMax: number, isEmpty = false) {
    const headers = await this.#api.headers();
    const pool = new Pool(this.#api.baseUrl, { connections: this.#options.readers });
    const milliseconds: number[] = [];
    const problems: string[] = [];
    let rows = 0;
    const began = performance.now();
    const one = async () => {
      const next = reading();
      let before: Answer | undefined;
      for (let page = 0; page < pagesMax; page += 1) {
        const query = next(before);
        if (query === undefined) return;
        const sent = performance.now();
        const answer = await pool.request({ method: 'GET', path: `/customers${query}`, headers });
        const text = await answer.body.text();
        milliseconds.push(performance.now() - sent);
        if (answer.statusCode !== 200) {
          problems.push(`${answer.statusCode} ${text.slice(0, 300)}`);
          return;
        }
        const shown = JSON.parse(text) as Answer;
        rows += shown.items.length;
        problems.push(...faultsOf(shown, before, query, isEmpty));
        before = shown;
      }
    };
    try {
      await Promise.all(Array.from({ length: this.#options.readers }, one));
    } finally {
      await pool.close();
    }
    return { rows, seconds: (performance.now() - began) / 1000, milliseconds, problems };
  }
}

/** A fast wrong page is no page: full unless it is the last one, in order, and behind the page before. */
function faultsOf(shown: Answer, before: Answer | undefined, query: string, isEmpty: boolean): string[] {
  const faults: string[] = [];
  if ((shown.items.length === 0) !== isEmpty) faults.push(isEmpty ? 'rows of nobody' : 'an empty page');
  if (shown.next_page !== null && shown.items.length !== PAGE_ITEMS) faults.push('a page that is not full');
  const isWalk = query.includes('cursor=') && before !== undefined;
  const rows = isWalk ? [...before.items.slice(-1), ...shown.items] : shown.items;
  const places = rows.map((row) => `${row.created_at} ${row.id}`);
  if (places.some((place, index) => index > 0 && place >= (places[index - 1] ?? ''))) {
    faults.push('rows out of order, or twice');
  }
  return faults;
}

async function rowBefore(
  database: pg.ClientBase,
  organization: string,
  rows: number,
): Promise<{ created_at: string; id: string } | undefined> {
  if (rows === 0) return undefined;
  const found = await database.query<{ created_at: string; id: string }>(
    `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at, id FROM customers
      WHERE organization_id = $1 ORDER BY customers.created_at DESC, id DESC OFFSET $2 LIMIT 1`,
    [organization, rows - 1],
  );
  return found.rows[0];
}

/** Customers from everywhere in the list. */
async function sample(database: pg.ClientBase, organization: string, count: number) {
  const { rows } = await database.query<Customer & { email: string }>(
    `SELECT id, type, email, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
       FROM customers WHERE organization_id = $1 ORDER BY md5(id) LIMIT $2`,
    [organization, count],
  );
  return rows;
}
