import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { importPlans } from '../../../src/tariffs/plans/import.ts';
import { replacedTermsOf } from '../../../src/tariffs/plans/service.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createOrganization } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type Cells, DYNAMIC, FEED_IN, planFile } from './plan-file.ts';

let api: TestApi;
let clock: FakeClock;

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.000Z');
  api = await startApi({ clock });
});
afterAll(() => api?.close());

async function newOrganization() {
  const organization = await createOrganization(api.deps);
  const run = (...rows: Cells[]) => {
    clock.advance(1);
    const act = { staff: 'ada', reason: 'ticket 4', command: 'plans import', now: clock.now().toISOString() };
    const bytes = Buffer.from(planFile(...rows));
    return importPlans(api.deps.database, organization, { name: 'plans.csv', bytes }, act);
  };
  const plans = () =>
    storedRows<Record<string, unknown>>(
      api,
      'SELECT * FROM plans WHERE organization_id = $1 ORDER BY created_at, slug',
      [organization],
    );
  const terms = () =>
    storedRows<Record<string, unknown>>(
      api,
      `SELECT p.slug, t.valid_from::text, t.valid_to::text, t.base_fee_net
         FROM plan_terms t JOIN plans p ON p.organization_id = t.organization_id AND p.id = t.plan_id
        WHERE t.organization_id = $1 ORDER BY p.slug, t.valid_from NULLS FIRST`,
      [organization],
    );
  return { organization, run, plans, terms };
}

