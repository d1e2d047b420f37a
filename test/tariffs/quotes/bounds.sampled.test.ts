import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, createPlan, tokenFor } from '../../setup/factories.ts';
import { runs } from '../../setup/tier.ts';
import {
  CURIE,
  linesOf,
  type QuoteService,
  quotePath,
  type ShownQuote,
  startQuoteService,
} from './quote-service.ts';

let service: QuoteService;

beforeAll(async () => {
  service = await startQuoteService();
});
afterAll(() => service?.api.close());

async function quoted(
  body: object,
  plan = service.plans.dynamisch,
): Promise<{ quote: ShownQuote; text: string }> {
  const request = { zip_code: '45468', usage: { consumption: 2500 }, ...body };
  const answer = await service.client().post<ShownQuote>(`/plans/${plan}/quote`, request);
  expect(answer.status, answer.text).toBe(200);
  return { quote: answer.body, text: answer.text };
}

const rowOf = ({ components }: ShownQuote, subgroup: string) =>
  components.flatMap(({ subcomponents }) => subcomponents).find((row) => row.subgroup === subgroup);

const METERING: [string, number][] = [
  ['30', 6000],
  ['40', 6000.01],
  ['40', 10_000],
  ['50', 10_001],
  ['50', 20_000],
  ['110', 20_001],
  ['110', 50_000],
];

describe('the metering fee', () => {
  test.each(METERING)('of a smart meter is %s EUR a year at %d kWh', async (eur, consumption) => {
    const { quote } = await quoted({ usage: { consumption } });
    expect(rowOf(quote, 'metering')?.amount).toBe(Number((Number(eur) / 12).toFixed(6)));
    const path = quotePath(service.plans.dynamisch, {
      zip_code: '45468',
      usage: consumption,
      meter_type: 'smart',
    });
    const older = await service.client(CURIE).get<ShownQuote>(path);
    expect(rowOf(older.body, 'metering')).toEqual(rowOf(quote, 'metering'));
  });

  test.each([
    [100, 50],
    [6000, 50],
    [20_000, 50],
    [20_001, 110],
  ])('of a smart meter with a module is at %d kWh %d EUR a year', async (consumption, eur) => {
    for (const module of ['14a_module_1', '14a_module_2']) {
      const { quote } = await quoted({ usage: { consumption }, grid_fee_reductions: { [module]: true } });
      expect(rowOf(quote, 'metering')?.amount).toBe(Number((eur / 12).toFixed(6)));
    }
  });

  test('of an analog meter is 25 EUR a year, with modules and at any usage', async () => {
    const grid_fee_reductions = { '14a_module_1': true, '14a_module_3': true };
    for (const consumption of [100, 20_001, 50_000]) {
      const { quote } = await quoted({ usage: { consumption }, optimization_rate: 0, grid_fee_reductions });
      expect(rowOf(quote, 'metering')?.amount).toBe(2.083333);
    }
  });
});

test.each([
  [0, undefined, 2.083333],
  [0.000001, undefined, 2.5],
  [0.000005, -0.000001, 2.5],
  [1e-7, undefined, 2.5],
  [1, -0.106291, 2.5],
])(
  'a rate of %s has the optimization %s and the metering fee %s',
  async (optimization_rate, optimization, metering) => {
    const { quote } = await quoted({ optimization_rate });
    expect(rowOf(quote, 'optimization')?.amount).toBe(optimization);
    expect(rowOf(quote, 'metering')?.amount).toBe(metering);
  },
);

test('100 and 50,000 kWh are quoted', async () => {
  const { quote: least } = await quoted({ usage: { consumption: 100 } });
  const { quote: most } = await quoted({ usage: { consumption: 50_000 } });
  expect([least, most].map(({ components }) => components[1]?.quantity)).toEqual([8.3333, 4166.6667]);
});

