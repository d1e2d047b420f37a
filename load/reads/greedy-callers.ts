import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { addDays, addMonths, berlinDayAt } from '../../src/platform/time/berlin-calendar.ts';
import { Bodies } from '../ingest/bodies.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import { median } from '../measure/statistics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { storeCustomers } from '../surroundings/customers.ts';
import { storePriceDay } from '../surroundings/price-days.ts';
import { planFleet, type SeededHousehold, storeFleet } from '../surroundings/seed.ts';
import { type FurtherClient, prepareSurroundings, type Service } from '../surroundings/service.ts';
import { storeMeteredContract } from './contracts.ts';
import { signUpBody } from './quote-requests.ts';
import { storePlan, suppliedZips } from './quotes.ts';

export interface GreedyCallersOptions {
  connections: number;
  seconds: number;
  rounds: number;
  seed: string;
  only?: string;
}

/** One caller sends this on all of its connections, one behind the other, without a pause. */
interface GreedyRequest {
  name: string;
  method?: 'GET' | 'POST';
  path(index: number): string;
  body?(index: number): Buffer;
  headers?: Record<string, string>;
  /** Without a token. */
  isPublic?: boolean;
  /** What it is answered with where nobody is in the way; 200 where absent. */
  status?: number;
  /** A crowd of gateways has more than a careless caller. */
  connections?: number;
}

/** Latencies in milliseconds of somebody who sends one small request after the other, with a pause. */
interface AnswerTimes {
  median: number;
  slowest: number;
  /** Answers that were not 200, by status. */
  refused: Record<string, number>;
}

const CLIENT = 'undici';
const PAUSE_MILLISECONDS = 20;
const CUSTOMERS = 20_000;
const YEARS = 10;
const PRICE_DAYS = 366;
const STARTS = 30;
const TIMEOUT_MILLISECONDS = 60_000;
/** Gateways of two crowds: of large batches and of small ones. */
const LARGE_SENDERS = 64;
const SMALL_SENDERS = 1_000;
/** All is as before when both wait at most twice as long, and these milliseconds. */
const CALM_MILLISECONDS = 5;
const RECOVERY_SECONDS_MAX = 60;

/** The costliest requests that one caller may send, each beside another organization and another client of his own one. */
export async function greedyCallers(
  options: GreedyCallersOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  const surroundings = await prepareSurroundings({}, cleanup);
  const { database, organization } = surroundings;
  const report = new Report('greedy-callers', await collectFacts(database), { ...options });
  const unlimited = { rate_per_second: 10_000, rate_burst: 10_000 };
  const [greedy, colleague, other] = [
    await surroundings.client(unlimited, organization),
    await surroundings.client(unlimited, organization),
    await surroundings.client(unlimited),
  ];
  say('storing reference data, a plan, customers, prices and ten years of quarter hours');
  const plan = await storePlan(surroundings);
  const today = berlinDayAt(Date.now());
  const contract = await storeMeteredContract(database, organization, {
    first: addMonths(today, -12 * YEARS),
    end: today,
  });
  await storeCustomers(database, organization, CUSTOMERS);
  for (let back = 0; back < PRICE_DAYS + STARTS; back += 1)
    await storePriceDay(database, addDays(today, -back));
  const neighbour = planFleet(`${options.seed}/other`, 1);
  await storeFleet(database, other.organization, neighbour);
  const beginSeconds = Math.floor(Date.now() / 1000 / 86_400 - 30) * 86_400;
  const batchesOf = async (households: number, rows: number) => {
    const fleet = planFleet(`${options.seed}/${rows}`, households);
    const keys = await storeFleet(database, organization, fleet);
    return new Bodies({ fleet, keys, rows, beginSeconds });
  };
  const requests = [
    ...greedyRequests({
      bodies: await batchesOf(options.connections, 10_000),
      ...{ contract, today, plan, zips: await suppliedZips(database) },
    }),
    ...crowd('10,000', await batchesOf(LARGE_SENDERS, 10_000), LARGE_SENDERS),
    ...crowd('10', await batchesOf(SMALL_SENDERS, 10), SMALL_SENDERS),
  ];
  const service = await surroundings.service('greedy callers');
  const kinds = requests.filter(({ name }) => options.only === undefined || name.includes(options.only));
  for (const kind of kinds) {
    for (let round = 1; round <= options.rounds; round += 1) {
      const seen = await besideGreed(
        { service, greedy, colleague, other, household: neighbour[0] as SeededHousehold },
        kind,
        options,
      );
      report.details[`${kind.name}, round ${round}`] = seen;
      judge(report, kind.name, seen);
      say(textOf(kind.name, seen));
    }
  }
  return report;
}

interface WatchedBoth {
  other: AnswerTimes;
  colleague: AnswerTimes;
}

interface CallerPhases {
  before: WatchedBoth;
  during: WatchedBoth;
  after: WatchedBoth;
  /** From the last request on, until both are answered as before. */
  recoverySeconds: number;
  answers: Record<string, number>;
}

