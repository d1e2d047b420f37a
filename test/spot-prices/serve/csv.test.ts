import { afterAll, beforeAll, expect, test } from 'vitest';
import { csvLine } from '../../../src/platform/csv/csv.ts';
import { plainDecimal } from '../../../src/platform/interface/answer-text.ts';
import { storeBody } from '../../../src/spot-prices/pull/import.ts';
import { get } from '../plain-request.ts';
import { type PriceClient, takePriceApi } from './price-api.ts';

const NOON = '2026-11-20T12:00:00+01:00';
const prices = await takePriceApi(NOON);
let partner: PriceClient;

beforeAll(async () => {
  await prices.pull('2026-11-12', '2026-11-20');
  partner = await prices.tenant();
});
afterAll(() => prices.close());

async function ask(path: string, accept: string, headers: Record<string, string> = {}, method = 'GET') {
  const answer = await get(`${prices.api.baseUrl}/spot-prices${path}`, {
    method,
    headers: {
      authorization: `Bearer ${partner.token}`,
      'x-api-version': '2026-09-08.gauss',
      accept,
      ...headers,
    },
  });
  return { ...answer, text: answer.body.toString() };
}

test('with Accept: text/csv the prices come as a table with the amounts of the JSON, and empty where none is known', async () => {
  /* The day between has no prices. */
  const path = '?start=2026-11-12&end=2026-11-13';
  const { body } = await partner.prices(path);
  const amounts = new Map(body.items.map(({ timestamp, amount }) => [timestamp, plainDecimal(amount)]));
  for (const timestamp of body.missing) amounts.set(timestamp, '');
  const answer = await ask(path, 'text/csv');
  expect(answer.status).toBe(200);
  expect(answer.text).toBe(
    csvLine('timestamp,amount_ct_kwh') +
      [...amounts]
        .toSorted()
        .map((row) => csvLine(row.join(',')))
        .join(''),
  );
  expect(answer.text.split('\r\n')).toHaveLength(2 * 96 + 2);
  expect(body.missing).toHaveLength(96);
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
  expect(answer.headers['content-disposition']).toBe(
    'attachment; filename="spot-prices-2026-11-12-2026-11-13.csv"',
  );
  expect(answer.headers.vary).toContain('Accept,');
});

test('the table has every digit of a price, also those that a number does not hold', async () => {
  const first = Date.parse('2026-11-04T23:00:00Z') / 1000;
  const seconds = Array.from({ length: 96 }, (_, quarter) => first + quarter * 900);
  const price = seconds.map(() => '94.12345678901234567891');
  const text = `{"unix_seconds":[${seconds}],"price":[${price}],"unit":"EUR / MWh","deprecated":false}`;
  const body = new TextEncoder().encode(text);
  await storeBody(prices.parts, { source: 'energy-charts', body, name: 'test', days: ['2026-11-05'] });
  const [json, csv] = [await ask('?start=2026-11-05', '*/*'), await ask('?start=2026-11-05', 'text/csv')];
  expect(json.text).toContain('"amount":9.412345678901234567891}');
  expect(csv.text.split('\r\n')[1]).toBe('2026-11-04T23:00:00Z,9.412345678901234567891');
});

test.each([
  ['text/csv', 'csv'],
  ['TEXT/CSV;q=0.2', 'csv'],
  ['text/*', 'csv'],
  ['application/json;q=0.5, text/csv', 'csv'],
  ['text/csv, */*;q=0.5', 'csv'],
  ['application/json', 'json'],
  ['*/*', 'json'],
  ['text/csv, application/json', 'json'],
  ['text/csv;q=0.5, application/json;q=0.9', 'json'],
  ['text/csv;q=0', 'json'],
  ['text/csv;q=x', 'json'],
  /* As before: what cannot be had is no error. */
  ['text/html', 'json'],
  ['', 'json'],
])('Accept: %s gives %s', async (accept, form) => {
  const { status, headers } = await ask('?start=2026-11-20', accept);
  expect(status).toBe(200);
  expect(headers['content-type']).toContain(form === 'csv' ? 'text/csv' : 'application/json');
  expect(headers['content-disposition'] !== undefined).toBe(form === 'csv');
});

test('the table has a tag of its own, is compressed, and HEAD has its headers', async () => {
  const [json, csv] = [await ask('?start=2026-11-20', '*/*'), await ask('?start=2026-11-20', 'text/csv')];
  const tag = csv.headers.etag ?? '';
  expect(tag).not.toBe(json.headers.etag);
  expect((await ask('?start=2026-11-20', 'text/csv', { 'if-none-match': tag })).status).toBe(304);
  expect((await ask('?start=2026-11-20', '*/*', { 'if-none-match': tag })).status).toBe(200);
  const zipped = await ask('?start=2026-11-20', 'text/csv', { 'accept-encoding': 'gzip' });
  expect(zipped.headers['content-encoding']).toBe('gzip');
  expect(zipped.headers.etag).toBe(tag.replace(/"$/, '-gzip"'));
  const head = await ask('?start=2026-11-20', 'text/csv', {}, 'HEAD');
  expect([head.status, head.text, head.headers.etag]).toEqual([200, '', tag]);
});

test('a refusal is JSON for who asks for a table', async () => {
  const refused = await ask('?start=2026-11-20&end=2026-11-19', 'text/csv');
  expect(refused.status).toBe(400);
  expect(refused.headers['content-type']).toContain('application/json');
});
