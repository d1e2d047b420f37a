import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  feeLine,
  operatorLine,
  places,
  referenceFolder,
  takeReferenceStore,
  vatLine,
} from './reference-store.ts';

const store = await takeReferenceStore();

/** Of the cases that stand in one file, each has an operator of its own. */
const MANY = Array.from({ length: 30 }, (_, at) => `own-${at}`);

const fresh = () =>
  store.reset({
    vat_rates: [vatLine('0.19', '2021-01-01')],
    grid_operators: ['alpha', 'beta', ...MANY].map((operator) => operatorLine(operator)),
    grid_fees: ['alpha', ...MANY].map((operator) => feeLine(operator, '7.50', '2026-01-01', '2027-01-01')),
  });

const SOUND = {
  operator: 'alpha',
  low_ct_net: '1.50',
  standard_ct_net: '7.5',
  high_ct_net: '12.00',
  quarters: '1;4',
  low_windows: '23:00-05:00',
  high_windows: '17:00-20:00',
  weight_low: '0.2',
  weight_standard: '0.6',
  weight_high: '0.2',
  share_of_year: '0.4986',
  valid_from: '2026-01-01',
  valid_to: '2027-01-01',
};

type Cells = Partial<typeof SOUND>;

const line = (cells: Cells = {}) =>
  [...Object.values({ ...SOUND, ...cells }), 'price sheet', '2026-01-01'].join(',');
const importing = (...rows: Cells[]) => store.import({ grid_fee_schedules: rows.map(line) });
/** All of them in one file: an import for each would cost 40 ms a case. */
const eachOfItsOwn = (cases: readonly Cells[]) =>
  importing(...cases.map((cells, at) => ({ operator: MANY[at] ?? '', ...cells })));
const placeOf = ([, place]: readonly [Cells, string], at: number) =>
  `grid_fee_schedules.csv:${at + 2} ${place}`;

test('a sound schedule is stored, and a second time it is the same', async () => {
  await fresh();
  expect(await importing({})).toMatchObject({ problems: [], warnings: [] });
  expect(await importing({ standard_ct_net: '7.500', share_of_year: '0.49860' })).toMatchObject({
    tables: [{ equal: 1, inserted: 0, changed: 0 }],
  });
});

describe('a schedule is refused, and nothing of the files is stored', () => {
  beforeEach(fresh);

  const REFUSED: readonly (readonly [Cells, string])[] = [
    [{ operator: 'delta' }, 'operator "delta" is unknown: grid_operators has no such operator'],
    [{ low_ct_net: '-1.5' }, 'low_ct_net "-1.5" must not be negative'],
    [{ high_ct_net: '12 ct' }, 'high_ct_net "12 ct" must be a decimal number such as 12.34'],
    [{ standard_ct_net: '7.51' }, 'standard_ct_net "7.51" must be the working price in grid_fees, 7.50'],
    [{ quarters: '4;1' }, 'quarters "4;1" must be quarters from 1 to 4 in their order, such as 1;4'],
    [{ quarters: '1;1' }, 'quarters "1;1" must be quarters from 1 to 4 in their order, such as 1;4'],
    [{ quarters: '0;4' }, 'quarters "0;4" must be quarters from 1 to 4 in their order, such as 1;4'],
    [{ quarters: '1-4' }, 'quarters "1-4" must be quarters from 1 to 4 in their order, such as 1;4'],
    ...['17:10-20:00', '17:00-24:00', '17-20', '17:00-17:00', '17:00-20:00;', '17:00 - 20:00', ''].map(
      (windows): [Cells, string] => [
        { high_windows: windows },
        windows === ''
          ? 'high_windows "" must not be empty'
          : `high_windows "${windows}" must be windows in quarter hours, such as 23:00-06:00;12:00-14:15`,
      ],
    ),
    [{ low_windows: '23:00-05:00;04:45-06:00' }, 'low_windows "23:00-05:00;04:45-06:00" cover 04:45 twice'],
    [{ high_windows: '17:00-20:00;19:00-21:00' }, 'high_windows "17:00-20:00;19:00-21:00" cover 19:00 twice'],
    [{ high_windows: '21:00-23:15' }, 'high_windows "21:00-23:15" cover 23:00 and so do the low ones'],
    [{ high_windows: '04:45-08:00' }, 'high_windows "04:45-08:00" cover 04:45 and so do the low ones'],
    [{ high_windows: '22:00-00:15' }, 'high_windows "22:00-00:15" cover 00:00 and so do the low ones'],
    [{ weight_standard: '0.5999' }, 'weight_low "0.2" the three weights sum to 0.9999, not to 1'],
    [{ weight_standard: '0.6001' }, 'weight_low "0.2" the three weights sum to 1.0001, not to 1'],
    [{ weight_high: '' }, 'weight_high "" must not be empty beside the other weights'],
    [{ weight_high: '1.2' }, 'weight_high "1.2" must be a part from 0 to 1'],
    [{ share_of_year: '0.5' }, 'share_of_year "0.5" must be 0.4986 for these quarters of 2026'],
    [{ quarters: '1;2;3;4' }, 'share_of_year "0.4986" must be 1 for these quarters of 2026'],
    [
      { operator: 'beta', valid_from: '2028-01-01', valid_to: '2029-01-01' },
      'share_of_year "0.4986" must be 0.5 for these quarters of 2028',
    ],
  ];
  test('each for its own cell', async () => {
    const report = await eachOfItsOwn(REFUSED.map(([cells]) => cells));
    expect(places(report)).toEqual(REFUSED.map(placeOf));
    expect(await store.rows('SELECT FROM grid_fee_schedules')).toEqual([]);
  });

  test('with every error at once', async () => {
    const report = await importing(
      { share_of_year: '1', quarters: '2;3' },
      { operator: 'delta', weight_low: '' },
    );
    expect(places(report)).toEqual([
      'grid_fee_schedules.csv:2 share_of_year "1" must be 0.5014 for these quarters of 2026',
      'grid_fee_schedules.csv:3 operator "delta" is unknown: grid_operators has no such operator',
      'grid_fee_schedules.csv:3 weight_low "" must not be empty beside the other weights',
    ]);
  });
});

