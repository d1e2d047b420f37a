import { berlinDayAt } from '../../src/platform/time/berlin-calendar.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import { table } from '../measure/table.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { WrongUse } from '../surroundings/failures.ts';
import { planFleet } from '../surroundings/seed.ts';
import { prepareSurroundings } from '../surroundings/service.ts';
import { askCookbook, type CookbookTimes, cookbookOf, signInAnalyst } from './cookbook.ts';
import { History, rowsOfDay } from './history.ts';
import { compress } from './store.ts';

export interface CookbookGrowthOptions {
  households: number;
  /** How many snapshots are stored, in turn. */
  sizes: number[];
  /** What the questions about measured values are about at each size. */
  days: number;
  rounds: number;
  seed: string;
}

/** More processor time for the same answer than this many times, and than so much: the question grows with what is stored. */
const GROWTH_MAX = 1.5;
const GROWTH_MILLISECONDS_MIN = 50;
/** Days of which each question is asked of the largest store. */
const SPANS = [1, 3, 7, 30];

/**
 * Each question of the cookbook about the same days of a store whose past grows: what they cost at each size. Then of the
 * largest one all of them about other spans, each within the time that an analyst has.
 */
export async function cookbookGrowth(
  options: CookbookGrowthOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  const daysOf = (rows: number) => Math.round(rows / rowsOfDay(options.households));
  const sizes = options.sizes.toSorted((left, right) => left - right);
  const [smallest = 0, largest = 0] = [sizes[0], sizes.at(-1)];
  if (daysOf(smallest) < options.days) {
    throw new WrongUse(`--sizes: ${smallest} snapshots are ${daysOf(smallest)} days, fewer than --days`);
  }
  const surroundings = await prepareSurroundings({}, cleanup);
  const { organization, ownerUrl = '' } = surroundings;
  const report = new Report('cookbook', await collectFacts(surroundings.database), { ...options });
  const fleet = planFleet(`${options.seed}/${organization}`, options.households);
  const end = berlinDayAt(Date.now());
  const history = await History.open({ surroundings, fleet, end }, daysOf(largest), cleanup);
  const scope = { endDay: end, household: fleet[0]?.id ?? '' };
  const analyst = await signInAnalyst(ownerUrl, organization, cleanup);
  const times: CookbookTimes[] = [];
  for (const rows of sizes) {
    const days = daysOf(rows);
    say(`storing ${rows.toLocaleString('en')} snapshots: ${days} days`);
    await history.growTo(days);
    say('asking the cookbook');
    const queries = await cookbookOf({ ...scope, days: options.days });
    const found = await askCookbook({ analyst, queries }, options.rounds);
    times.push(found);
    report.details[`at ${rows.toLocaleString('en')} snapshots`] = found;
    say(JSON.stringify(found));
  }
  compare(report, sizes, times);
  if (await compress(surroundings.database)) {
    say('asking the cookbook of compressed snapshots');
    const queries = await cookbookOf({ ...scope, days: options.days });
    report.details.compressed = await askCookbook({ analyst, queries }, options.rounds);
  }
  say('asking about other spans');
  const spans: CookbookTimes = {};
  for (const days of SPANS) {
    const queries = await cookbookOf({ ...scope, days, measuredAlone: days !== SPANS[0] });
    const found = await askCookbook({ analyst, queries }, 1);
    for (const [name, time] of Object.entries(found)) spans[`${name}, ${days} days`] = time;
  }
  report.details['questions about spans'] = spans;
  judgeSpans(report, spans);
  return report;
}

function compare(report: Report, sizes: readonly number[], times: readonly CookbookTimes[]): void {
  const [first = {}, last = {}] = [times[0], times.at(-1)];
  const rows: string[][] = [];
  for (const [name, before] of Object.entries(first)) {
    const after = last[name] ?? 'not asked';
    const cells = times.map((each) => shown(each[name]));
    if (typeof before === 'string' || typeof after === 'string') {
      report.problems.push(`${name}: no answer within the time limit`);
    } else if (after.rows !== before.rows) {
      report.problems.push(`${name}: ${after.rows} rows in place of ${before.rows}`);
    } else if (
      after.processor_ms > GROWTH_MAX * before.processor_ms &&
      after.processor_ms - before.processor_ms > GROWTH_MILLISECONDS_MIN
    ) {
      report.problems.push(`${name}: ${before.processor_ms} ms became ${after.processor_ms} ms`);
    }
    rows.push([name, ...cells, typeof after === 'string' ? '' : String(after.rows)]);
  }
  const headings = sizes.map((size) => `ms at ${size.toLocaleString('en')}`);
  report.tables.push(table(['question', ...headings, 'rows'], rows));
}

const shown = (time: CookbookTimes[string] | undefined) =>
  typeof time === 'object' ? String(time.processor_ms) : (time ?? '');

function judgeSpans(report: Report, spans: CookbookTimes): void {
  const answered = Object.values(spans).filter((time) => typeof time === 'object');
  for (const [name, time] of Object.entries(spans)) {
    if (typeof time === 'string') report.problems.push(`${name}: no answer within the time limit (${time})`);
  }
  const greatest = (of: 'ms' | 'processor_ms') => Math.max(0, ...answered.map((time) => time[of])) / 1000;
  report.tables.push(
    `${answered.length} of ${Object.keys(spans).length} questions answered within the time limit; the longest took ` +
      `${greatest('ms').toFixed(1)} s, ${greatest('processor_ms').toFixed(1)} s of processor time`,
  );
}