describe('what is stored', () => {
  test('is the plan with its terms, as the file says, with one audit line each', async () => {
    const { organization, run, plans } = await newOrganization();
    const id = newId('pln');
    const imported = await run(DYNAMIC, { ...FEED_IN, id });
    expect(imported).toEqual([
      { id: expect.stringMatching(/^pln_/), slug: 'dynamisch', state: 'created' },
      { id, slug: 'einspeisung', state: 'created' },
    ]);
    expect(await plans()).toEqual([
      expect.objectContaining({ slug: 'dynamisch', name: 'Dynamisch, "neu"', type: 'consumption' }),
      expect.objectContaining({ id, status: 'active', description: '', type: 'feed_in' }),
    ]);
    const [terms] = await storedRows<Record<string, unknown>>(
      api,
      'SELECT * FROM plan_terms WHERE organization_id = $1 AND feed_in_kind IS NULL',
      [organization],
    );
    expect(terms).toMatchObject({
      valid_from: null,
      base_fee_net: '5.00',
      margin_ct_net: '1.80',
      optimization_rate: '0.10',
      sells_module_1: true,
      sells_module_3: true,
      cancellation_months: 1,
      smart_meter_product: 'smart-meter-partner-b',
      discount_name: 'Start',
      discount_amount_off: '3.50',
      discount_duration: 'recurring',
      discount_duration_in_months: 6,
    });
    const lines = await auditRows(api, organization, 'plan.');
    expect(lines.map(({ act, object_id, staff, reason }) => [act, object_id, staff, reason])).toEqual(
      imported.map(({ id }) => ['plan.create', id, 'ada', 'ticket 4']),
    );
  });

  test('is the same after the same file again: nothing changes, no line is written', async () => {
    const { organization, run, plans, terms } = await newOrganization();
    const anywhere = { ...FEED_IN, id: '' };
    await run(DYNAMIC, anywhere);
    const before = [await plans(), await terms()];
    const again = await run({ ...DYNAMIC, base_fee_net: '5.000' }, anywhere);
    expect(again.map(({ state }) => state)).toEqual(['unchanged', 'unchanged']);
    expect([await plans(), await terms()]).toEqual(before);
    expect(await auditRows(api, organization, 'plan.update')).toEqual([]);
  });

  test('a plan is known by its slug, or by its id, which lets the slug change', async () => {
    const { organization, run, plans } = await newOrganization();
    const [first] = await run(DYNAMIC);
    const renamed = await run({ ...DYNAMIC, name: 'Neu', status: 'archived' });
    expect(renamed).toEqual([{ ...first, state: 'changed' }]);
    const moved = await run({ ...DYNAMIC, id: first?.id ?? '', slug: 'other' });
    expect(moved).toEqual([{ id: first?.id, slug: 'other', state: 'changed' }]);
    expect(await plans()).toEqual([expect.objectContaining({ slug: 'other', status: 'active' })]);
    expect(await auditRows(api, organization, 'plan.update')).toHaveLength(2);
  });

  test('a price change is a row of terms; a row of the same first day is replaced and kept', async () => {
    const { organization, run, terms } = await newOrganization();
    await run(DYNAMIC);
    await run(
      { ...DYNAMIC, valid_to: '2027-01-01' },
      { ...DYNAMIC, base_fee_net: '6', valid_from: '2027-01-01' },
    );
    const last = { ...DYNAMIC, base_fee_net: '7', valid_from: '2027-01-01', valid_to: '2028-01-01' };
    const [plan] = await run(last);
    await run(last);
    expect(await replacedTermsOf(api.deps.database, organization, plan?.id ?? '')).toEqual([
      expect.objectContaining({ valid_from: '2027-01-01', valid_to: null, base_fee_net: 6 }),
      expect.objectContaining({
        valid_from: null,
        valid_to: null,
        base_fee_net: 5,
        smart_meter_product: 'smart-meter-partner-b',
      }),
    ]);
    expect(await terms()).toEqual([
      { slug: 'dynamisch', valid_from: null, valid_to: '2027-01-01', base_fee_net: '5.00' },
      { slug: 'dynamisch', valid_from: '2027-01-01', valid_to: '2028-01-01', base_fee_net: '7' },
    ]);
  });

  test('plans that the file does not name stay; the same slug may be in two organizations', async () => {
    const [a, b] = [await newOrganization(), await newOrganization()];
    await a.run(DYNAMIC);
    await a.run({ ...DYNAMIC, slug: 'second' });
    await b.run(DYNAMIC);
    expect((await a.plans()).map(({ slug }) => slug)).toEqual(['dynamisch', 'second']);
    expect(await b.plans()).toHaveLength(1);
  });

  test('columns that are left out stay as they are stored, also in the terms of a later day', async () => {
    const { organization, run, plans } = await newOrganization();
    await run({ ...DYNAMIC, status: 'archived', valid_to: '2028-01-01' });
    const { slug, name, type } = DYNAMIC;
    const needed = { slug, name, type, base_fee_net: '5.00' };
    expect(await run(needed)).toEqual([expect.objectContaining({ state: 'unchanged' })]);
    await run(
      { ...needed, status: '', valid_from: '', valid_to: '2027-01-01' },
      { ...needed, base_fee_net: '6.00', valid_from: '2027-01-01' },
    );
    expect(await plans()).toEqual([
      expect.objectContaining({ status: 'archived', description: DYNAMIC.description }),
    ]);
    const kept = {
      ...{ margin_ct_net: '1.80', optimization_rate: '0.10', sells_module_1: true, sells_module_3: true },
      ...{
        smart_meter_product: 'smart-meter-partner-b',
        discount_name: 'Start',
        discount_amount_off: '3.50',
      },
    };
    const stored = () =>
      storedRows<Record<string, unknown>>(
        api,
        'SELECT *, valid_to::text AS ends FROM plan_terms WHERE organization_id = $1 ORDER BY valid_from NULLS FIRST',
        [organization],
      );
    expect(await stored()).toMatchObject([
      { ...kept, base_fee_net: '5.00', ends: '2027-01-01' },
      { ...kept, base_fee_net: '6.00', ends: null },
    ]);
    await run({
      ...needed,
      base_fee_net: '6.00',
      valid_from: '2027-01-01',
      margin_ct_net: '',
      discount_name: '',
    });
    expect((await stored())[1]).toMatchObject({
      ...{ margin_ct_net: '0', discount_name: null, discount_amount_off: null, optimization_rate: '0.10' },
    });
  });

  test('columns that may be empty may also be left out', async () => {
    const { run, terms } = await newOrganization();
    await run({ slug: 'short', name: 'Short', type: 'consumption', base_fee_net: '4' });
    expect(await terms()).toEqual([{ slug: 'short', valid_from: null, valid_to: null, base_fee_net: '4' }]);
  });
});

