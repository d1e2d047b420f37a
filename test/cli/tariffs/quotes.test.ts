import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testEnvironment } from '../../setup/api.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { runCommand } from '../command-line.ts';

const DEMO_PLANS = 'src/cli/demo/start/demo-plans.csv';
const why = ['--reason', 'ticket 17', '--staff', 'ada'];
/** No price is stored: the mean of the reference data counts. */
const on = ['--date', '2026-11-20'];

let database: TestDatabase;
let environment: Record<string, string>;
let organization: string;
let feedIn: string;

beforeAll(async () => {
  database = await createTestDatabase();
  environment = testEnvironment(database, 'redis://127.0.0.1:1');
  await command('tariffs', 'import', ...why);
  organization = await organizationWithPlans('A');
  feedIn = JSON.parse((await command('plans', 'list', '--organization', organization, '--json')).stdout).find(
    ({ slug }: { slug: string }) => slug === 'einspeisung',
  ).id;
});
afterAll(async () => {
  await database?.drop();
});

const command = (...args: string[]) => runCommand(environment, ...args);
const show = (...args: string[]) => command('quotes', 'show', ...args);

async function organizationWithPlans(name: string): Promise<string> {
  const made = await command('organizations', 'create', '--name', name, ...why, '--json');
  const { id } = JSON.parse(made.stdout) as { id: string };
  const imported = await command('plans', 'import', DEMO_PLANS, '--organization', id, ...why);
  expect(imported).toMatchObject({ exitCode: 0, stderr: '' });
  return id;
}

interface Shown {
  amount: string;
  organization: string;
  groups: { group: string; quantity: string; unit_amount: string; amount: string }[];
  rows: { group: string; name: string; amount: string; eur_year: string; sources: Source[] }[];
}

interface Source {
  table: string;
  key: string;
  value: string;
  value_unit: string;
  valid_from: string | null;
  valid_to: string | null;
  source: string;
  checked_on: string | null;
  is_carried_forward: boolean;
}

async function shown<Result = Shown>(...args: string[]): Promise<Result> {
  const { stdout, stderr, exitCode } = await show(...args, '--json');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Result;
}

