import pg from 'pg';
import { expect, test } from 'vitest';
import { createPortion } from '../../../src/telemetry/quarter-hours/portion.ts';

function endedAtLimit(): pg.DatabaseError {
  const error = new pg.DatabaseError('canceling statement due to statement timeout', 0, 'error');
  error.code = '57014';
  return error;
}

test('a portion that the server ends at its time limit is done again with less, at last one by one', async () => {
  const portion = createPortion({ start: 500, max: 1_000 });
  const sizes: number[] = [];
  const done = await portion.run(async (size) => {
    sizes.push(size);
    if (size > 1) throw endedAtLimit();
    return 'done';
  });
  expect(done).toBe('done');
  expect(sizes).toEqual([500, 62, 7, 1]);
  await expect(portion.run(() => Promise.reject(endedAtLimit()))).rejects.toThrow('statement timeout');
});

test('a portion grows while statements are quick, up to its limit, and no other error is swallowed', async () => {
  const portion = createPortion({ start: 300, max: 1_000 });
  const sizes: number[] = [];
  for (let round = 0; round < 4; round += 1) await portion.run(async (size) => sizes.push(size));
  expect(sizes).toEqual([300, 600, 1_000, 1_000]);
  await expect(portion.run(() => Promise.reject(new Error('another')))).rejects.toThrow('another');
});
