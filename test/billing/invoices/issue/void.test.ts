import { afterAll, beforeAll, expect, test } from 'vitest';
import { moveUncollectible } from '../../../../src/billing/invoices/issue/move.ts';
import { voidInvoiceByStaff } from '../../../../src/billing/invoices/issue/void.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../../setup/clock.ts';
import { whileHeld } from '../../../setup/held-row.ts';
import {
  type BilledContract,
  createBilledContract,
  draftOf,
  issue,
  issueDocument,
  outcomeOf,
  payInFull,
} from '../../../setup/invoices.ts';
import { auditRows, storedRows } from '../../../setup/stored-rows.ts';

const ISSUED = '2027-01-12T07:00:00.000Z';
const PAID = '2027-01-20T09:00:00.000Z';
const VOIDED = '2027-02-03T10:00:00.000Z';

let clock: FakeClock;
let api: TestApi;
beforeAll(async () => {
  clock = fakeClock(ISSUED);
  api = await startApi({ clock });
});
afterAll(() => api?.close());

const reverse = ({ organization }: BilledContract, id: string) =>
  voidInvoiceByStaff(api.deps, organization, id, {
    staff: 'a.b',
    reason: 'reading was replaced',
    command: 'invoices void',
    now: clock.now().toISOString(),
  });

const move = (how: typeof moveUncollectible, { organization }: BilledContract, id: string) =>
  api.deps.database.inOrganization({ organization }, (connection) =>
    how(connection, organization, id, clock),
  );

const rowOf = async (id: string) =>
  (
    await storedRows<Record<string, unknown>>(
      api,
      `SELECT type, status, paid_at, invoice_number, ledger_number::int, month, year, period_start, period_end, period_number,
              usage_kwh, net, tax, deducted, total, taxes, voids, void_reason, due_on::text, issued_at, facts,
              (SELECT jsonb_agg(jsonb_build_array(kind, quantity, unit_price, net, vat_rate) ORDER BY position)
                 FROM invoice_lines AS l WHERE l.invoice_id = i.id) AS lines
         FROM invoices AS i WHERE id = $1`,
      [id],
    )
  )[0];

test('a paid document is reversed by one of its own with the amounts the other way round, and keeps its payment', async () => {
  clock.set(ISSUED);
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract);
  clock.set(PAID);
  await move(payInFull, contract, id);
  const before = await rowOf(id);
  clock.set(VOIDED);
  const { voiding } = await reverse(contract, id);
  expect(voiding).toMatchObject({ invoiceNumber: `${contract.number}-002`, total: '-119.00' });
  expect(await rowOf(id)).toEqual({ ...before, status: 'voided', paid_at: new Date(PAID) });
  expect(await rowOf(voiding.id)).toEqual({
    ...before,
    type: 'void',
    status: 'open',
    paid_at: null,
    invoice_number: `${contract.number}-002`,
    ledger_number: 2,
    usage_kwh: null,
    net: '-100.00',
    tax: '-19.00',
    deducted: '0.00',
    total: '-119.00',
    taxes: [{ rate: '0.19', net: '-100.00', tax: '-19.00' }],
    voids: id,
    void_reason: 'reading was replaced',
    due_on: '2027-02-17',
    issued_at: new Date(VOIDED),
    lines: [['energy', -431.6, 0.2317, -100, 0.19]],
  });
  const events = await storedRows(
    api,
    `SELECT topic, context FROM events WHERE organization_id = $1 AND timestamp = $2 ORDER BY position`,
    [contract.organization, VOIDED],
  );
  const { subscription } = contract;
  expect(events).toEqual([
    { topic: 'invoice.created', context: { invoice: voiding.id, subscription } },
    { topic: 'invoice.voided', context: { invoice: id, subscription, voiding_invoice: voiding.id } },
  ]);
  expect(await auditRows(api, contract.organization, 'invoice.void')).toMatchObject([
    { object_id: id, staff: 'a.b', reason: 'reading was replaced', result: 'done' },
  ]);
});

test('what nobody has paid is not paid back: the two settle each other', async () => {
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract);
  const { voiding } = await reverse(contract, id);
  expect(await rowOf(voiding.id)).toMatchObject({ status: 'paid', total: '-119.00' });
  expect(await rowOf(id)).toMatchObject({ status: 'voided', paid_at: null });
});

test('a reversed period can be billed again, under a new number', async () => {
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract);
  await reverse(contract, id);
  expect(await issueDocument(api.deps, contract)).toMatchObject({ invoice_number: `${contract.number}-003` });
});

test('a void document and an uncollectible one cannot be reversed, nor what lies before an exit summary', async () => {
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract);
  const { voiding } = await reverse(contract, id);
  const given_up = await issueDocument(api.deps, contract, { month: 1 });
  await move(moveUncollectible, contract, given_up.id);
  expect(await reverse(contract, id)).toEqual({ id, voiding });
  for (const document of [voiding.id, given_up.id]) {
    await expect(reverse(contract, document)).rejects.toMatchObject({ code: 'CONFLICT' });
  }
  const last = await issueDocument(api.deps, contract, { month: 2 });
  const exit = await issueDocument(api.deps, contract, { type: 'exit_summary', periodNumber: 9 });
  await expect(reverse(contract, last.id)).rejects.toMatchObject({ code: 'closed' });
  await reverse(contract, exit.id);
  const again = await issue(api.deps, contract.organization, [
    draftOf(contract, { type: 'exit_summary', periodNumber: 9 }),
  ]);
  expect(again.map(outcomeOf)).toEqual(['issued']);
});

test('a document of another organization is not there', async () => {
  const [own, other] = [await createBilledContract(api.deps), await createBilledContract(api.deps)];
  const { id } = await issueDocument(api.deps, other);
  for (const unknown of [id, 'inv_x', '']) {
    await expect(reverse(own, unknown)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
});

test('a prepayment is not reversed that a bill closes while the reversal waits for it', async () => {
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract, { type: 'prepayment' });
  await move(payInFull, contract, id);
  const reversed = whileHeld(
    api.database,
    ['invoices', id],
    () => reverse(contract, id),
    () => issueDocument(api.deps, contract),
  );
  await expect(reversed).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await rowOf(id)).toMatchObject({ type: 'prepayment', status: 'paid' });
});
