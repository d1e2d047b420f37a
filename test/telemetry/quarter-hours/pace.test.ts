import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPace } from '../../../src/telemetry/quarter-hours/pace.ts';
import { createPortion } from '../../../src/telemetry/quarter-hours/portion.ts';

const HOUR = 3_600;

/** How long the rests between pieces were, as multiples of what the piece before had worked. */
async function restsOf(pieces: number, behindSeconds: number): Promise<number[]> {
  const pace = createPace(new AbortController().signal);
  pace.behind(behindSeconds);
  const portion = createPortion({ start: 1, max: 1, pace });
  const rests: number[] = [];
  let last: { worked: number; ended: number } | null = null;
  for (let piece = 0; piece < pieces; piece += 1) {
    await portion.run(async () => {
      const begun = performance.now();
      if (last !== null) rests.push((begun - last.ended) / last.worked);
      await wait(40);
      const ended = performance.now();
      last = { worked: ended - begun, ended };
    });
  }
  return rests;
}

test('before the next piece the sums rest three times as long as the last one worked', async () => {
  for (const rest of await restsOf(4, 0)) expect(rest).toBeGreaterThan(2.9);
});

test('hours behind they rest as long as they worked', async () => {
  for (const rest of await restsOf(4, 4 * HOUR)) expect(rest).toBeGreaterThan(0.9);
});

test('a run that is aborted does not rest to the end', async () => {
  const aborter = new AbortController();
  const pace = createPace(aborter.signal);
  pace.worked(1_000);
  const resting = pace.rest();
  aborter.abort(new Error('this process is about to end'));
  await expect(resting).rejects.toThrow();
});
