import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetReferenceRevisions } from '../../../src/tariffs/reference-data/service.ts';
import { logLines } from '../../platform/counted-requests.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type QuoteService, startQuoteService } from './quote-service.ts';

const lines = logLines();
let service: QuoteService;

beforeAll(async () => {
  service = await startQuoteService({ log: lines.log });
});
afterAll(() => service?.api.close());

/* Each on a day of its own, for which nothing is kept. The rows are stored again afterwards. */
test.each([
  ['levies', "code = 'kwkg'", ' for kwkg', '2026-11-20'],
  ['metering_fees', "meter = 'analog'", ' for analog', '2026-11-21'],
  ['market_values', "code = 'day_ahead_mean'", ' for day_ahead_mean', '2026-11-22'],
  ['concession_fees', "class = 'T4'", ' for T4', '2026-11-23'],
  ['vat_rates', 'true', '', '2026-11-24'],
])(
  'without %s where %s there is no price: 500, logged with table, key and day',
  async (table, where, key, day) => {
    const client = await service.at(`${day}T09:00:00.000Z`);
    const gone = await storedRows(service.api, `DELETE FROM ${table} WHERE ${where} RETURNING *`);
    expect(gone.length).toBeGreaterThan(0);
    try {
      forgetReferenceRevisions();
      const body = { zip_code: '10115', usage: { consumption: 2500 }, optimization_rate: 0 };
      const path = `/plans/${service.plans.dynamisch}/quote`;
      const answer = await client.post<{ message: string }>(path, body);
      expect([answer.status, answer.body.message]).toEqual([500, 'Internal server error']);
      expect(lines.count(`No row of ${table}${key} counts on ${day}`)).toBe(1);
    } finally {
      const rows = JSON.stringify(gone);
      await storedRows(
        service.api,
        `INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`,
        [rows],
      );
    }
  },
);