test('1000.1 kWh with a rate of 0.3 is exact to the last digit', async () => {
  const { quote } = await quoted({ usage: { consumption: 1000.1 }, optimization_rate: 0.3 });
  /* 0.324251 - 0.3 × 0.106291 = 0.292364; 1000.1 / 12 = 83.34166…; 83.3417 × 0.292364 = 24.3663… */
  expect(linesOf(quote).filter((line) => /×|optimization|amount/.test(line))).toEqual([
    'base 1 month × 16.413083 = 16.41',
    'variable optimization Optimierung (Lastverschiebung) -0.031887',
    'variable 83.3417 kWh × 0.292364 = 24.37',
    'amount 40.78',
  ]);
  const path = quotePath(service.plans.dynamisch, { zip_code: '45468', usage: '1000.100' });
  const older = await service.client(CURIE).get<ShownQuote>(path);
  expect(older.body.components[1]?.quantity).toBe(83.3417);
});

test('a rate of the plan between 0 and 1 counts where none is sent', async () => {
  const { id } = await createPlan(service.api.deps, service.organization, {
    terms: [{ base_fee_net: '0', margin_ct_net: '0', optimization_rate: '0.0000000001' }],
  });
  const { quote } = await quoted({}, id);
  expect(rowOf(quote, 'metering')?.amount).toBe(2.5);
  expect(rowOf(quote, 'optimization')).toBeUndefined();
  expect(linesOf(quote).filter((line) => line.includes(' fee '))).toEqual(['base fee Grundgebühr 0']);
});

test('the write scope is needed, although nothing is stored', async () => {
  const readOnly = await createClient(service.api.deps, service.organization, { read_only: true });
  const client = service.api.client(await tokenFor(service.api, readOnly));
  const path = `/plans/${service.plans.dynamisch}/quote`;
  expect((await client.post(path, { zip_code: '45468', usage: { consumption: 100 } })).status).toBe(403);
  const get = quotePath(service.plans.dynamisch, { zip_code: '45468', usage: 100 });
  expect((await client.get(get, { headers: { 'x-api-version': CURIE } })).status).toBe(200);
});

const ZIPS = [
  '10115',
  '20095',
  '80331',
  '50667',
  '45468',
  '85716',
  '73230',
  '26121',
  '90402',
  '55116',
  '04109',
  '61348',
];
const NO_SCHEDULE = ['04109'];

const anyRequest = fc
  .record({
    zip_code: fc.constantFrom(...ZIPS),
    consumption: fc.integer({ min: 10_000, max: 5_000_000 }).map((hundredths) => hundredths / 100),
    optimization_rate: fc.option(
      fc.integer({ min: 0, max: 10_000 }).map((parts) => parts / 10_000),
      { nil: undefined },
    ),
    modules: fc.constantFrom([], [1], [2], [1, 3]),
  })
  .map(({ consumption, modules, ...rest }) => {
    const sold = NO_SCHEDULE.includes(rest.zip_code) ? modules.filter((module) => module !== 3) : modules;
    const grid_fee_reductions = Object.fromEntries(sold.map((module) => [`14a_module_${module}`, true]));
    return { ...rest, usage: { consumption }, grid_fee_reductions };
  });

/** Millionths, without a binary fraction in between. */
const millionths = (value: number) => BigInt(value.toFixed(6).replace('.', ''));

test('whatever is asked of real operators, the sums of the answer are those of its rows', async () => {
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      const { quote, text } = await quoted(request);
      expect(quote.components.map(({ group }) => group)).toEqual(['base', 'variable']);
      for (const { subcomponents, unit_amount, quantity, amount } of quote.components) {
        const sum = subcomponents.reduce((total, row) => total + millionths(row.amount), 0n);
        expect(millionths(unit_amount)).toBe(sum);
        expect(Math.abs(amount - unit_amount * quantity)).toBeLessThanOrEqual(0.005_000_1);
      }
      const [base, variable] = quote.components;
      expect(millionths(quote.amount)).toBe(
        millionths(base?.amount ?? 0) + millionths(variable?.amount ?? 0),
      );
      const grid = quote.components.flatMap(({ group, subcomponents }) =>
        subcomponents.filter(({ subgroup }) => subgroup === 'grid').map(({ amount }) => ({ group, amount })),
      );
      const yearly = grid.reduce(
        (total, { group, amount }) => total + amount * (group === 'base' ? 12 : request.usage.consumption),
        0,
      );
      expect(yearly).toBeGreaterThan(-0.01);
      expect(text).not.toMatch(/\d\.\d{7}|\de[+-]?\d|-0[,}]/);
    }),
    { numRuns: runs(10) },
  );
});
