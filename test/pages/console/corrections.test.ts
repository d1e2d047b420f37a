import { afterAll, beforeAll, expect, test } from 'vitest';
import { giveUp } from '../../../src/billing/payments/staff.ts';
import { type Billed, startBilled } from '../../billing/invoices/billing.ts';
import { type Contract, quarterHours } from '../../contracts/usage/metered.ts';
import type { Visitor } from '../../identity/oauth/visitor.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { expectSoundPage, press, signedIn } from './console.ts';

const WORK = '/work';

let billed: Billed;
let contract: Contract;
let visitor: Visitor;

beforeAll(async () => {
  billed = await startBilled('2026-11-12T05:30:00.000Z');
  await billed.price('2026-10-01', '2026-11-01', 80);
  await billed.issuer();
  contract = await billed.contract({ meter_type: 'smart', start_at: '2026-10-07T22:00:00Z' });
  await billed.supply(contract, '2026-10-08', '2026-11-01');
  await billed.bill();
  billed.clock.set('2026-11-14T05:30:00.000Z');
  visitor = await signedIn(billed.api, billed.organization);
});
afterAll(() => billed?.close());

const open = (path: string) => visitor.open(`${billed.api.baseUrl}/console${path}`);
const reason = { reason: 'values came late' };

test('a bill whose inputs came later is listed, shown before and after, and corrected as it was shown', async () => {
  const path = `/contracts/${contract.id}/correction`;
  expect((await open(`${WORK}/corrections`)).text).toContain('Nothing came in that a bill depends on.');
  const same = await open(path);
  expectSoundPage(same);
  expect(same.text).toContain('Every bill comes to the same cents.');
  await billed.import(contract.id, quarterHours('2026-10-09T22:00:00Z', '2026-10-10T22:00:00Z', 1));
  const list = await open(`${WORK}/corrections`);
  expectSoundPage(list);
  expect(list.text).toContain(`href="/console${path}"`);
  const preview = await open(path);
  expectSoundPage(preview);
  const [bill] = await billed.bills(contract);
  expect(preview.text).toContain(`<th scope="row">${bill?.invoice_number}</th>`);
  expect(preview.text).toContain(`€${bill?.total.toFixed(2)}`);
  expect(await billed.bills(contract)).toHaveLength(1);

  /* Something else comes in while the page is read. */
  await billed.import(contract.id, quarterHours('2026-10-10T22:00:00Z', '2026-10-11T22:00:00Z', 1));
  const stale = await press(visitor, preview, `/console${path}`, reason);
  expect([stale.status, stale.text.includes('look at it again')]).toEqual([409, true]);
  expect(await billed.bills(contract)).toHaveLength(1);

  /* The form that comes again is about what is known now. */
  billed.clock.set('2026-11-14T05:40:00.000Z');
  const fresh = stale;
  const [now] = [...fresh.text.matchAll(/class="number still"><span class="below">€([\d.]+)/g)]
    .map(([, amount]) => Number(amount))
    .slice(1);
  const issued = await press(visitor, fresh, `/console${path}`, reason);
  expect(issued.status).toBe(303);
  const told = await visitor.follow(issued, billed.api.baseUrl);
  expectSoundPage(told);
  expect(told.text).toContain('What a correction issues stands here');
  await press(visitor, fresh, `/console${path}`, reason);
  const bills = await billed.bills(contract);
  expect(bills.map(({ type, status }) => [type, status])).toEqual([
    ['usage', 'voided'],
    ['void', 'paid'],
    ['usage', 'open'],
  ]);
  expect(bills.at(-1)?.total).toBe(now);
  const [voided, , replacing] = bills;
  const difference = ((replacing?.total ?? 0) - (voided?.total ?? 0)).toFixed(2);
  expect(told.text).toContain(
    `/bills/${replacing?.id}">${replacing?.invoice_number}, in place of ${voided?.invoice_number}: Difference €${difference}`,
  );
  expect((await open(path)).text).toContain('Every bill comes to the same cents.');
  expect((await open(`${WORK}/corrections`)).text).toContain('Nothing came in that a bill depends on.');
  expect((await auditRows(billed.api, billed.organization, 'invoices.correct')).at(-1)).toMatchObject({
    ...{ object_id: contract.id, route: 'POST /console/contracts/:id/correction', reason: reason.reason },
  });
});

