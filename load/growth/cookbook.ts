import { DateTime } from 'luxon';
import type pg from 'pg';
import { answerOf, type CookbookQuery, cookbook } from '../../scripts/cookbook.ts';
import { analystAddress, createAnalyst, revokeAnalyst } from '../../src/governance/analysts/service.ts';
import { openDatabase } from '../../src/platform/database/db.ts';
import { SQLSTATE, sqlState } from '../../src/platform/database/pg-errors.ts';
import { addMonths, type CalendarDay, firstOfMonth } from '../../src/platform/time/berlin-calendar.ts';
import { addDays } from '../../src/spot-prices/calendar.ts';
import { postmasterOf, timed } from '../measure/processor.ts';
import { median } from '../measure/statistics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { connect } from '../surroundings/connect.ts';

/** The last day of the learning data, which the questions name. */
const LEARNING_END_DAY = '2026-11-09';
/** Where contracts of a load run are. */
const LOAD_ZIP = '04103';
/** The questions' parameters: everything up to the end of the first expression. */
const PARAMS = /^WITH params AS NOT MATERIALIZED \(\n[^)]*\n\)/;

/** Questions of sql/queries, and an analyst who asks them. */
interface Cookbook {
  analyst: pg.Client;
  queries: readonly CookbookQuery[];
}

/** The questions up to a day, about a household; those about measured values of so many days. */
export async function cookbookOf(scope: QuestionScope): Promise<CookbookQuery[]> {
  const queries = (await cookbook()).filter((query) => !scope.measuredAlone || isMeasured(query));
  return queries.map((query) => movedTo(query, scope));
}

interface QuestionScope {
  /** The first day that is no longer asked about. */
  endDay: CalendarDay;
  household: string;
  days: number;
  measuredAlone?: boolean;
}

/** Whether it is about days of the fleet: the others are about the last months of bills, leads and fees. */
const isMeasured = (query: CookbookQuery) =>
  /least_covered|AS day\b/.test(query.statement) ||
  query.statement.includes(`${LEARNING_END_DAY}' AS end_day`);

/** The address of an analyst as `cli analysts create` makes him: his role, its limits, and the views of one organization. */
export async function createLoadAnalyst(
  ownerUrl: string,
  organization: string,
  cleanup: Cleanup,
): Promise<string> {
  const owner = openDatabase({
    url: ownerUrl,
    applicationName: 'voltstream-load',
    connectionsMax: 1,
    onError: () => {},
  });
  cleanup.add(() => owner.close());
  const act = { staff: 'load', reason: 'load run', command: 'load', now: new Date().toISOString() };
  const account = await createAnalyst({ database: owner }, organization, `load_${process.pid}`, act);
  cleanup.add(async () => void (await revokeAnalyst({ database: owner, ownerUrl }, account.name, act)));
  return analystAddress(ownerUrl, account);
}

export async function signInAnalyst(
  ownerUrl: string,
  organization: string,
  cleanup: Cleanup,
): Promise<pg.Client> {
  const address = await createLoadAnalyst(ownerUrl, organization, cleanup);
  const analyst = await connect(address, 'The analyst cannot sign in');
  cleanup.add(() => analyst.end());
  return analyst;
}

/** The same question about later days, of a household of this fleet. */
function movedTo(query: CookbookQuery, { endDay, household, days }: QuestionScope): CookbookQuery {
  const [params] = PARAMS.exec(query.statement) ?? [];
  if (params === undefined) throw new Error(`${query.name} does not begin with its parameters`);
  const back = DateTime.fromISO(endDay).diff(DateTime.fromISO(LEARNING_END_DAY), 'days').days;
  const lastDay = addDays(endDay, -1);
  const first = isMeasured(query) ? addDays(endDay, -days) : addMonths(firstOfMonth(lastDay), -2);
  const moved = params
    .replace(/\d{4}-\d{2}-\d{2}/g, (day) => addDays(day, back))
    .replace(/'\d{4}-\d{2}-\d{2}' AS first_day/, `'${first}' AS first_day`)
    .replace(/'\d{4}-\d{2}-\d{2}' AS end_day\b/, `'${endDay}' AS end_day`)
    .replace(/'\d{4}-\d{2}-\d{2}' AS day\b/, `'${lastDay}' AS day`)
    .replace(/'\d{5}' AS zip/, `'${LOAD_ZIP}' AS zip`);
  return {
    ...query,
    statement: query.statement.replace(params, () => moved.replace(/dom_learning\w+/, household)),
  };
}

/**
 * Milliseconds of an answer and of processor time for it, in all processes of the database (medians), and its rows; text where
 * it did not come.
 */
export type CookbookTimes = Record<string, { ms: number; processor_ms: number; rows: number } | string>;

export async function askCookbook({ analyst, queries }: Cookbook, rounds: number): Promise<CookbookTimes> {
  const times: CookbookTimes = {};
  for (const query of queries) times[query.name] = await ask(analyst, query, rounds);
  return times;
}

async function ask(analyst: pg.Client, query: CookbookQuery, rounds: number): Promise<CookbookTimes[string]> {
  const watched = { service: null, postmaster: await postmasterOf(analyst) };
  const found: { seconds: number; processorSeconds: number; rows: number }[] = [];
  const begun = Date.now();
  for (let round = 0; round < rounds; round += 1) {
    try {
      const { result, ...times } = await timed(watched, () => answerOf(analyst, query));
      found.push({ ...times, rows: result.rows.length });
    } catch (error) {
      if (sqlState(error) !== SQLSTATE.queryCanceled) throw error;
      return `more than ${Math.floor((Date.now() - begun) / 1000)} s`;
    }
  }
  const milliseconds = (of: 'seconds' | 'processorSeconds') =>
    Math.round(median(found.map((each) => each[of] * 1000)));
  return {
    ms: milliseconds('seconds'),
    processor_ms: milliseconds('processorSeconds'),
    rows: found[0]?.rows ?? 0,
  };
}
