import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createPortion } from '../../../src/telemetry/quarter-hours/portion.ts';

function endedAtLimit(code: string): pg.DatabaseError {
  const error = new pg.DatabaseError('ended by the server', 0, 'error');
  error.code = code;
  return error;
}

test.each([
  ['time limit of a statement', '57014'],
  ['time limit of a transaction', '25P04'],
  ['time limit between two statements', '25P03'],
  ['limit of rows that are unpacked from the columnstore', '53400'],
])(
  'a portion that the server ends at its %s is done again with less, at last one by one',
  async (_limit, code) => {
    const portion = createPortion({ start: 500, max: 1_000 });
    const sizes: number[] = [];
    const done = await portion.run(async (size) => {
      sizes.push(size);
      if (size > 1) throw endedAtLimit(code);
      return 'done';
    });
    expect(done).toBe('done');
    expect(sizes).toEqual([500, 62, 7, 1]);
    await expect(portion.run(() => Promise.reject(endedAtLimit(code)))).rejects.toThrow(
      'ended by the server',
    );
  },
);

test('a portion grows while statements are quick, up to its limit, and no other error is swallowed', async () => {
  const portion = createPortion({ start: 300, max: 1_000 });
  const sizes: number[] = [];
  for (let round = 0; round < 4; round += 1) await portion.run(async (size) => sizes.push(size));
  expect(sizes).toEqual([300, 600, 1_000, 1_000]);
  await expect(portion.run(() => Promise.reject(new Error('another')))).rejects.toThrow('another');
});

test('a portion becomes as large as works for a second: twice as large or a quarter of it at most from one to the next', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const sizesAt = async (milliseconds: number) => {
    const portion = createPortion({ start: 400, max: 1_000 });
    const sizes: number[] = [];
    const work = async (size: number) => {
      sizes.push(size);
      now += size * milliseconds;
    };
    for (let round = 0; round < 4; round += 1) await portion.run(work);
    return sizes;
  };
  expect(await sizesAt(1)).toEqual([400, 800, 1_000, 1_000]);
  expect(await sizesAt(5)).toEqual([400, 200, 200, 200]);
  expect(await sizesAt(20)).toEqual([400, 100, 50, 50]);
});
