import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { fakeClock } from '../../setup/clock.ts';
import { attempts, openTestPrices } from '../price-parts.ts';
import { specialServer } from './special-server.ts';

const TOKEN = '4f0d2c6e-77aa/9b1c+d3e5';
const clock = fakeClock('2026-11-20T12:30:00Z');
const server = await specialServer();
const prices = await openTestPrices(clock, {
  PRICES_SOURCES: 'entsoe',
  PRICES_ENTSOE_TOKEN: TOKEN,
  PRICES_ENTSOE_URL: server.url,
});
afterAll(async () => {
  await prices.close();
  await server.close();
});
beforeEach(() => prices.empty());

const acknowledgement = (text: string) =>
  `<?xml version="1.0"?><Acknowledgement_MarketDocument xmlns="urn:iec62325.351:tc57wg16:451-1:acknowledgementdocument:7:0">` +
  `<mRID>1</mRID><Reason><code>999</code><text>${text}</text></Reason></Acknowledgement_MarketDocument>`;

const task = { deliveryOn: '2026-11-21', retries: 'none' as const };

/** Every text that the database holds, bodies unpacked. */
async function everythingStored(): Promise<string> {
  const tables = await prices.rows<{ row: string }>(
    ['price_fetches', 'price_alarms', 'price_sources', 'price_days', 'price_source_days']
      .map((table) => `SELECT to_jsonb(t)::text AS row FROM ${table} t`)
      .join(' UNION ALL '),
  );
  const bodies = await prices.rows<{ body: Buffer }>('SELECT body FROM price_payloads');
  return [
    ...tables.map(({ row }) => row),
    ...bodies.map(({ body }) => zstdDecompressSync(body).toString('latin1')),
  ].join('\n');
}

describe('a token of ENTSO-E', () => {
  test.each<[string, Parameters<typeof server.answer>[0]]>([
    ['a reset', (request) => request.socket.resetAndDestroy()],
    ['a refusal that repeats the address', (request, response) => response.writeHead(400).end(request.url)],
    ['a refusal of access', (_request, response) => response.writeHead(401).end(TOKEN)],
    [
      'an acknowledgement that names it',
      (_request, response) => response.end(acknowledgement(`Wrong: ${TOKEN}`)),
    ],
    [
      'a redirect',
      (request, response) => response.writeHead(302, { location: `https://x.example${request.url}` }).end(),
    ],
    ['a page', (_request, response) => response.writeHead(503, { 'content-type': 'text/html' }).end(TOKEN)],
  ])('stands in no line, record, alarm or body after %s', async (_name, answer) => {
    server.answer(answer);
    const report = await pullDay(prices.parts, task);
    expect(report.outcome).toBe('failed');
    const seen = [await everythingStored(), ...prices.logged, JSON.stringify(report)].join('\n');
    for (const spelling of [TOKEN, encodeURIComponent(TOKEN)]) expect(seen).not.toContain(spelling);
    expect(seen).toContain('securityToken=***');
  });

  test.each([
    [200, 'No matching data found for Data item ENERGY_PRICES', 'not_published'],
    [400, 'No matching data found', 'not_published'],
    [200, 'Input parameter does not exist: x', 'rejected'],
    [400, 'The requested period exceeds the allowed maximum', 'rejected'],
  ])('an acknowledgement with %s that says "%s" is %s', async (status, text, outcome) => {
    server.answer((_request, response) => {
      response.writeHead(status, { 'content-type': 'text/xml' }).end(acknowledgement(text));
    });
    await pullDay(prices.parts, task);
    expect(await attempts(prices)).toMatchObject([{ outcome }]);
    const [record] = await prices.rows<{ detail: string }>('SELECT detail FROM price_fetches');
    expect(record?.detail).toContain(text);
  });
});

describe('SMARD', () => {
  test('a file that the index lists and that is not there is a failure, tried again', async () => {
    const parts = prices.with({ PRICES_SOURCES: 'smard', PRICES_SMARD_URL: server.url });
    server.answer((request, response) => {
      if (request.url?.includes('index') === true)
        response.end('{"timestamps":[1794178800000,1794783600000]}');
      else response.writeHead(404).end();
    });
    const report = await pullDay(parts, { deliveryOn: '2026-11-21' });
    expect(report.attempts).toEqual([{ source: 'smard', outcome: 'transient_failure', intervals: 0 }]);
    expect(prices.waits).toHaveLength(2);
  });

  test('a body over 2 MiB is rejected, and the next source is asked', async () => {
    const parts = prices.with({
      PRICES_SOURCES: 'smard,energy-charts',
      PRICES_SMARD_URL: server.url,
      PRICES_ENERGY_CHARTS_URL: server.url,
    });
    server.answer((request, response) => {
      if (request.url?.startsWith('/price') === true) response.writeHead(404).end('{}');
      else response.end(Buffer.alloc(2 * 1024 * 1024 + 1, 0x20));
    });
    await pullDay(parts, { deliveryOn: '2026-11-21' });
    expect(await attempts(prices)).toMatchObject([
      { source: 'smard', outcome: 'rejected' },
      { source: 'energy-charts', outcome: 'not_published' },
    ]);
  });
});