describe('quotes show', () => {
  test('prints every row of a quote with the rows that it was made of', async () => {
    const { stdout, stderr, exitCode } = await show('dynamisch', '10115', '--usage', '2500', ...on);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^operator +Stromnetz Berlin$/m);
    expect(stdout).toMatch(/^group +name +amount +unit +eur_year +table +key +value +value_unit/m);
    expect(stdout).toMatch(
      /^base +Grundgebühr +5\.950000 +EUR\/month +71\.40 +plan_terms +dynamisch base_fee_net +5\.00 +EUR\/month net/m,
    );
    expect(stdout).toMatch(
      /^variable +Netzentgelte +0\.088774 +EUR\/kWh +221\.94 +grid_fees +stromnetz-berlin +7\.46 +ct\/kWh net +2026-01-01 +2027-01-01 +\S.* no$/m,
    );
    expect(stdout).toMatch(
      /^variable +EPEX Day-Ahead Preis \(12m avg\.\) +0\.106291 .* market_values +day_ahead_mean +8\.932 +ct\/kWh net/m,
    );
    expect(stdout).toMatch(/^ +vat_rates +0\.19 +share +2021-01-01/m);
    expect(stdout).toContain('base: 1 month × 11.758200 = 11.76 EUR a month\n');
    expect(stdout).toContain('variable: 208.3333 kWh × 0.293749 = 61.20 EUR a month\n');
    expect(stdout).toMatch(/\namount: 72\.96 EUR a month\n$/);
  });

  test('the rows sum to the quote, in the order of the bill, and each has a source', async () => {
    const { rows, groups, amount } = await shown('dynamisch', '10115', '--usage', '2500', ...on);
    expect(rows.map(({ name, amount: unit }) => `${name} ${unit}`)).toEqual([
      'Grundgebühr 5.950000',
      'Netzentgelte 3.308200',
      'Messstellengebühren 2.500000',
      'EPEX Day-Ahead Preis (12m avg.) 0.106291',
      'Optimierung (Lastverschiebung) -0.010629',
      'Beschaffung 0.021420',
      'Netzentgelte 0.088774',
      'Konzessionsabgabe 0.028441',
      'Stromsteuer 0.024395',
      'Offshore-Netzumlage 0.011198',
      'Aufschlag für besondere Netznutzung 0.018552',
      'KWKG-Umlage 0.005307',
    ]);
    expect(groups).toMatchObject([
      { unit_amount: '11.758200', amount: '11.76' },
      { quantity: '208.3333', unit_amount: '0.293749', amount: '61.20' },
    ]);
    expect(amount).toBe('72.96');
    for (const { sources } of rows) {
      expect(sources.length).toBeGreaterThan(0);
      for (const source of sources) expect(source).toMatchObject({ value: expect.any(String) });
    }
    const levy = rows.find(({ name }) => name === 'Stromsteuer')?.sources[0];
    expect(levy).toEqual({
      ...{ table: 'levies', key: 'stromsteuer', value: '2.05', value_unit: 'ct/kWh net' },
      ...{ valid_from: '2025-01-01', valid_to: null, source: '§3 StromStG', checked_on: '2026-11-20' },
      is_carried_forward: false,
    });
  });

  test('modules and a rate are asked for as a client asks, and the rate says where it is from', async () => {
    const { rows, amount } = await shown(
      ...['dynamisch', '45468', '--usage', '4947', '--rate', '0.1316', '--module-1', '--module-3', ...on],
    );
    expect(amount).toBe('132.27');
    const optimization = rows.find(({ name }) => name.startsWith('Optimierung'));
    expect(optimization?.sources[0]).toMatchObject({ table: 'request', value: '0.1316' });
    const grid = rows.findLast(({ name }) => name === 'Netzentgelte');
    expect(grid?.sources[0]).toMatchObject({
      table: 'grid_fee_schedules',
      key: 'westnetz',
      value: '9.536276',
    });
  });

  test('a plan is named by its id as well, and a feed-in plan pays', async () => {
    const taxed = await shown(feedIn, '10115', '--usage', '5000', ...on);
    expect([taxed.amount, taxed.organization]).toEqual(['35.20', organization]);
    expect((await shown(feedIn, '10115', '--usage', '5000', '--tax-exempt', ...on)).amount).toBe('29.10');
    expect(taxed.rows[1]?.sources[0]).toMatchObject({ table: 'eeg_rates', value: '7.70' });
  });

  test('rows that ran out are said to be carried forward', async () => {
    const { stdout } = await show('dynamisch', '10115', '--usage', '2500', '--date', '2027-02-01', '--json');
    const { rows } = JSON.parse(stdout) as Shown;
    const carried = rows.flatMap(({ sources }) => sources.filter((source) => source.is_carried_forward));
    expect(new Set(carried.map(({ table }) => table))).toEqual(
      new Set(['grid_fees', 'levies', 'market_values']),
    );
  });

  test('what the interface refuses is refused here, with the field', async () => {
    const place = await show('dynamisch', '99999', '--usage', '2500', ...on);
    expect(place).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(/^zip_code: /) });
    const usage = await show('dynamisch', '10115', '--usage', '99', ...on);
    expect(usage).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^usage\.consumption: /) });
    const alone = await show('dynamisch', '10115', '--usage', '2500', '--module-3', ...on);
    expect(alone.stderr).toMatch(/^grid_fee_reductions\.14a_module_3: /);
    expect((await show('dynamisch', '10115', '--usage', 'much')).exitCode).toBe(2);
    expect((await show('dynamisch', '10115')).stderr).toMatch(/^Say --usage .* or --household/);
    const both = await show('dynamisch', '10115', '--usage', '2500', '--ev', '12000');
    expect(both).toMatchObject({ exitCode: 1, stderr: 'Not for a quote: --ev\n' });
  });
});

interface ShownSavings {
  savings: string;
  usage_kwh: string;
  optimization_rate: string;
  compared_with: string;
  costs: { step: string; eur_base: string; eur_variable: string; eur_year: string }[];
  components: { subgroup: string; savings: string }[];
  rows: ({ name: string; sources: Source[] } & Record<string, string | null>)[];
  parameters: Source[];
}