describe('the standard price is the working price of the same days', () => {
  beforeEach(fresh);

  test('and of no others: a schedule of a year without grid fees stands by itself', async () => {
    expect(
      places(await importing({ valid_from: '2025-01-01', valid_to: '2026-01-01', standard_ct_net: '9' })),
    ).toEqual([]);
    expect(places(await importing({ operator: 'beta', standard_ct_net: '9' }))).toEqual([]);
  });

  test('with one day in common already', async () => {
    const late = { valid_from: '2026-12-31', valid_to: '2027-12-31', standard_ct_net: '9' };
    expect(places(await importing(late))).toEqual([
      'grid_fee_schedules.csv:2 standard_ct_net "9" must be the working price in grid_fees, 7.50',
    ]);
  });

  test('and a new working price beside a stored schedule is refused in its own file', async () => {
    await importing({});
    const fee = feeLine('alpha', '7.60', '2026-01-01', '2027-01-01');
    expect(places(await store.import({ grid_fees: [fee] }))).toEqual([
      'grid_fees.csv:2 working_ct_net "7.60" must be the standard price in grid_fee_schedules, 7.5',
    ]);
    const both = { grid_fees: [fee], grid_fee_schedules: [line({ standard_ct_net: '7.6' })] };
    expect(places(await store.import(both))).toEqual([]);
  });
});

test('an operator whose schedule is stored cannot be removed alone', async () => {
  await store.reset({
    grid_operators: [operatorLine('alpha'), operatorLine('beta')],
    grid_fee_schedules: [line()],
  });
  const pruned = await store.import({ grid_operators: [operatorLine('beta')] }, { prune: true });
  expect(places(pruned)).toEqual([
    'grid_operators.csv:1 operator "alpha" cannot be removed: rows of grid_fee_schedules name it',
  ]);
});

describe('what is doubtful is a warning and is stored', () => {
  beforeEach(fresh);

  const outside = 'of the standard price: 0.095 to 0.405 are usual';
  const hours = 'no weights: hours of the day count, and promise a saving to households that shift nothing';
  const DOUBTFUL: readonly (readonly [Cells, string])[] = [
    [{ low_ct_net: '0.71' }, `low_ct_net "0.71" is 0.0947 ${outside}`],
    [{ low_ct_net: '3.04' }, `low_ct_net "3.04" is 0.4053 ${outside}`],
    [{ high_ct_net: '15.04' }, 'high_ct_net "15.04" is 2.0053 of the standard price: 0 to 2.005 are usual'],
    [{ high_windows: '17:00-18:45' }, 'high_windows "17:00-18:45" are less than two hours a day'],
    [{ quarters: '1', share_of_year: '0.2466' }, 'quarters "1" are fewer than two'],
    [{ weight_low: '', weight_standard: '', weight_high: '' }, `weight_low "" ${hours}`],
  ];
  test('each by its own cell', async () => {
    const report = await eachOfItsOwn(DOUBTFUL.map(([cells]) => cells));
    expect([places(report), places(report, 'warnings')]).toEqual([[], DOUBTFUL.map(placeOf)]);
    expect(await store.rows('SELECT FROM grid_fee_schedules')).toHaveLength(DOUBTFUL.length);
  });

  test('and what is usual is not', async () => {
    const usual: readonly Cells[] = [
      { low_ct_net: '0.7125' },
      { low_ct_net: '3.0375' },
      { high_ct_net: '15.0375' },
      { high_windows: '17:00-18:00;19:00-20:00' },
    ];
    expect(await eachOfItsOwn(usual)).toMatchObject({ problems: [], warnings: [] });
  });
});

describe('weights far from the profile of households are a warning', () => {
  const windows = { low_windows: '00:00-07:00', high_windows: '15:00-20:00' };
  const whole = { ...windows, quarters: '1;2;3;4', share_of_year: '1' };
  const weights = (weight_low: string, weight_standard: string, weight_high: string): Cells => ({
    ...{ ...whole, weight_low, weight_standard, weight_high },
  });
  const warned = async (cells: Cells) =>
    places(await store.import({ grid_fee_schedules: [line(cells)] }), 'warnings');

  beforeAll(async () => {
    await fresh();
    await store.import(referenceFolder, { tables: ['load_profiles'] });
  });

  test('by more than 0.0001', async () => {
    expect(await warned(weights('0.1910', '0.5402', '0.2688'))).toEqual([]);
    expect(await warned(weights('0.1911', '0.5401', '0.2688'))).toEqual([]);
    expect(await warned(weights('0.1920', '0.5392', '0.2688'))).toEqual([
      'grid_fee_schedules.csv:2 weight_low "0.1920" is far from the profile, which gives 0.1911',
      'grid_fee_schedules.csv:2 weight_standard "0.5392" is far from the profile, which gives 0.5402',
    ]);
  });

  test('as a slip in a window, too', async () => {
    expect(
      await warned({ ...weights('0.1910', '0.5402', '0.2688'), high_windows: '15:00-20:15' }),
    ).toHaveLength(2);
  });

  test('and nothing is said where no profile counts', async () => {
    const early = { operator: 'beta', valid_from: '2020-01-01', valid_to: '2021-01-01' };
    expect(await warned({ ...weights('0.5', '0.3', '0.2'), ...early })).toEqual([]);
  });
});
