import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { timesLonger } from '../../setup/busy.ts';
import { isLongTier } from '../../setup/tier.ts';
import { operatorLine, places, takeReferenceStore, zipLine } from './reference-store.ts';

const store = await takeReferenceStore();

const [ROWS, SECONDS_MAX] = isLongTier ? [50_000, 60] : [10_000, 12];

/** Six operators in each zip. */
const lines = Array.from({ length: ROWS }, (_, index) =>
  zipLine(String(10_000 + Math.floor(index / 6)), `operator-${index % 6}`, '0.16'),
);
const operators = Array.from({ length: 6 }, (_, index) => operatorLine(`operator-${index}`));

test(`${ROWS} rows of zips are taken in in under ${SECONDS_MAX} seconds, and compared in less`, async () => {
  expect(await timed(lines, { inserted: ROWS, changed: 0, equal: 0 })).toBeLessThan(
    SECONDS_MAX * timesLonger(),
  );
  const changed = lines.with(17, zipLine('10002', 'operator-5', '0.15'));
  expect(await timed(changed, { inserted: 0, changed: 1, equal: ROWS - 1 })).toBeLessThan(
    SECONDS_MAX * timesLonger(),
  );
});

async function timed(zip_areas: string[], expected: object): Promise<number> {
  const begunAt = performance.now();
  const report = await store.import({ grid_operators: operators, zip_areas });
  const taken = (performance.now() - begunAt) / 1000;
  expect(places(report)).toEqual([]);
  expect(report.tables[1]).toMatchObject(expected);
  return taken;
}
