import { DateTime } from 'luxon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sumsOf } from '../../../src/billing/invoices/calculate/sums.ts';
import { berlinMilliseconds } from '../../../src/platform/time/berlin-calendar.ts';
import { type Billed, startBilled } from '../../billing/invoices/billing.ts';
import { quarterHours } from '../../contracts/usage/metered.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { quarters } from '../../spot-prices/serve/price-api.ts';
import { Portal, words } from './link.ts';

/* What a customer used: the days of a month, the months of a year. */

let metered: Billed;
let portal: Portal;
beforeAll(async () => {
  metered = await startBilled('2026-11-20T10:00:00.000Z');
  portal = await Portal.on(metered.api, metered.clock, metered.organization);
});
afterAll(() => metered?.close());

async function opened(contract: { id: string; place: { customer: string } }, query = '') {
  const visitor = await portal.signedIn(contract.place.customer);
  const page = await visitor.open(`${portal.page(contract.id, 'usage')}${query}`);
  return { ...page, seen: words(page.text) };
}

test('the days of a month are those of the interface, and a part without values is told', async () => {
  const contract = await metered.contract({ meter_type: 'smart' });
  const lines = (from: string, count: number) => quarters(from, count).map((start) => `${start},0.25`);
  await metered.import(contract.id, [
    ...lines('2026-09-30T22:00:00Z', 96),
    ...lines('2026-10-01T22:00:00Z', 48),
  ]);
  const { status, text, seen } = await opened(contract, '?month=2026-10');
  expect(status).toBe(200);
  const { body } = await metered.usage(contract.id, 'resolution=day&start=2026-10-01&end=2026-11-01');
  expect([...text.matchAll(/<data value="([^"]+)"/g)].map(([, value]) => Number(value))).toEqual(
    body.data.map(({ usage }) => usage),
  );
  expect(seen).toContain('Werte von Oktober 2026');
  expect(seen).toContain('Zusammen 36,00 kWh');
  expect(seen).toContain(
    'Do., 1. Okt. 24,00 Preis fehlt Fr., 2. Okt. Werte für 50 % der Zeit 12,00 Preis fehlt Sa., 3. Okt. keine Werte',
  );
  expect(text).toContain('?month=2026-09"');
});

test('the months of a year are summed, with the days that have values', async () => {
  const contract = await metered.contract({ meter_type: 'smart' });
  await metered.import(
    contract.id,
    quarters('2026-02-28T23:00:00Z', 96).map((start) => `${start},0.5`),
  );
  const { text, seen } = await opened(contract, '?year=2026');
  expect(seen).toContain('März 2026 Werte an 1 von 31 Tagen 48,00 Preis fehlt');
  expect(seen).not.toContain('Dezember 2026 ');
  expect(text).toContain('?month=2026-03"');
  expect(text).toContain('?year=2025"');
  /* The last month is drawn to its end. */
  expect(text).toContain('<table id="chart-table" data-end="2026-11-30T23:00:00.000Z">');
});

test('in the year in which a meter became smart its whole months are complete and lead to their days', async () => {
  const contract = await metered.contract();
  await metered.read(contract, { '2026-01-01': 1000, '2026-03-16': 1300 });
  await storedRows(
    metered.api,
    `INSERT INTO meter_changes (organization_id, customer_id, meter_id, valid_from, type)
     VALUES ($1, $2, $3, '2026-03-16', 'smart')`,
    [metered.organization, contract.place.customer, contract.meter],
  );
  await metered.import(contract.id, quarterHours('2026-03-15T23:00:00Z', '2026-04-30T21:45:00Z', 0.25));
  const { text, seen } = await opened(contract, '?year=2026');
  expect(seen).toMatch(/April 2026 \d+,\d\d Preis fehlt Mai 2026 keine Werte/);
  expect(seen).toMatch(/März 2026 [\d.]+,\d\d April/);
  expect(text).toContain('?month=2026-04"');
  expect(text).not.toContain('?month=2026-03"');
  const { seen: april } = await opened(contract, '?month=2026-04');
  expect(april).toContain('Do., 30. Apr.');
});

const amountOf = (text = '') => Number(text.replace('.', '').replace(',', '.'));

