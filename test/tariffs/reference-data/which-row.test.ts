import { beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { gridFigures, loadProfile, vatRate } from '../../../src/tariffs/reference-data/service.ts';
import { MissingReferenceError, rowsThatApply } from '../../../src/tariffs/reference-data/validity.ts';
import {
  concessionLine,
  feeLine,
  operatorLine,
  takeReferenceStore,
  vatLine,
  zipLine,
} from './reference-store.ts';

const store = await takeReferenceStore();

interface Line {
  level: string;
  msg: string;
  table: string;
  key: string;
  ended_on: string;
  on: string;
}

const lines: Line[] = [];
const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
const log = createLogger({ level: 'info', name: 'test', destination });

const find = (zip: string, on: string) =>
  store.asService((connection) => gridFigures(connection, zip, on, log));
const operatorOf = async (zip: string, on: string) => (await find(zip, on))?.operator;

beforeAll(() =>
  store.reset({
    vat_rates: [
      vatLine('0.19', '2007-01-01', '2020-07-01'),
      vatLine('0.16', '2020-07-01', '2021-01-01'),
      vatLine('0.19', '2021-01-01', '2030-01-01'),
    ],
    concession_fees: [concessionLine('2.39', '2020-01-01')],
    grid_operators: [
      ...['alpha', 'beta', 'gamma', 'omega'].map((operator) => operatorLine(operator)),
      operatorLine('renamed', '2020-01-01', '2026-07-01'),
      'renamed,New Name,,,,2026-07-01,,register,',
    ],
    grid_fees: [
      feeLine('alpha', '7.00', '2025-01-01', '2026-01-01'),
      feeLine('alpha', '7.50', '2026-01-01', '2027-01-01'),
      feeLine('beta', '6.00', '2026-01-01', '2027-01-01'),
      feeLine('gamma', '5.00', '2026-01-01', '2030-01-01'),
      feeLine('renamed', '5.00', '2026-01-01', '2030-01-01'),
    ],
    zip_areas: [
      zipLine('10000', 'alpha', '0.3'),
      zipLine('10000', 'beta', '0.6'),
      zipLine('20000', 'gamma', '0.5'),
      zipLine('20000', 'beta', '0.50'),
      zipLine('30000', 'omega', '0.6'),
      zipLine('30000', 'alpha', '0.4'),
      zipLine('40000', 'alpha', '1', '2026-01-01', '2026-07-01'),
      zipLine('40000', 'beta', '0.1', '2026-07-01', '2026-08-01'),
      zipLine('50000', 'gamma', '0.2', '2025-01-01', '2026-07-01'),
      zipLine('50000', 'beta', '0.3', '2025-01-01', '2026-07-01'),
      zipLine('50000', 'alpha', '0.5', '2025-01-01', '2026-06-30'),
      zipLine('60000', 'alpha', '1'),
      zipLine('70000', 'renamed', '1'),
    ].toSorted(),
    load_profiles: ['h25,1,WT,0,20.126,2025-01-01,,BDEW,'],
  }),
);

describe('the largest share serves', () => {
  test('and of equal shares the first by code, however they are written', async () => {
    expect(await operatorOf('10000', '2026-05-01')).toBe('beta');
    expect(await operatorOf('20000', '2026-05-01')).toBe('beta');
  });

  test('even if its operator has no grid fees: then the zip is not served', async () => {
    expect(await find('30000', '2026-05-01')).toBeUndefined();
  });
});

describe('the row of the day counts', () => {
  test('from its first day until the day before its end', async () => {
    const working = async (on: string) => (await find('60000', on))?.workingPrice.value;
    expect(await operatorOf('60000', '2025-12-31')).toBeUndefined();
    expect(await working('2026-01-01')).toBe('7.50');
    expect(await working('2026-12-31')).toBe('7.50');
    expect(await operatorOf('40000', '2026-06-30')).toBe('alpha');
    expect(await operatorOf('40000', '2026-07-01')).toBe('beta');
  });

  test('also for the name of the operator', async () => {
    expect((await find('70000', '2026-06-30'))?.name).toBe('Name of renamed');
    expect((await find('70000', '2026-07-01'))?.name).toBe('New Name');
  });

  test('for VAT', async () => {
    const rate = (on: string) => store.asService((connection) => vatRate(connection, on));
    expect(await rate('2020-06-30')).toBe('0.19');
    expect(await rate('2020-07-01')).toBe('0.16');
    expect(await rate('2021-01-01')).toBe('0.19');
    expect(await rate('2030-06-01')).toBe('0.19');
    await expect(rate('2031-01-03')).rejects.toThrow('No row of vat_rates counts on 2031-01-03');
    await expect(rate('2006-12-31')).rejects.toThrow(MissingReferenceError);
  });
});

describe('what ran out is carried forward for 366 days', () => {
  test('a grid fee, and the answer says so', async () => {
    expect(await find('60000', '2027-01-01')).toMatchObject({
      workingPrice: { value: '7.50', origin: { valid_to: '2027-01-01', is_carried_forward: true } },
      carriedForward: [{ table: 'grid_fees', key: 'alpha', endedOn: '2027-01-01' }],
    });
    expect(await operatorOf('60000', '2028-01-02')).toBe('alpha');
    expect(await operatorOf('60000', '2028-01-03')).toBeUndefined();
  });

  test('a zip by itself: an operator that ended earlier never competes', async () => {
    expect(await find('40000', '2026-08-01')).toMatchObject({
      operator: 'beta',
      carriedForward: [{ table: 'zip_areas', key: '40000', endedOn: '2026-08-01' }],
    });
    expect(await operatorOf('50000', '2026-12-01')).toBe('beta');
    expect(await operatorOf('40000', '2027-08-02')).toBe('beta');
    expect(await operatorOf('40000', '2027-08-03')).toBeUndefined();
  });

  test('with one warning a day and key, however often it is asked', async () => {
    const toldOf = async (zip: string, on: string) => {
      lines.length = 0;
      await find(zip, on);
      return lines.map(({ level, table, key, ended_on, on: day }) => [level, table, key, ended_on, day]);
    };
    const warning = (on: string) => ['warn', 'grid_fees', 'beta', '2027-01-01', on];
    expect(await toldOf('10000', '2028-01-01')).toEqual([warning('2028-01-01')]);
    expect(await toldOf('10000', '2028-01-01')).toEqual([]);
    expect(await toldOf('10000', '2028-01-02')).toEqual([warning('2028-01-02')]);
    expect(await toldOf('10000', '2028-01-02')).toEqual([]);
    expect(await toldOf('10000', '2028-01-01')).toEqual([]);
    expect(await toldOf('20000', '2026-05-01')).toEqual([]);
  });

  test('over a leap day too', () => {
    const rows = [{ valid_from: '2023-01-01', valid_to: '2024-01-01' }];
    expect(rowsThatApply(rows, '2025-01-01')).toEqual({ rows, endedOn: '2024-01-01' });
    expect(rowsThatApply(rows, '2031-01-03')).toEqual({ rows: [], endedOn: null });
  });

  test('but a row that has not begun yet never counts', () => {
    expect(rowsThatApply([{ valid_from: '2027-01-01', valid_to: null }], '2026-12-31').rows).toEqual([]);
  });
});

test('a profile with a hole is no profile', async () => {
  const profile = store.asService((connection) => loadProfile(connection, 'h25', '2026-05-01'));
  await expect(profile).rejects.toThrow('No row of load_profiles for h25 1 WT 1 counts on 2026-05-01');
  const unknown = store.asService((connection) => loadProfile(connection, 'g25', '2026-05-01'));
  await expect(unknown).rejects.toThrow(MissingReferenceError);
});