describe('nothing is stored when anything is wrong', () => {
  test('every error of the file is told with file, line, column, value and rule, in order', async () => {
    const { run, plans } = await newOrganization();
    const failure = run(
      { ...DYNAMIC, base_fee_net: '-1', slug: 'No slug', status: 'gone' },
      { ...DYNAMIC, slug: 'good' },
      { ...FEED_IN, feed_in_kind: 'x', discount_name: 'Start' },
    );
    await expect(failure).rejects.toThrow(
      [
        'plans.csv:2 slug "No slug": Lower-case letters, digits and single hyphens between them',
        'plans.csv:2 status "gone": Accepted: active, archived',
        'plans.csv:2 base_fee_net "-1": At least 0',
        'plans.csv:4 discount_name "Start": A feed-in plan has no discount',
        'plans.csv:4 feed_in_kind "x": Accepted: eeg, direct, fixed',
      ].join('\n'),
    );
    expect(await plans()).toEqual([]);
  });

  let untouched: Awaited<ReturnType<typeof newOrganization>>;
  beforeAll(async () => {
    untouched = await newOrganization();
  });

  test.each<[Cells, string]>([
    [{ name: '' }, 'name: Must not be empty'],
    [{ name: 'x'.repeat(101) }, 'At most 100 characters'],
    [{ slug: 'x'.repeat(64) }, 'At most 63 characters'],
    [{ id: 'pln_1' }, 'id "pln_1": Not pln_ and 24 letters or digits'],
    [{ type: 'gas' }, 'type "gas": Accepted: consumption, feed_in'],
    [{ base_fee_net: '' }, 'base_fee_net: Must not be empty'],
    [{ margin_ct_net: '1,8' }, 'margin_ct_net "1,8": Not a plain decimal number'],
    [{ optimization_rate: '1.01' }, 'optimization_rate "1.01": At most 1'],
    [{ sells_module_1: 'no' }, 'sells_module_3 "yes": Module 3 demands module 1'],
    [{ sells_module_2: 'ja' }, 'sells_module_2 "ja": Accepted: yes, no'],
    [{ cancellation_months: '-1' }, 'cancellation_months "-1": At least 0'],
    [{ smart_meter_product: 'x' }, 'smart_meter_product "x": Accepted: smart-meter-energy-metering'],
    [{ discount_name: '' }, 'discount_name: A discount needs name, amount and duration'],
    [{ discount_amount_off: '0' }, 'discount_amount_off "0": At least 0.01'],
    [{ discount_amount_off: '1.005' }, 'At most 2 digits behind the point'],
    [{ discount_duration_in_months: '' }, 'discount_duration_in_months: Needed when it recurs'],
    [{ discount_duration: 'once' }, 'discount_duration_in_months "6": Empty when it is given once'],
    [{ feed_in_kind: 'eeg' }, 'feed_in_kind "eeg": On feed-in plans only'],
    [{ valid_from: '2027-02-30' }, 'valid_from "2027-02-30": Not a day of the calendar'],
    [{ valid_from: '2027-02-01', valid_to: '2027-02-01' }, 'valid_to "2027-02-01": Not after valid_from'],
    [{ colour: 'red' }, 'plans.csv:1 colour: Unknown column'],
  ])('%j of a consumption plan', async (change, rule) => {
    const { run, plans } = untouched;
    await expect(run({ ...DYNAMIC, ...change })).rejects.toThrow(rule);
    expect(await plans()).toEqual([]);
  });

  test.each<[Cells, string]>([
    [{ feed_in_kind: '' }, 'feed_in_kind: A feed-in plan needs it'],
    [{ feed_in_scope: '' }, 'feed_in_scope: Needed where feed_in_kind is eeg'],
    [{ feed_in_up_to_kw: '30' }, 'feed_in_up_to_kw "30": Accepted: 10, 40, 100'],
    [{ feed_in_kind: 'fixed' }, 'feed_in_ct_net: Needed where feed_in_kind is fixed'],
    [{ feed_in_kind: 'direct' }, 'feed_in_margin_ct_net: Needed where feed_in_kind is direct'],
  ])('%j of a feed-in plan', async (change, rule) => {
    const { run } = untouched;
    await expect(run({ ...FEED_IN, id: '', ...change })).rejects.toThrow(rule);
  });

  test('rows of one plan that contradict one another or overlap', async () => {
    const { run } = await newOrganization();
    await expect(run(DYNAMIC, { ...DYNAMIC, name: 'Other', valid_from: '2027-01-01' })).rejects.toThrow(
      'plans.csv:3 name "Other": Line 2 says otherwise of the same plan\nplans.csv:3 valid_from "2027-01-01": Overlaps line 2',
    );
    await run(DYNAMIC);
    await expect(run({ ...DYNAMIC, valid_from: '2027-01-01' })).rejects.toThrow(
      'Overlaps the stored terms from always to open; end those in the same file',
    );
  });

  test('a slug that another plan has, another type, an id of another organization', async () => {
    const [a, b] = [await newOrganization(), await newOrganization()];
    const [first] = await a.run(DYNAMIC, { ...DYNAMIC, slug: 'second' });
    const id = first?.id ?? '';
    await expect(a.run({ ...DYNAMIC, id, slug: 'second' })).rejects.toThrow(
      'Another plan of the organization',
    );
    await expect(a.run({ ...FEED_IN, id })).rejects.toThrow('The type of a plan cannot change');
    await expect(b.run({ ...DYNAMIC, id })).rejects.toThrow('Another organization has a plan of this id');
    const third = 'pln_000000000000000000000003';
    await expect(
      b.run({ ...DYNAMIC, slug: 'same' }, { ...DYNAMIC, id: third, slug: 'same' }),
    ).rejects.toThrow('Line 2 gives it to another plan');
    expect(await b.plans()).toEqual([]);
  });

  test('two imports at once take turns', async () => {
    const { run, terms } = await newOrganization();
    await run(DYNAMIC);
    const open = { ...DYNAMIC, valid_to: '2027-01-01' };
    const results = await Promise.allSettled([
      run(open, { ...DYNAMIC, valid_from: '2027-01-01' }),
      run(open, { ...DYNAMIC, valid_from: '2027-02-01' }),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await terms()).toHaveLength(2);
  });
});