describe('quotes show --household', () => {
  const household = ['dynamisch', '45468', '--household', '3500', '--ev', '12000', ...on];

  test('shows what a saving is made of: before, four steps, components and parameters', async () => {
    const found = await shown<ShownSavings>(...household);
    expect(found).toMatchObject({
      ...{ savings: '397.66', usage_kwh: '4947', optimization_rate: '0.1316', compared_with: 'benchmark' },
      ...{ '14a_module_1': true, '14a_module_3': true, ev_kwh: '1447.2' },
    });
    expect(
      found.costs.map(({ step, eur_base, eur_variable, eur_year }) => [
        step,
        eur_base,
        eur_variable,
        eur_year,
      ]),
    ).toEqual([
      ['before', '156.56', '1828.24', '1984.80'],
      ['C1', '216.96', '1604.07', '1821.03'],
      ['C2', '51.90', '1604.07', '1655.97'],
      ['C3', '51.90', '1604.44', '1656.34'],
      ['C4', '51.90', '1535.24', '1587.14'],
    ]);
    expect(found.components.map(({ savings }) => savings)).toEqual([
      ...['-60.40', '224.17', '165.06', '-0.37', '69.20'],
    ]);
    expect(found.parameters.map(({ table, key }) => `${table} ${key}`)).toEqual(
      expect.arrayContaining(['savings_parameters ev_kwh_per_100_km', 'benchmarks ']),
    );
    expect(found.parameters.find(({ key }) => key === 'ev_kwh_per_100_km')).toMatchObject({
      ...{ value: '18', value_unit: 'kWh/100 km' },
    });
    const tables = new Set(found.rows.flatMap(({ sources }) => sources.map(({ table }) => table)));
    for (const table of [
      'plan_terms',
      'grid_fees',
      'grid_fee_schedules',
      'metering_fees',
      'described household',
    ])
      expect(tables).toContain(table);
    const optimization = found.rows.find(({ name }) => name.startsWith('Optimierung'));
    expect(optimization).toMatchObject({ before: null, C3: null, C4: '-0.013988' });
  });

  test('as a table, against the tariff that is paid now, with every device', async () => {
    const { stdout, stderr, exitCode } = await show(
      ...['dynamisch', '73230', '--household', '4000', '--ev', '15000,0.8', '--heatpump', '5000'],
      ...['--pv', '0.45,10', '--battery', '10,5', '--current', '150,0.36', ...on],
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^savings +729\.34$/m);
    expect(stdout).toMatch(/^compared_with +150 EUR a year and 0\.36 EUR\/kWh$/m);
    expect(stdout).toMatch(/^before +274\.96 +2209\.68 +2484\.64 /m);
    expect(stdout).toMatch(/^C4 +73\.80 +1681\.50 +1755\.30 /m);
    expect(stdout).toMatch(/^group +name +before +C1 +C2 +C3 +C4 +table/m);
    expect(stdout).toMatch(/^savings_parameters +battery_cycles_per_year +200 +cycles\/year/m);
  });

  test('what savings do not take is said', async () => {
    const rate = await show(...household, '--rate', '0.2', '--module-1');
    expect(rate).toMatchObject({ exitCode: 1, stderr: 'Not for savings: --rate, --module-1\n' });
    const fraction = await show('dynamisch', '45468', '--household', '3500.5', ...on);
    expect(fraction.stderr).toMatch(/^household\.usage: /);
    expect((await show(...household, '--battery', '10')).exitCode).toBe(2);
    expect((await show(feedIn, '45468', '--household', '3500', ...on)).stderr).toMatch(/^plan: /);
  });
});

describe('the organization', () => {
  test('is asked for where several have a plan of this slug; an unknown plan is said', async () => {
    const unknown = await show('nothing', '10115', '--usage', '2500');
    expect(unknown).toMatchObject({ exitCode: 1, stderr: 'There is no plan nothing\n' });
    const other = await organizationWithPlans('B');
    const several = await show('dynamisch', '10115', '--usage', '2500');
    expect(several.exitCode).toBe(1);
    for (const id of [organization, other, '--organization']) expect(several.stderr).toContain(id);
    const named = await shown('dynamisch', '10115', '--usage', '2500', '--organization', other, ...on);
    expect([named.organization, named.amount]).toEqual([other, '72.96']);
    const foreign = await show(feedIn, '10115', '--usage', '2500', '--organization', other);
    expect(foreign).toMatchObject({ exitCode: 1, stderr: `There is no plan ${feedIn}\n` });
    expect((await shown(feedIn, '10115', '--usage', '5000', ...on)).organization).toBe(organization);
  });
});