function judge(report: Report, name: string, { before, during, recoverySeconds }: CallerPhases): void {
  for (const [who, watched] of Object.entries(during)) {
    const failed = Object.entries(watched.refused).filter(([status]) => Number(status) >= 500);
    if (failed.length > 0)
      report.problems.push(`${name}: ${who} was answered ${JSON.stringify(watched.refused)}`);
  }
  report.judge("P4' other", during.other.median, CLIENT);
  report.judge("P4' alone", during.other.median / before.other.median, CLIENT);
  report.judge("P4' client", during.colleague.median, CLIENT);
  report.judge("P4' recovery", recoverySeconds * 1_000, CLIENT);
}

function textOf(name: string, { before, during, after, recoverySeconds, answers }: CallerPhases): string {
  const line = (who: 'other' | 'colleague') =>
    [before, during, after].map((part) => part[who].median.toFixed(1)).join(' / ');
  const counts = Object.entries(answers).map(([status, count]) => `${count} × ${status}`);
  const refused = JSON.stringify({ ...during.other.refused, ...during.colleague.refused });
  return `${name}: another organization ${line('other')} ms, another client ${line('colleague')} ms (before / during / after); as before after ${recoverySeconds.toFixed(1)} s; refused ${refused}; the caller heard ${counts.join(', ')}`;
}

interface Callers {
  service: Service;
  greedy: FurtherClient;
  colleague: FurtherClient;
  other: FurtherClient;
  household: SeededHousehold;
}

async function besideGreed(
  { service, greedy, colleague, other, household }: Callers,
  kind: GreedyRequest,
  { connections: usual, seconds }: GreedyCallersOptions,
): Promise<CallerPhases> {
  const connections = kind.connections ?? usual;
  const pool = new Pool(service.baseUrl, { connections, headersTimeout: TIMEOUT_MILLISECONDS });
  const headers = { ...(kind.isPublic ? {} : await greedy.headers(service)), ...kind.headers };
  const otherHeaders = await other.headers(service);
  const colleagueHeaders = await colleague.headers(service);
  const answers: Record<string, number> = {};
  let isOver = false;
  let sent = 0;
  const send = async () => {
    while (!isOver) {
      const index = sent;
      sent += 1;
      const { statusCode, body } = await pool.request({
        ...{ method: kind.method ?? 'GET', path: kind.path(index), headers },
        ...(kind.body && { body: kind.body(index) }),
      });
      if (statusCode === (kind.status ?? 200) || statusCode === 429 || statusCode === 503)
        await body.dump({ limit: 100_000_000 });
      else throw new Error(`${kind.name}: ${statusCode} ${(await body.text()).slice(0, 500)}`);
      answers[statusCode] = (answers[statusCode] ?? 0) + 1;
      /* A caller that is told to come back later does so, but not as late as it should. */
      if (statusCode === 429 || statusCode === 503) await wait(200);
    }
  };
  const watchBoth = async (isDone: () => boolean) => {
    const [ofOther, ofColleague] = await Promise.all([
      watch(service, isDone, (index) => ({
        ...{ method: 'POST' as const, path: '/asset-snapshots', headers: otherHeaders },
        body: smallBatch(household, index),
      })),
      watch(service, isDone, () => ({
        ...{ method: 'GET' as const, path: '/customers?limit=10', headers: colleagueHeaders },
      })),
    ]);
    return { other: ofOther, colleague: ofColleague };
  };
  try {
    const before = await watchBoth(after(2));
    const sending = Promise.all(Array.from({ length: connections }, send));
    const watching = wait(1_000).then(() => watchBoth(after(seconds)));
    const [during] = await Promise.all([watching, Promise.race([watching, sending])]);
    isOver = true;
    const endedAt = performance.now();
    const recovery = recover(endedAt, before, () => watchBoth(after(0.5)));
    await sending;
    const recoverySeconds = await recovery;
    return { before, during, after: await watchBoth(after(2)), recoverySeconds, answers };
  } finally {
    isOver = true;
    await pool.destroy();
  }
}

async function recover(
  endedAt: number,
  before: WatchedBoth,
  look: () => Promise<WatchedBoth>,
): Promise<number> {
  const isCalm = (now: AnswerTimes, then: AnswerTimes) =>
    Object.keys(now.refused).length === 0 && now.median <= 2 * then.median + CALM_MILLISECONDS;
  for (;;) {
    const seconds = (performance.now() - endedAt) / 1_000;
    const { other, colleague } = await look();
    const isOver = seconds > RECOVERY_SECONDS_MAX;
    if (isOver || (isCalm(other, before.other) && isCalm(colleague, before.colleague))) return seconds;
  }
}

function after(seconds: number): () => boolean {
  const ends = performance.now() + seconds * 1_000;
  return () => performance.now() >= ends;
}

interface SmallRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

