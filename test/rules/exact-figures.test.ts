import { expect, test } from 'vitest';
import { codeFiles, importsOf, placesOf } from './project-files.ts';

/*
 * What customers pay is calculated with decimals, out of plain values: a binary float is a cent off sooner or later, and
 * a calculation that reads a clock cannot be done again.
 */

const CALCULATIONS = [
  'src/tariffs/quotes/rows.ts',
  'src/tariffs/quotes/consumption.ts',
  'src/tariffs/quotes/feed-in.ts',
  'src/tariffs/quotes/amounts.ts',
  'src/tariffs/quotes/kept-amounts.ts',
  'src/tariffs/savings/household.ts',
  'src/tariffs/savings/cost.ts',
  'src/tariffs/savings/components.ts',
  'src/contracts/subscription-prices/feed-in-rate.ts',
  'src/tariffs/reference-data/metering-fee.ts',
  'src/tariffs/reference-data/module-formulas.ts',
];

const BILLS = [
  ...['corrections', 'draft', 'energy', 'feed-in-rate', 'line', 'metering', 'module-1-cap', 'piece-lines'],
  ...['prepayment', 'sums'],
];

/** They count minutes, quarter hours and days beside their figures, with whole numbers. */
const WITH_TIMES = [
  ...BILLS.map((name) => `src/billing/invoices/calculate/${name}.ts`),
  'src/contracts/subscription-prices/day-prices.ts',
  'src/contracts/subscription-prices/grid-runs.ts',
  'src/tariffs/reference-data/grid-bands.ts',
  'src/tariffs/reference-data/module-prices.ts',
];

const code = codeFiles('src');
const files = code.filter(({ path }) => CALCULATIONS.includes(path));
const withTimes = code.filter(({ path }) => WITH_TIMES.includes(path));

test('all calculations of prices are looked at', () => {
  expect(files.map(({ path }) => path).sort()).toEqual([...CALCULATIONS].sort());
  expect(withTimes.map(({ path }) => path).sort()).toEqual([...WITH_TIMES].sort());
});

test('no binary float enters a calculation of prices', () => {
  /* In quotes a fraction is the text of a decimal. */
  const floats = /\bNumber\b|parseFloat|parseInt|toNumber|valueOf\(|\bMath\.|(?<!['\d])\d+\.\d/;
  expect(placesOf([...files, ...withTimes], floats)).toEqual([]);
});

/* Every figure is a decimal or a text of one: these operators would make it a float. */
test('figures are added and multiplied by the methods of decimals', () => {
  expect(placesOf(files, /[\w)\]] [*/%] [\w(]|[\w)\]] [-+] \w/)).toEqual([]);
});

test('a bill is calculated from plain values: no file of its calculation reads a clock, a database or a setting', () => {
  const calculation = code.filter(({ path }) => path.startsWith('src/billing/invoices/calculate/'));
  expect(calculation.length).toBeGreaterThan(10);
  expect(
    placesOf(calculation, /\bDate\b|\bclock\b|[cC]onnection\b|performance|process\.|await|async/),
  ).toEqual([]);
});

test('no calculation of prices reads a clock, a database or a setting', () => {
  expect(placesOf(files, /\bDate\b|\bclock\b|performance|process\.|await|async/)).toEqual([]);
  const read = files.flatMap((file) => importsOf(file).filter(({ typeOnly }) => !typeOnly));
  const targets = [...new Set(read.map(({ target }) => target))]
    .filter((target) => !CALCULATIONS.includes(target))
    .sort();
  expect(targets).toEqual([
    'src/platform/bounded-cache.ts',
    'src/platform/money.ts',
    'src/tariffs/reference-data/grid-bands.ts',
    'src/tariffs/reference-data/validity.ts',
  ]);
});
