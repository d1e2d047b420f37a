import { beforeAll, describe, expect, test } from 'vitest';
import { daysBetween } from '../../../src/spot-prices/calendar.ts';
import { dayClassOf } from '../../../src/spot-prices/forecast/day-classes.ts';
import { dayNumberOf } from '../../../src/spot-prices/forecast/day-numbers.ts';
import { evaluateForecasts, METHODS, type Method } from '../../../src/spot-prices/forecast/evaluate.ts';
import { listHourlyHistory } from '../../../src/spot-prices/forecast/history.ts';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/api.ts';
import { formulaPrices, openForecastParts, storeHistory } from './stored-history.ts';

const { database, testDatabase } = await openForecastParts('2026-11-20T12:00:00.000Z');
const environment = testEnvironment(testDatabase, 'redis://127.0.0.1:1');

const FROM = '2026-10-21';
const NEWEST = '2026-11-20';

beforeAll(async () => {
  await storeHistory(database, '2025-02-14', '2026-11-19');
  await storeHistory(database, NEWEST, NEWEST, (day) => formulaPrices(day).slice(1));
});

const evaluate = (...args: string[]) => runCommand(environment, 'prices', 'evaluate', ...args);

describe('hourly history', () => {
  test('hours are means of their quarters, and incomplete days are not known', async () => {
    const history = await database.asService((connection) =>
      listHourlyHistory(connection, 'DE-LU', '2025-09-29', NEWEST),
    );
    expect(history.has(dayNumberOf(NEWEST))).toBe(false);
    expect(history.size).toBe(daysBetween('2025-09-29', '2026-11-19').length);
    expect([...(history.get(dayNumberOf('2025-09-30')) ?? [])]).toEqual(formulaPrices('2025-09-30'));
    const quarters = formulaPrices('2026-11-19').slice(0, 4);
    expect(history.get(dayNumberOf('2026-11-19'))?.[0]).toBeCloseTo(
      quarters.reduce((sum, quarter) => sum + quarter, 0) / 4,
      9,
    );
  });
});

interface Shown {
  method: Method;
  days_ahead: number;
  from: string;
  to: string;
  days: number;
  mae_eur_mwh: number;
  rmse_eur_mwh: number;
}

test('the command prints errors of every method, and the ridge beats the repetition of yesterday', async () => {
  const { exitCode, stdout, stderr } = await evaluate('--from', FROM, '--to', '2026-11-20', '--json');
  expect([exitCode, stderr]).toEqual([0, '']);
  const rows = JSON.parse(stdout) as Shown[];
  expect(rows).toHaveLength(METHODS.length * 3);
  for (const row of rows) {
    expect(row).toMatchObject({ from: FROM, to: '2026-11-20', days: 30 });
    expect(row.mae_eur_mwh).toBeGreaterThan(0);
    expect(row.rmse_eur_mwh).toBeGreaterThanOrEqual(row.mae_eur_mwh);
    expect(row.rmse_eur_mwh).toBeLessThan(100);
  }
  for (const daysAhead of [1, 2, 3]) {
    const errorOf = (method: Method) =>
      rows.find((row) => row.days_ahead === daysAhead && row.method === method)?.mae_eur_mwh ?? Number.NaN;
    expect(errorOf('ridge')).toBeLessThan(errorOf('newest day repeated'));
    expect(errorOf('ridge and class mean')).toBeLessThan(errorOf('newest day repeated'));
  }
});

test('the table has a line for each method and a column for each distance', async () => {
  const { exitCode, stdout } = await evaluate('--from', '2026-11-01', '--days-ahead', '2');
  expect(exitCode).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toContain('2026-11-01 until 2026-11-21, judged on 19, 19 days');
  expect(lines[1]).toMatch(/^method +h = 1 +h = 2$/);
  expect(lines.slice(2)).toHaveLength(METHODS.length);
  for (const line of lines.slice(2)) expect(line).toMatch(/\d+\.\d \/ \d+\.\d +\d+\.\d \/ \d+\.\d$/);
});

test('a span without enough history before it fails with a sentence, wrong use with 2', async () => {
  const early = await evaluate('--from', '2025-06-01', '--to', '2025-07-01');
  expect(early).toMatchObject({ exitCode: 1, stdout: '' });
  expect(early.stderr).toContain('270');
  const wrong = await evaluate('--from', '2026-02-29');
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain('A calendar day like 2026-11-20.');
});

/** One price for all hours of a day of each class. */
const LEVELS = { workday: 10, saturday: 20, sunday_or_holiday: 40 } as const;

test('errors are those of a calculation by hand where prices follow the class of the day', async () => {
  const level = (day: string) => LEVELS[dayClassOf(dayNumberOf(day))];
  const history = new Map(
    daysBetween('2024-06-01', '2026-04-30').map((day) => [
      dayNumberOf(day),
      new Float64Array(24).fill(level(day)),
    ]),
  );
  const days = daysBetween('2026-04-01', '2026-04-14');
  const errors = await evaluateForecasts(history, { from: '2026-04-01', to: '2026-04-15', daysAheadMax: 1 });
  const of = (method: Method) => errors.find((error) => error.method === method);
  expect(of('class mean (4)')).toMatchObject({ days: days.length, maeEurMwh: 0, rmseEurMwh: 0 });
  expect(of('class median (8)')).toMatchObject({ maeEurMwh: 0 });
  const before = daysBetween('2026-03-31', '2026-04-13');
  const differences = days.map((day, index) => Math.abs(level(day) - level(before[index] ?? '')));
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(of('newest day repeated')?.maeEurMwh).toBeCloseTo(mean(differences), 9);
  expect(of('newest day repeated')?.rmseEurMwh).toBeCloseTo(
    Math.sqrt(mean(differences.map((value) => value ** 2))),
    9,
  );
});