test("what a month's energy costs is to the cent what the lines by kWh of its bill come to, and a day what its prices say", async () => {
  await metered.issuer();
  const contract = await metered.contract({
    ...{ meter_type: 'smart', number: 'COSTSAA1', start_at: '2026-09-30T22:00:00Z' },
  });
  const spot = (start: number) => ((start / 900_000) % 977) / 4 - 40;
  await metered.price('2026-10-01', '2026-11-01', spot);
  const kwh = (index: number) => Number((((index * 37) % 613) / 1_000 + 0.000_123_456).toFixed(9));
  await metered.import(contract.id, quarterHours('2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z', kwh));
  await metered.bill();
  const lines = await storedRows<{ kind: string; net: string; vatRate: string; price: number }>(
    metered.api,
    `SELECT line.kind, line.net::text, line.vat_rate::text AS "vatRate", line.unit_price::float8 AS price FROM invoice_lines AS line
       JOIN invoices AS bill ON bill.organization_id = line.organization_id AND bill.id = line.invoice_id
      WHERE bill.subscription_id = $1`,
    [contract.id],
  );
  const byMonthOrDay = ['base_fee', 'grid_base', 'metering', 'module_1', 'discount'];
  const ofEnergy = lines.filter(({ kind }) => !byMonthOrDay.includes(kind));
  expect(ofEnergy.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['energy', 'grid_energy', 'kwkg']));
  const total = Number(sumsOf(ofEnergy).total);
  const { seen } = await opened(contract, '?month=2026-10');
  expect(amountOf(/Zusammen [\d.,]+ kWh, ([\d.,]+) €/.exec(seen)?.[1])).toBe(total);
  const { seen: year } = await opened(contract, '?year=2026');
  expect(amountOf(/Oktober 2026 [\d.,]+ ([\d.,]+) /.exec(year)?.[1])).toBe(total);
  const days = [...seen.matchAll(/\d\. Okt\. [\d.,]+ (-?[\d.,]+) /g)].map(([, text]) => amountOf(text));
  expect(days).toHaveLength(31);
  expect(Math.abs(days.reduce((sum, day) => sum + day, 0) - total)).toBeLessThan(0.25);

  /* The day on which the clocks go back. The market's part is not served here without its source. */
  type Price = { timestamp: string; components: { amount: number | null }[] };
  const path = `/subscriptions/${contract.id}/prices?start=2026-10-25&end=2026-10-25`;
  const { items } = (await (await metered.client()).get<{ items: Price[] }>(path)).body;
  const used = await metered.usage(contract.id, 'resolution=15min&start=2026-10-25&end=2026-10-26');
  const margin = (lines.find(({ kind }) => kind === 'margin')?.price ?? 0) * 100;
  const cents = items.map(({ timestamp, components: [, grid, levies] }, index) => {
    const electricity = (spot(DateTime.fromISO(timestamp).toMillis()) / 10 + margin) * 1.19;
    const price = electricity + (grid?.amount ?? Number.NaN) + (levies?.amount ?? Number.NaN);
    return price * (used.body.data[index]?.usage ?? Number.NaN);
  });
  const sum = Math.round(cents.reduce((before, value) => before + value, 0)) / 100;
  expect([items.length, days[24]]).toEqual([100, sum]);
});

test('a price that is missing is said at its day, its month and the sum, and those that are there stay', async () => {
  const contract = await metered.contract({ meter_type: 'smart' });
  await metered.price('2026-08-03', '2026-08-04', 100);
  await metered.supply(contract, '2026-08-03', '2026-08-05');
  const { seen } = await opened(contract, '?month=2026-08');
  expect(seen).toMatch(/Mo\., 3\. Aug\. 9,60 \d,\d\d Di\., 4\. Aug\. 9,60 Preis fehlt/);
  expect(seen).toContain('Zusammen 19,20 kWh Tag');
  expect(seen).toContain('Wo ein Preis fehlt oder');
  expect((await opened(contract, '?year=2026')).seen).toContain(
    'August 2026 Werte an 2 von 31 Tagen 19,20 Preis fehlt',
  );
});

test('what is measured and not settled yet has its price as well, by day and by month', async () => {
  const contract = await metered.contract({ meter_type: 'smart' });
  await metered.price('2026-11-18', '2026-11-19', 100);
  const minutes = Array.from({ length: 1441 }, (_, minute) =>
    new Date(berlinMilliseconds('2026-11-18') + minute * 60_000).toISOString(),
  );
  await metered.measure(
    contract,
    minutes.map((at) => [at, 1] as const),
  );
  const { seen } = await opened(contract, '?month=2026-11');
  const [, cost] = /Mi\., 18\. Nov\. vorläufig 24,00 (\d,\d\d) /.exec(seen) ?? [];
  expect(amountOf(cost)).toBeGreaterThan(2.4 * 1.19);
  expect(seen).toContain('Erfundene Zahlen');
  expect(seen).toContain('gerundet wie auf einer Monatsrechnung');
  const [, month] =
    /November 2026 vorläufig, .* Tagen 24,00 (\d,\d\d) /.exec((await opened(contract, '?year=2026')).seen) ??
    [];
  expect(Math.abs(amountOf(month) - amountOf(cost))).toBeLessThan(0.05);
});

test('the page waits for the turn of its customer', async () => {
  const { id, place } = await metered.contract({ meter_type: 'smart' });
  const visitor = await portal.signedIn(place.customer);
  const { queue } = metered.api.deps;
  const caller = { path: [metered.organization, 'consumers', place.customer], weight: 50 } as const;
  const other = Promise.withResolvers<void>();
  const working = queue.inTurn(caller, () => other.promise);
  const page = visitor.open(portal.page(id, 'usage'));
  await expect.poll(() => queue.account(caller).waiting).toBe(1);
  other.resolve();
  await working;
  expect((await page).status).toBe(200);
});

test('an analog meter has months, and says what is preliminary', async () => {
  const contract = await metered.contract();
  const { seen } = await opened(contract);
  expect(seen).toMatch(/Januar 2026 vorläufig \d+,\d\d /);
  expect(seen).toContain('Vorläufige Werte können sich noch ändern');
  expect(seen).not.toContain('Erfundene Zahlen');
});

test("junk in the address shows the month of today, and somebody else's contract is not found", async () => {
  const [mine, theirs] = [await metered.contract({ meter_type: 'smart' }), await metered.contract()];
  for (const query of ['?month=2026-13', '?month=9999-01', '?year=%00', '?month=a&month=b', '?year=1e9']) {
    const { status, seen } = await opened(mine, query);
    expect([query, status, seen.includes('Werte von November 2026')]).toEqual([query, 200, true]);
  }
  const visitor = await portal.signedIn(mine.place.customer);
  expect((await visitor.open(portal.page(theirs.id, 'usage'))).status).toBe(404);
});
