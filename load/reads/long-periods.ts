import type pg from 'pg';
import { addDays, addMonths, berlinDayAt } from '../../src/platform/time/berlin-calendar.ts';
import { requireAnswers } from '../ingest/run.ts';
import { AnswerCounts } from '../measure/answers.ts';
import { AUTOCANNON, closedLoop } from '../measure/closed-loop.ts';
import { measure } from '../measure/leg.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { storeCustomers } from '../surroundings/customers.ts';
import { storePriceDay } from '../surroundings/price-days.ts';
import { prepareSurroundings, type Service } from '../surroundings/service.ts';
import { storeMeteredContract } from './contracts.ts';
import { type Beside, beside } from './two-callers.ts';

export interface LongPeriodsOptions {
  /** Calls of each kind whose processor time is counted. */
  calls: number;
  seconds: number;
  rounds: number;
  quietSeconds: number;
}

const YEARS = 10;
/** As the interface promises it to a client. */
const RATE = { rate_per_second: 50, rate_burst: 100 };
/** A little below: what is refused with 429 costs nothing. */
const CALLS_PER_SECOND = 49;
const PRICE_DAYS = 366;
/** Periods begin on so many different days: answers that were given cannot be given again. */
const STARTS = 30;

interface Kind {
  name: string;
  pathAt(index: number): string;
}

/** Every route that answers for years, at its longest and finest. */
export async function longPeriods(
  options: LongPeriodsOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  const surroundings = await prepareSurroundings({}, cleanup);
  const { database } = surroundings;
  const report = new Report('long-periods', await collectFacts(database), { ...options });
  const limited = await surroundings.client(RATE);
  const other = await surroundings.client({ rate_per_second: 1_000, rate_burst: 1_000 });
  const today = berlinDayAt(Date.now());
  say(`storing ${YEARS} years of quarter hours and ${PRICE_DAYS + STARTS} days of prices`);
  const period = { first: addMonths(today, -12 * YEARS), end: today };
  const contract = await storeMeteredContract(database, limited.organization, period);
  await storeCustomers(database, other.organization, 1_000);
  for (let back = 0; back < PRICE_DAYS + STARTS; back += 1)
    await storePriceDay(database, addDays(today, -back));

  const service = await surroundings.service('long periods');
  const headers = { ...(await limited.headers(service)), 'accept-encoding': 'gzip' };
  const probe = {
    ...{ service, headers: await other.headers(service) },
    pathAt: () => '/customers?limit=10',
  };
  const worst: number[] = [];
  for (const kind of kindsOf(contract, today)) {
    for (let round = 1; round <= options.rounds; round += 1) {
      const milliseconds = await processorTime(
        { report, database, service, headers },
        { ...kind, round },
        options,
      );
      if (kind.name === BY_MONTHS) report.judge('U1', milliseconds, AUTOCANNON.name);
      say(
        `${kind.name}: ${milliseconds.toFixed(1)} ms of processor time a call; beside another organization`,
      );
      const load = { service, headers, pathAt: kind.pathAt, ratePerSecond: CALLS_PER_SECOND };
      const seen = await beside(probe, load, options.seconds);
      report.details[`beside: ${kind.name}, round ${round}`] = seen;
      say(textOf(seen));
      if (seen.refused > 0)
        report.problems.push(`${kind.name}: ${seen.refused} answers of the other refused`);
      worst.push(seen.during / seen.before);
    }
  }
  report.judge('U2', Math.max(...worst), 'undici');
  return report;
}

const BY_MONTHS = 'usage, ten years by months';

function kindsOf(contract: string, today: string): Kind[] {
  const usage = (name: string, resolution: string, days: number): Kind => ({
    name,
    pathAt: (index) => {
      const end = addDays(today, -(index % STARTS));
      return `/subscriptions/${contract}/usage?resolution=${resolution}&start=${addDays(end, -days)}&end=${end}`;
    },
  });
  return [
    usage(BY_MONTHS, 'month', 365 * YEARS - STARTS),
    usage('usage, ten years by days', 'day', 365 * YEARS - STARTS),
    usage('usage, a year by hours', 'hour', 366),
    usage('usage, 62 days by quarter hours', '15min', 62),
    {
      name: 'spot prices, 366 dates',
      pathAt: (index) => {
        const end = addDays(today, -(index % STARTS));
        return `/spot-prices?start=${addDays(end, 1 - PRICE_DAYS)}&end=${end}`;
      },
    },
  ];
}

function textOf({ before, during, after, answers }: Beside): string {
  const [first, second, third] = [before, during, after].map((median) => median.toFixed(1));
  const counts = Object.entries(answers).map(([status, count]) => `${count} × ${status}`);
  return `  median of the other: ${first} ms before, ${second} during, ${third} after; the client heard ${counts.join(', ')}`;
}

interface Parts {
  report: Report;
  database: pg.ClientBase;
  service: Service;
  headers: Record<string, string>;
}

/** They come with gzip and are not looked into: what is measured is what it takes to make them. */
class CompressedAnswers extends AnswerCounts {
  protected override take(body: string): boolean {
    return body.length > 0;
  }
}

/** Milliseconds of the service and the database for one call; the calls go one after the other. */
async function processorTime(
  { report, database, service, headers }: Parts,
  { name, pathAt, round }: Kind & { round: number },
  { calls, quietSeconds }: LongPeriodsOptions,
): Promise<number> {
  const read = (amount: number, onBegin = () => {}) =>
    closedLoop({
      ...{ url: service.baseUrl, headers, connections: 1, amount, pathAt, onBegin },
      answers: new CompressedAnswers(),
    });
  await read(1);
  const context = { database, name, round, servicePid: service.pid, quietSecondsMax: quietSeconds };
  const { leg, result } = await measure(context, async (begin) => {
    const loop = await read(calls, begin);
    return { loop, rows: calls };
  });
  requireAnswers(report, name, result.loop.answers, 200);
  report.add(leg);
  return (1_000 * leg.seconds * ((leg.cpu.service ?? 0) + (leg.cpu.database ?? 0))) / calls;
}
