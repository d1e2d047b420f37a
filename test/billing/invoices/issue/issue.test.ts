import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../../src/platform/ids.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../../setup/clock.ts';
import { createHousehold, createOrganization, createSubscription } from '../../../setup/factories.ts';
import { createBilledContract, draftOf, issue, issueDocument, outcomeOf } from '../../../setup/invoices.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { factsOfSample } from '../documents/sample-facts.ts';

const NOW = '2027-01-12T07:00:00.000Z';

let clock: FakeClock;
let api: TestApi;
beforeAll(async () => {
  clock = fakeClock(NOW);
  api = await startApi({ clock });
});
afterAll(() => api?.close());

const rowsOf = (organization: string, columns: string) =>
  storedRows<Record<string, unknown>>(
    api,
    `SELECT ${columns} FROM invoices WHERE organization_id = $1 ORDER BY ledger_number`,
    [organization],
  );

const eventsOf = (organization: string) =>
  storedRows<{ topic: string; context: Record<string, string> }>(
    api,
    'SELECT topic, context FROM events WHERE organization_id = $1 ORDER BY position',
    [organization],
  );

test('a document is stored with its numbers, its lines, its event and the request for its file', async () => {
  const contract = await createBilledContract(api.deps);
  const { organization, subscription, customer, number } = contract;
  const issued = await issueDocument(api.deps, contract, { run: 'run_1' });
  expect(issued).toMatchObject({ invoice_number: `${number}-001`, ledger_number: 1 });
  const columns = `id, type, customer_id, subscription_id, invoice_number, ledger_number::int, month, year, period_start::text,
    period_end::text, period_number, status, usage_kwh, net, tax, deducted, total, taxes, due_on::text, issued_at, created_at,
    paid_at, facts, run_id, retain_until::text, restricted_at`;
  expect(await rowsOf(organization, columns)).toEqual([
    {
      id: issued.id,
      type: 'usage',
      customer_id: customer,
      subscription_id: subscription,
      invoice_number: `${number}-001`,
      ledger_number: 1,
      month: 12,
      year: 2026,
      period_start: expect.stringContaining('2026-1'),
      period_end: expect.stringContaining('-'),
      period_number: 1,
      status: 'open',
      usage_kwh: '431.6',
      net: '100.00',
      tax: '19.00',
      deducted: '0.00',
      total: '119.00',
      taxes: [{ rate: '0.19', net: '100.00', tax: '19.00' }],
      due_on: '2027-01-26',
      issued_at: new Date(NOW),
      created_at: new Date(NOW),
      paid_at: null,
      facts: factsOfSample(),
      run_id: 'run_1',
      retain_until: '2035-12-31',
      restricted_at: null,
    },
  ]);
  const [period] = await storedRows(
    api,
    `SELECT period_start AT TIME ZONE 'Europe/Berlin' = '2026-12-01' AS starts,
            period_end AT TIME ZONE 'Europe/Berlin' = '2027-01-01' AS ends FROM invoices WHERE id = $1`,
    [issued.id],
  );
  expect(period).toEqual({ starts: true, ends: true });
  const [{ lines, ...line } = { lines: [] }] = await storedRows<Record<string, unknown>>(
    api,
    `SELECT position, kind, period_from::text, period_until::text, quantity, unit, unit_price, net, vat_rate,
            figures -> 0 ->> 'value' AS figure, 1 AS lines FROM invoice_lines WHERE invoice_id = $1`,
    [issued.id],
  );
  expect([lines, line]).toEqual([
    1,
    {
      position: 1,
      kind: 'energy',
      period_from: '2026-12-01',
      period_until: '2027-01-01',
      quantity: '431.6',
      unit: 'kWh',
      unit_price: '0.2317',
      net: '100.00',
      vat_rate: '0.1900',
      figure: '0.2317',
    },
  ]);
  expect(await eventsOf(organization)).toEqual([
    { topic: 'invoice.created', context: { invoice: issued.id, subscription } },
  ]);
  const runs = await storedRows(
    api,
    `SELECT payload FROM job_runs WHERE organization_id = $1 AND job = 'render-invoices'`,
    [organization],
  );
  expect(runs).toEqual([{ payload: { invoices: [issued.id] } }]);
});

