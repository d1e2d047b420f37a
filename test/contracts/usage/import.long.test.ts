import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedRows } from '../../setup/stored-rows.ts';
import { type Metered, quarterHours, shown, startMetered } from './metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered('2026-11-21T16:05:00.000Z');
});
afterAll(() => metered?.close());

describe('a file', () => {
  test('of a whole year is taken in at once, and again', async () => {
    const { id } = await metered.contract({ meter_type: 'smart' });
    const year = quarterHours('2025-10-31T23:00:00Z', '2026-10-31T23:00:00Z', 0.1);
    expect(year).toHaveLength(35_040);
    await metered.import(id, year);
    await metered.import(id, year);
    const text = 'SELECT FROM usage_quarter_hours WHERE subscription_id = $1';
    expect(await storedRows(metered.api, text, [id])).toHaveLength(35_040);
    const answer = await metered.usage(id, 'start=2025-11-01&end=2026-11-01&resolution=month');
    expect(shown(answer)[0]).toBe('2025-10-31T23:00:00Z 288 final');
    expect(answer.body.data).toHaveLength(12);
  });
});
