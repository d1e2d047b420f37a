import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idsOf } from '../../setup/lists.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { Bills, type Payer } from './bills.ts';

const GAUSS = '2026-09-08.gauss';
const CURIE = '2026-05-27.curie';
const BEFORE_CURIE = ['2025-12-01.chucky', '2025-12-16.batman', '2026-01-29.edison'];

let bills: Bills;
let payer: Payer;
let made: Awaited<ReturnType<Bills['oneOfEach']>>;
beforeAll(async () => {
  bills = await Bills.start();
  payer = await bills.payer();
  made = await bills.oneOfEach(payer);
});
afterAll(() => bills?.close());

async function shown(id: string, version = GAUSS) {
  return (await bills.client(version).get(`/invoices/${id}`)).body;
}

async function statusesOf(ids: readonly string[], version: string) {
  const client = bills.client(version);
  const types = [];
  for (const id of ids) {
    types.push(
      (await client.get(`/invoices/${id}`)).status,
      (await client.get(`/invoices/${id}/file`)).status,
    );
  }
  return [...new Set(types)].sort();
}

const COMMON = [
  ...['object', 'id', 'type', 'customer', 'subscription', 'invoice_number', 'month', 'year', 'period_start'],
  ...['period_end', 'period_number', 'status'],
];
const LAST = ['issued_at', 'paid_at'];

describe('the fields of an invoice', () => {
  test('are those of its type', async () => {
    const fieldsOf = async (id: string) => Object.keys(await shown(id));
    expect(await fieldsOf(made.usage)).toEqual([...COMMON, 'usage', 'total', ...LAST]);
    expect(await fieldsOf(made.prepayment)).toEqual([...COMMON, 'total', ...LAST]);
    expect(await fieldsOf(made.reversal)).toEqual([...COMMON, 'total', 'voids', ...LAST]);
    expect(await fieldsOf(made.exitSummary)).toEqual([...COMMON, 'total', ...LAST]);
  });

  test('say what is charged with a plus and what is paid out with a minus', async () => {
    expect(await shown(made.usage)).toMatchObject({
      type: 'usage',
      usage: 447.9,
      total: 119,
      status: 'paid',
    });
    expect(await shown(made.credit)).toMatchObject({ type: 'usage', usage: 447.9, total: -80.25 });
    expect(await shown(made.reversal)).toMatchObject({ total: -119, voids: made.voided, paid_at: null });
    expect(await shown(made.voided)).toMatchObject({ total: 119, status: 'voided' });
  });

  test('have a period from midnight to midnight in Berlin', async () => {
    expect(await shown(made.voided)).toMatchObject({
      month: 1,
      year: 2026,
      period_start: '2025-12-31T23:00:00.000Z',
      period_end: '2026-01-31T23:00:00.000Z',
      period_number: 1,
      issued_at: '2026-11-21T16:05:00.001Z',
    });
  });
});

describe('curie', () => {
  test('knows no exit summary: lists leave it out, by id it is not found', async () => {
    const { exitSummary, ...known } = made;
    const listed = await idsOf(bills.client(CURIE), '/invoices?limit=100');
    expect(listed).toEqual(Object.values(known).toReversed());
    expect(await statusesOf([exitSummary], CURIE)).toEqual([404]);
    expect(await statusesOf(Object.values(known), CURIE)).toEqual([200, 302]);
    const filter = 'filter[type][eq]';
    const refused = await bills.client(CURIE).get<ErrorBody>(`/invoices?${filter}=exit_summary`);
    expect(refusal(refused)).toEqual([400, `invalid_value ${filter}`]);
    expect(await idsOf(bills.client(GAUSS), `/invoices?${filter}=exit_summary`)).toEqual([exitSummary]);
    /* What it does not know does not match a negation either. */
    expect(await idsOf(bills.client(CURIE), '/invoices?filter[type][ne]=usage')).toEqual([
      made.prepayment,
      made.reversal,
    ]);
  });
});

describe.each(BEFORE_CURIE)('%s', (version) => {
  const usage = () => [made.uncollectible, made.usage, made.voided];

  test('shows usage of consumption only', async () => {
    const path = `/subscriptions/${payer.consumption}/invoices`;
    expect(await idsOf(bills.client(version), path)).toEqual(usage());
    expect(await statusesOf(usage(), version)).toEqual([200, 302]);
    const { reversal, prepayment, exitSummary, credit } = made;
    expect(await statusesOf([reversal, prepayment, exitSummary, credit], version)).toEqual([404]);
  });

  test('shows neither whose they are nor a type, and open what no payment is expected for', async () => {
    const older = COMMON.filter((field) => !['type', 'customer', 'subscription'].includes(field));
    expect(Object.keys(await shown(made.usage, version))).toEqual([...older, 'usage', 'total', ...LAST]);
    const statuses = [];
    for (const id of usage()) statuses.push((await shown(id, version)).status);
    expect(statuses).toEqual(['open', 'paid', 'voided']);
  });

  test('refuses the list of a feed-in contract, any filter, and whom it does not know', async () => {
    const client = bills.client(version);
    const of = (subscription: string) => `/subscriptions/${subscription}/invoices`;
    const feedIn = await client.get<ErrorBody>(of(payer.feedIn));
    expect([feedIn.status, feedIn.body.message]).toEqual([
      400,
      `Feed-in needs API version ${CURIE} or later`,
    ]);
    const filtered = await client.get(`${of(payer.consumption)}?filter[status][eq]=open`);
    expect(filtered.status).toBe(400);
    expect((await client.get(of('sub_000000000000000000000000'))).status).toBe(404);
  });
});

/* The last one, for the lists above show all invoices of the organization. */
test('kWh have 4 decimals in every version, half up, however many are billed', async () => {
  const id = await bills.issued(payer, { usage_kwh: '213.183350000000' });
  for (const version of [...BEFORE_CURIE, CURIE, GAUSS]) {
    expect(await shown(id, version)).toMatchObject({ usage: 213.1834 });
  }
});
