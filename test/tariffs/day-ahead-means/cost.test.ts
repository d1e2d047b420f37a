import { expect, test } from 'vitest';
import { addDays } from '../../../src/platform/time/berlin-calendar.ts';
import { dayChanges, daySums } from '../../../src/spot-prices/store/day-sums.ts';
import { CountedPages } from '../../lists/many-rows.ts';
import { MeanStore } from './mean-store.ts';

const store = new MeanStore();
const WINDOW = ['2025-11-20', '2026-11-20'] as const;
const CHANGED_DAYS = 20;

/** Pages of the database that a mean looks at after some days have changed. */
async function pagesOfMean(): Promise<number> {
  await store.as((connection) => daySums(connection, ...WINDOW, { keep: true }));
  for (let index = 0; index < CHANGED_DAYS; index += 1)
    await store.revise(addDays('2026-02-01', index), '80');
  await store.rows('VACUUM ANALYZE spot_prices');
  await store.rows('VACUUM ANALYZE price_days');
  await store.rows('VACUUM ANALYZE price_day_sums');
  const counted = await CountedPages.open(store.testDatabase);
  try {
    await dayChanges(counted.connection, ...WINDOW);
    await daySums(counted.connection, ...WINDOW, { keep: false });
    return counted.pages;
  } finally {
    await counted.close();
  }
}

test('a mean costs by its window and by what changed in it, not by the years that are stored', async () => {
  await store.store({ first: '2025-11-20', end: '2026-11-20' });
  const oneYear = await pagesOfMean();
  await store.store({ first: '2022-11-20', end: '2025-11-20' });
  expect(await pagesOfMean()).toBeLessThan(oneYear * 1.5);
});