test('documents of a contract count on, and an exit summary is named by its last day', async () => {
  const contract = await createBilledContract(api.deps);
  for (const month of [0, 1]) await issueDocument(api.deps, contract, { month });
  const exit = await issueDocument(api.deps, contract, {
    type: 'exit_summary',
    period: { from: '2026-12-01', until: '2027-02-01' },
    periodNumber: 3,
  });
  expect(exit.invoice_number).toBe(`${contract.number}-003`);
  expect(await rowsOf(contract.organization, 'month, year, running_number')).toEqual([
    { month: 12, year: 2026, running_number: 1 },
    { month: 1, year: 2027, running_number: 2 },
    { month: 1, year: 2027, running_number: 3 },
  ]);
});

test('what is billed is left out when it comes again, alone or among others, and takes no number', async () => {
  const contract = await createBilledContract(api.deps);
  const first = await issueDocument(api.deps, contract);
  const again = await issue(api.deps, contract.organization, [
    draftOf(contract),
    draftOf(contract, { month: 1 }),
    /* Another count of the periods, the same days. */
    draftOf(contract, { periodNumber: 7 }),
    draftOf(contract, { period: { from: '2026-12-31', until: '2027-01-01' }, periodNumber: 8 }),
    draftOf(contract, { type: 'prepayment' }),
  ]);
  expect(
    again.map((answer) => [outcomeOf(answer), 'existing' in answer && answer.existing === first.id]),
  ).toEqual([
    ['already_billed', true],
    ['issued', false],
    ['already_billed', true],
    ['already_billed', true],
    ['issued', false],
  ]);
  const prepaid = await issue(api.deps, contract.organization, [
    draftOf(contract, { type: 'prepayment', periodNumber: 2 }),
  ]);
  expect(prepaid.map(outcomeOf)).toEqual(['already_billed']);
  expect(await rowsOf(contract.organization, 'ledger_number::int AS number, type')).toEqual([
    { number: 1, type: 'usage' },
    { number: 2, type: 'usage' },
    { number: 3, type: 'prepayment' },
  ]);
});

test('nothing follows an exit summary, and a contract without a number gets no document; the others do', async () => {
  const closed = await createBilledContract(api.deps);
  const { organization } = closed;
  await issueDocument(api.deps, closed, { type: 'exit_summary' });
  const open = await createBilledContract(api.deps, { organization });
  const place = await createHousehold(api.deps, organization);
  const { id } = await createSubscription(api.deps, organization, place, { number: null, status: 'active' });
  const unnumbered = { ...open, subscription: id, customer: place.customer };
  const drafts = [draftOf(closed, { month: 4 }), draftOf(unnumbered), draftOf(open)];
  const answers = await issue(api.deps, organization, drafts);
  expect(answers.map(outcomeOf)).toEqual(['closed', 'not_numbered', 'issued']);
  expect(await rowsOf(organization, 'ledger_number::int AS number')).toEqual([{ number: 1 }, { number: 2 }]);
  await expect(
    issue(api.deps, organization, [draftOf({ ...open, subscription: newId('sub') })]),
  ).rejects.toThrow('which is not there');
});

test('where nothing is to be paid the document is settled at once, and both are told', async () => {
  const contract = await createBilledContract(api.deps);
  const sums = { ...draftOf(contract).sums, deducted: '119.00', total: '0.00' };
  await issueDocument(api.deps, contract, { sums });
  expect(await rowsOf(contract.organization, 'status, paid_at')).toEqual([
    { status: 'paid', paid_at: new Date(NOW) },
  ]);
  const topics = (await eventsOf(contract.organization)).map(({ topic }) => topic);
  expect(topics).toEqual(['invoice.created', 'invoice.paid']);
});

test('a document that does not add up is never stored, nor what comes with it', async () => {
  const contract = await createBilledContract(api.deps);
  const { lines, sums } = draftOf(contract);
  const wrong = [
    { sums: { ...sums, net: '100.01', total: '119.01' } },
    { sums: { ...sums, tax: '19.01', total: '119.01' } },
    { sums: { ...sums, total: '118.99' } },
    { lines: [...lines, ...lines] },
  ];
  for (const figures of wrong) {
    const drafts = [draftOf(contract, { month: 1 }), draftOf(contract, figures)];
    await expect(issue(api.deps, contract.organization, drafts)).rejects.toThrow('does not add up');
  }
  expect(await rowsOf(contract.organization, 'id')).toEqual([]);
});

test('each organization counts its own documents', async () => {
  for (const organization of [await createOrganization(api.deps), await createOrganization(api.deps)]) {
    const contract = await createBilledContract(api.deps, { organization });
    expect((await issueDocument(api.deps, contract)).ledger_number).toBe(1);
  }
});