async function watch(
  { baseUrl }: Service,
  isDone: () => boolean,
  requestAt: (index: number) => SmallRequest,
): Promise<AnswerTimes> {
  const pool = new Pool(baseUrl, { connections: 1, headersTimeout: TIMEOUT_MILLISECONDS });
  const latencies: number[] = [];
  const refused: Record<string, number> = {};
  try {
    for (let index = 0; !isDone(); index += 1) {
      const sentAt = performance.now();
      const { statusCode, body } = await pool.request(requestAt(index));
      await body.dump();
      latencies.push(performance.now() - sentAt);
      if (statusCode !== 200) refused[statusCode] = (refused[statusCode] ?? 0) + 1;
      await wait(PAUSE_MILLISECONDS);
    }
  } finally {
    await pool.close();
  }
  return { median: median(latencies), slowest: Math.max(...latencies), refused };
}

let second = 0;

/** One new row of the last day. */
function smallBatch(household: SeededHousehold, _index: number): string {
  second += 1;
  const timestamp = new Date((Math.floor(Date.now() / 1000) - 86_400 + second) * 1000).toISOString();
  const snapshots = [{ asset: household.assets.at(-1)?.id, timestamp, power_kw: 1 }];
  return JSON.stringify({ household: household.id, snapshots });
}

const POWER = /"power_kw":-?[\d.]+/g;
/** Enough for a run: the same address is answered from a cache. */
const LONG_STARTS = 3_000;

interface GreedyInput {
  bodies: Bodies;
  contract: string;
  today: string;
  plan: string;
  zips: readonly { zip: string }[];
}

function greedyRequests({ bodies, contract, today, plan, zips }: GreedyInput): GreedyRequest[] {
  const snapshots = { method: 'POST' as const, path: () => '/asset-snapshots' };
  const stored = Array.from({ length: 8 }, (_, index) => bodies.at(index));
  const changed = stored.map((body) => Buffer.from(body.toString().replace(POWER, '"power_kw":0.123')));
  const bad = stored.map((body) => Buffer.from(body.toString().replace(POWER, '"power_kw":99999')));
  const batch = bodies.at(0).toString();
  const badJson = Buffer.from(`${batch.slice(0, -1)}${' '.repeat(3 * 2 ** 20 - batch.length)}]`);
  const endOf = (index: number) => addDays(today, -(index % STARTS));
  const quote = (index: number) =>
    Buffer.from(
      JSON.stringify({
        zip_code: zips[index % zips.length]?.zip,
        usage: { consumption: 1_000 + (index % LONG_STARTS) },
      }),
    );
  return [
    { ...snapshots, name: 'bad rows', status: 400, body: (index) => bad[index % bad.length] as Buffer },
    { ...snapshots, name: 'repeats', body: (index) => stored[index % stored.length] as Buffer },
    {
      ...snapshots,
      name: 'conflicting rows',
      status: 400,
      body: (index) => changed[index % changed.length] as Buffer,
    },
    { ...snapshots, name: 'new rows', body: (index) => bodies.at(100 + index) },
    { ...snapshots, name: 'bad JSON of 3 MiB', status: 400, body: () => badJson },
    {
      name: 'year prices',
      path: (index) => `/spot-prices?start=${addDays(endOf(index), 1 - PRICE_DAYS)}&end=${endOf(index)}`,
    },
    {
      name: 'ten years of usage',
      path: (index) => {
        const start = addDays(endOf(index), -(365 * YEARS - STARTS));
        return `/subscriptions/${contract}/usage?resolution=day&start=${start}&end=${endOf(index)}`;
      },
    },
    {
      name: 'sign-ups',
      method: 'POST',
      path: () => '/subscriptions',
      body: (index) =>
        Buffer.from(signUpBody(plan, zips[index % zips.length]?.zip, randomBytes(6).toString('hex'))),
    },
    { name: '/prices', path: (index) => `/prices?day=${endOf(index)}`, isPublic: true },
    { name: 'quotes of cold zips', method: 'POST', path: () => `/plans/${plan}/quote`, body: quote },
    {
      name: 'whole lists',
      path: () => '/customers',
      headers: { 'x-api-version': '2025-12-01.chucky' },
    },
  ];
}

/** All gateways at once and without a pause; then each sends every batch twice. */
function crowd(rows: string, bodies: Bodies, connections: number): GreedyRequest[] {
  const snapshots = { method: 'POST' as const, path: () => '/asset-snapshots', connections };
  const name = `${connections.toLocaleString('en')} senders of ${rows} rows`;
  return [
    { ...snapshots, name, body: (index) => bodies.at(index) },
    {
      ...snapshots,
      name: `${name}, each batch twice`,
      body: (index) => bodies.at(eachTwice(index, connections)),
    },
  ];
}

/** Far behind what was sent before: rounds of new batches, each followed by itself. */
function eachTwice(index: number, connections: number): number {
  const round = Math.floor(index / (2 * connections));
  return 300 * connections + round * connections + (index % connections);
}