test('a contract with changed bills is listed until it is corrected, and others with new values never are', async () => {
  await billed.price('2026-09-01', '2026-10-01', 80);
  const two = await billed.contract({ meter_type: 'smart', start_at: '2026-08-31T22:00:00Z' });
  await billed.supply(two, '2026-09-01', '2026-11-01');
  await billed.bill();
  expect(await billed.bills(two)).toHaveLength(2);
  for (let count = 0; count < 7; count += 1) {
    const unbilled = await billed.contract({ start_at: '2026-11-09T23:00:00Z' });
    await billed.read(unbilled, { '2026-11-10': 100 });
  }
  billed.clock.set('2026-11-14T06:00:00.000Z');
  for (const hour of [10, 11])
    await billed.import(
      two.id,
      quarterHours(`2026-09-${hour}T22:00:00Z`, `2026-09-${hour + 1}T22:00:00Z`, 1),
    );
  await billed.import(two.id, quarterHours('2026-10-10T22:00:00Z', '2026-10-11T22:00:00Z', 1));
  const path = `/console/contracts/${two.id}/correction`;
  const work = (await open('/work')).text;
  expect(work.match(/sub_\w+\/correction/g)).toEqual([`${two.id}/correction`]);
  expect(work).not.toContain('More: Corrections');
  billed.clock.set('2026-11-14T06:10:00.000Z');
  const sent = await press(visitor, await open(`/contracts/${two.id}/correction`), path, reason);
  expect(sent.status).toBe(303);
  expect((await open('/work')).text).not.toContain(path);
});

const listedBills = async ({ id }: Contract) => {
  const { text } = await open(`${WORK}/corrections`);
  return new RegExp(`${id}/correction.*?<td[^>]*><span[^>]*>(\\d+)`, 's').exec(text)?.[1];
};

test('a bill that the last run has looked at is not listed again for what came in before it', async () => {
  const seen = await billed.contract({ meter_type: 'smart', start_at: '2026-08-31T22:00:00Z' });
  await billed.supply(seen, '2026-09-01', '2026-11-01');
  await billed.bill();
  billed.clock.set('2026-11-14T07:00:00.000Z');
  /* At the same price: no cent changes. */
  await billed.import(seen.id, ['2026-10-12T10:00:00Z,0.15', '2026-10-12T10:15:00Z,0.05']);
  expect(await listedBills(seen)).toBe('1');
  billed.clock.set('2026-11-14T08:00:00.000Z');
  await billed.bill();
  expect((await billed.bills(seen)).map(({ status }) => status)).toEqual(['open', 'open']);
  billed.clock.set('2026-11-14T09:00:00.000Z');
  await billed.import(seen.id, ['2026-09-12T10:00:00Z,0.15', '2026-09-12T10:15:00Z,0.05']);
  expect(await listedBills(seen)).toBe('1');
});

test('a contract stays listed for the bills that a correction of it could not replace, and for no other', async () => {
  const partly = await billed.contract({ meter_type: 'smart', start_at: '2026-08-31T22:00:00Z' });
  await billed.supply(partly, '2026-09-01', '2026-11-01');
  await billed.bill();
  const [, october] = await billed.bills(partly);
  const now = billed.clock.now().toISOString();
  const act = { staff: 'ada', reason: 'moved away', command: 'tests', now };
  await giveUp(billed.api.deps, billed.organization, october?.id ?? '', act);
  billed.clock.set('2026-11-14T10:00:00.000Z');
  await billed.import(partly.id, [
    ...quarterHours('2026-09-10T22:00:00Z', '2026-09-11T22:00:00Z', 1),
    ...quarterHours('2026-10-10T22:00:00Z', '2026-10-11T22:00:00Z', 1),
  ]);
  expect(await listedBills(partly)).toBe('2');
  billed.clock.set('2026-11-14T10:10:00.000Z');
  const path = `/contracts/${partly.id}/correction`;
  await press(visitor, await open(path), `/console${path}`, reason);
  expect((await billed.bills(partly)).map(({ status }) => status)).toEqual([
    ...['voided', 'uncollectible', 'paid', 'open'],
  ]);
  expect(await billed.refusals(partly)).toMatchObject([{ type: 'correction', code: 'not_reversible' }]);
  expect(await listedBills(partly)).toBe('1');
});

test('a refused bill says what is missing, and is made when it is tried again behind the entry', async () => {
  const other = await billed.contract({ meter_type: 'smart', start_at: '2026-10-07T22:00:00Z' });
  await billed.supply(other, '2026-10-08', '2026-10-31');
  await billed.bill();
  const list = await open(`${WORK}/refused`);
  expectSoundPage(list);
  expect(list.text).toContain(`/console/contracts/${other.id}#missing`);
  expect(list.text).toContain('quarter hours of the period are missing');
  await billed.supply(other, '2026-10-31', '2026-11-01');
  const page = await open(`/contracts/${other.id}`);
  const sent = await press(visitor, page, `/console/contracts/${other.id}/bill`, reason);
  expect((await visitor.follow(sent, billed.api.baseUrl)).text).toContain(
    'within 30 seconds: load the page again',
  );
  await billed.work();
  expect(await billed.bills(other)).toMatchObject([{ type: 'usage', status: 'open' }]);
  expect(await billed.refusals(other)).toEqual([]);
  expect((await open(`${WORK}/refused`)).text).not.toContain(other.id);
});
