import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Metered, quarterHours, startMetered } from '../../contracts/usage/metered.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { quarters } from '../../spot-prices/serve/price-api.ts';
import { Portal, words } from './link.ts';

/* What a customer used: the days of a month, the months of a year. */

let metered: Metered;
let portal: Portal;
beforeAll(async () => {
  metered = await startMetered('2026-11-20T10:00:00.000Z');
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
    'Do., 1. Okt. 24,00 Fr., 2. Okt. 12,00 Werte für 50 % der Zeit Sa., 3. Okt. keine Werte',
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
  expect(seen).toContain('März 2026 48,00 Werte an 1 von 31 Tagen');
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
  expect(seen).toMatch(/April 2026 \d+,\d\d Mai 2026 keine Werte/);
  expect(seen).toMatch(/März 2026 [\d.]+,\d\d April/);
  expect(text).toContain('?month=2026-04"');
  expect(text).not.toContain('?month=2026-03"');
  const { seen: april } = await opened(contract, '?month=2026-04');
  expect(april).toContain('Do., 30. Apr.');
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
  expect(seen).toMatch(/Januar 2026 \d+,\d\d vorläufig/);
  expect(seen).toContain('Vorläufige Werte können sich noch ändern');
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
