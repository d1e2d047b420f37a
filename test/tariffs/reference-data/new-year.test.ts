import { expect, test } from 'vitest';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { gridFigures, referenceSet } from '../../../src/tariffs/reference-data/service.ts';
import {
  concessionLine,
  feeLine,
  levyLine,
  operatorLine,
  takeReferenceStore,
  vatLine,
  zipLine,
} from './reference-store.ts';

const store = await takeReferenceStore();

interface Line {
  level: string;
  table: string;
  key: string;
  on: string;
}

const lines: Line[] = [];
const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
const log = createLogger({ level: 'info', name: 'test', destination });

/** What a process that goes on running answers. */
async function figuresOn(on: string) {
  return await store.asService(async (connection) => {
    const reference = await referenceSet(connection, on, log);
    const grid = await gridFigures(connection, '10115', on, log);
    return {
      kwkg: reference.levy('kwkg').value,
      isCarried: reference.levy('kwkg').origin.is_carried_forward,
      working: grid?.workingPrice.value,
      low: grid?.schedule?.low,
    };
  });
}

const scheduleLine = (low: string, standard: string, year: number) =>
  `alpha,${low},${standard},12.00,1;4,23:00-05:00,17:00-20:00,0.2,0.6,0.2,0.4986,${year}-01-01,${year + 1}-01-01,sheet,`;

test('a new year is rows with its first day: carried forward with a warning before, without a restart after', async () => {
  await store.reset({
    vat_rates: [vatLine('0.19', '2021-01-01')],
    levies: [levyLine('kwkg', '0.446', '2026-01-01', '2027-01-01')],
    concession_fees: [concessionLine('2.39', '2025-01-01')],
    grid_operators: [operatorLine('alpha')],
    grid_fees: [feeLine('alpha', '7.50', '2026-01-01', '2027-01-01')],
    grid_fee_schedules: [scheduleLine('2.00', '7.50', 2026)],
    zip_areas: [zipLine('10115', 'alpha')],
  });
  const old = { kwkg: '0.446', working: '7.50', low: '2.00' };
  expect(await figuresOn('2026-12-31')).toEqual({ ...old, isCarried: false });
  expect(lines).toEqual([]);

  expect(await figuresOn('2027-01-01')).toEqual({ ...old, isCarried: true });
  expect(await figuresOn('2027-01-01')).toEqual({ ...old, isCarried: true });
  expect(lines.map(({ level, table, key, on }) => [level, table, key, on])).toEqual([
    ['warn', 'levies', 'kwkg', '2027-01-01'],
    ['warn', 'grid_fees', 'alpha', '2027-01-01'],
    ['warn', 'grid_fee_schedules', 'alpha', '2027-01-01'],
  ]);

  const report = await store.import({
    levies: [levyLine('kwkg', '0.500', '2027-01-01', '2028-01-01')],
    grid_fees: [feeLine('alpha', '8.00', '2027-01-01', '2028-01-01')],
    grid_fee_schedules: [scheduleLine('2.50', '8.00', 2027)],
  });
  expect(report.problems).toEqual([]);
  await expect
    .poll(() => figuresOn('2027-01-01'), { interval: 200 })
    .toEqual({ kwkg: '0.500', isCarried: false, working: '8.00', low: '2.50' });
  expect(await figuresOn('2026-12-31')).toEqual({ ...old, isCarried: false });
});
