import { afterEach, expect, test } from 'vitest';
import { logLines } from '../../platform/counted-requests.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type QuoteService, startQuoteService } from './quote-service.ts';

let service: QuoteService;

afterEach(() => service?.api.close());

/* Each on a service of its own, which has read nothing yet. */
test.each([
  ['levies', "code = 'kwkg'", ' for kwkg'],
  ['metering_fees', "meter = 'analog'", ' for analog'],
  ['market_values', "code = 'day_ahead_mean'", ' for day_ahead_mean'],
  ['concession_fees', "class = 'T4'", ' for T4'],
  ['vat_rates', 'true', ''],
])(
  'without %s where %s there is no price: 500, logged with table, key and day',
  async (table, where, key) => {
    const lines = logLines();
    service = await startQuoteService({ log: lines.log });
    await storedRows(service.api, `DELETE FROM ${table} WHERE ${where}`);
    const body = { zip_code: '10115', usage: { consumption: 2500 }, optimization_rate: 0 };
    const path = `/plans/${service.plans.dynamisch}/quote`;
    const answer = await service.client().post<{ message: string }>(path, body);
    expect([answer.status, answer.body.message]).toEqual([500, 'Internal server error']);
    expect(lines.count(`No row of ${table}${key} counts on 2026-11-20`)).toBe(1);
  },
);
