import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { cursorAfter } from '../../src/platform/interface/pagination.ts';
import { requireAnswers } from '../ingest/run.ts';
import { AnswerCounts } from '../measure/answers.ts';
import { AUTOCANNON, closedLoop } from '../measure/closed-loop.ts';
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

interface Page {
  items: Customer[];
  next_page: string | null;
}

/** The next query of a reader, given the answer before; undefined when there is nothing left. */
type Reading = (before: Page | undefined) => string | undefined;

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
  const found = new Map(
    [...places, ...byFilter].map(({ name }) => [name, { p50: [], p99: [] } as PageTimes]),
  );
  for (let round = 1; round <= options.rounds; round += 1) {
    say(`round ${round}: ${options.pages} pages at each depth and by each filter`);
    for (const place of [...places, ...byFilter]) {
      const { p50, p99 } = await reader.measure(place, round);
      found.get(place.name)?.p50.push(p50);
      found.get(place.name)?.p99.push(p99);
    }
  }
  const slowest = (what: readonly Place[], figure: keyof PageTimes) =>
    Math.max(...what.map(({ name }) => median(found.get(name)?.[figure] ?? [])));
  report.judge('L1', slowest(places, 'p99'), AUTOCANNON.name);
  report.judge('L1 depth', slowest(places, 'p50') / slowest(places.slice(0, 1), 'p50'), AUTOCANNON.name);
  const isSearch = ({ name }: Place) => / (part|end)$/.test(name);
  report.judge(
    'L2',
    slowest(
      byFilter.filter((place) => !isSearch(place)),
      'p99',
    ),
    AUTOCANNON.name,
  );
  report.judge('L3', slowest(byFilter.filter(isSearch), 'p99'), AUTOCANNON.name);
  await wholeLists(surroundings, api, report, options, say);
  return report;
}

/** Milliseconds, one for each round. */
type PageTimes = Record<'p50' | 'p99', number[]>;

/** Somewhere in the list. */
interface Place {
  name: string;
  reading: () => Reading;
  /** Nothing is there, and that must be cheap to find out. */
  isEmpty?: boolean;
}

/** From page to page by the cursor of the answer before. */
export function walk(start: string): Reading {
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
    await this.#read({ name: 'warm-up', reading: () => walk('') }, WARM_UP_PAGES);
  }

  async measure(place: Place, round: number): Promise<Percentiles> {
    const context = {
      ...{ database: this.#database, name: place.name, round, servicePid: this.#api.pid },
      quietSecondsMax: this.#options.quietSeconds,
    };
    const { leg, result } = await measure(context, (begin) => this.#read(place, this.#options.pages, begin));
    this.#report.add(leg);
    return percentiles(result.loop.latenciesMilliseconds);
  }

  async #read(place: Place, pages: number, onBegin = () => {}) {
    const { readers } = this.#options;
    const answers = new Pages(place, readers);
    const loop = await closedLoop({
      ...{ url: this.#api.baseUrl, headers: await this.#api.headers(), onBegin, answers },
      ...{ connections: readers, amount: readers * pages },
      pathAt: (index) => `/customers${answers.queryAt(index)}`,
    });
    requireAnswers(this.#report, place.name, answers, 200);
    return { loop, rows: answers.rows };
  }
}

/** Gives each reader its next query, and checks that the answer is a page of it. */
export class Pages extends AnswerCounts {
  rows = 0;
  readonly #place: Place;
  readonly #readers: { next: Reading; query: string; before: Page | undefined }[];

  constructor(place: Place, readers: number) {
    super();
    this.#place = place;
    this.#readers = Array.from({ length: readers }, () => ({
      ...{ next: place.reading(), query: '', before: undefined },
    }));
  }

  /** Of request `index`. Where nothing is left the reader begins again. */
  queryAt(index: number): string {
    const reader = this.#readerOf(index);
    let query = reader.next(reader.before);
    if (query === undefined) {
      reader.before = undefined;
      query = reader.next(undefined) ?? '';
    }
    reader.query = query;
    return query;
  }

  protected override take(body: string, index: number): boolean {
    const reader = this.#readerOf(index);
    const page = JSON.parse(body) as Page;
    this.rows += page.items.length;
    const faults = faultsOf(page, reader.before, reader.query, this.#place.isEmpty === true);
    reader.before = page;
    if (faults.length > 0) throw new Error(faults.join(', '));
    return true;
  }

  #readerOf(index: number) {
    const reader = this.#readers[index % this.#readers.length];
    if (reader === undefined) throw new RangeError('A list has a reader');
    return reader;
  }
}

/** A fast wrong page is no page: full unless it is the last one, in order, and behind the page before. */
function faultsOf(page: Page, before: Page | undefined, query: string, isEmpty: boolean): string[] {
  const faults: string[] = [];
  if ((page.items.length === 0) !== isEmpty) faults.push(isEmpty ? 'rows of nobody' : 'an empty page');
  if (page.next_page !== null && page.items.length !== PAGE_ITEMS) faults.push('a page that is not full');
  const isWalk = query.includes('cursor=') && before !== undefined;
  const rows = isWalk ? [...before.items.slice(-1), ...page.items] : page.items;
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
