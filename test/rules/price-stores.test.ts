import { expect, test } from 'vitest';
import { codeFiles, placesOf, projectFiles, withoutComments } from './project-files.ts';

/*
 * Realized prices and forecasts have stores of their own. A statement that names both could fill the holes of the one with
 * the other, and nobody would see it in the answer.
 */

const REALIZED = /\b(spot_prices|price_revisions|price_days|price_source_days|price_day_changes)\b/;
const FORECAST = /\bprice_forecast_[a-z]+\b/;

/** Written by a script out of the database: every table stands in it. */
const files = codeFiles('src', 'workers', 'load').filter(
  ({ path }) => path !== 'src/platform/database/tables.ts',
);

/** Template texts, and the texts that query builders name tables with. */
function statementsOf(text: string): string[] {
  const code = withoutComments(text);
  const templates = [...code.matchAll(/\bsql(?:<[^`]*?>)?`([^`]*)`/g)].map(
    ([, statement]) => statement ?? '',
  );
  const chains = code
    .split(/;\s*\n/)
    .filter((part) => /\b(selectFrom|insertInto|updateTable|deleteFrom)\(/.test(part));
  return [...templates, ...chains];
}

test('the statements are found', () => {
  const all = files.flatMap(({ text }) => statementsOf(text));
  expect(all.filter((statement) => REALIZED.test(statement)).length).toBeGreaterThan(10);
  expect(all.filter((statement) => FORECAST.test(statement)).length).toBeGreaterThan(5);
});

test('no statement names realized and forecast prices', () => {
  const both = files.flatMap(({ path, text }) =>
    statementsOf(text)
      .filter((statement) => REALIZED.test(statement) && FORECAST.test(statement))
      .map((statement) => `${path}: ${statement.trim().slice(0, 80)}`),
  );
  expect(both).toEqual([]);
});

test('no view, function or migration joins them', () => {
  const statements = projectFiles('sql/migrations', 'sql/repeatable')
    .filter(({ path }) => path.endsWith('.sql'))
    .flatMap(({ path, text }) =>
      text
        .replace(/--[^\n]*/g, '')
        .split(/;\s*\n/)
        .map((statement) => ({ path, statement })),
    )
    /* Rights and comments read nothing. */
    .filter(({ statement }) => !/^\s*(GRANT|REVOKE|COMMENT)\b/.test(statement));
  const both = statements.filter(({ statement }) => REALIZED.test(statement) && FORECAST.test(statement));
  expect(both.map(({ path }) => path)).toEqual([]);
});

test('the files of forecasts read realized prices by statements of their own', () => {
  const inForecast = files.filter(({ path }) => path.startsWith('src/spot-prices/forecast/'));
  const outside = files.filter(({ path }) => !path.startsWith('src/spot-prices/forecast/'));
  expect(inForecast.length).toBeGreaterThan(5);
  expect(placesOf(outside, FORECAST)).toEqual([]);
});
