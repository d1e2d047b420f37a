import { expect, test } from 'vitest';
import { createTimeBudgets } from '../../../src/platform/rate-limit/time-budgets.ts';

/** Time passes where somebody sleeps or works. */
function fakeTime() {
  let now = 0;
  return {
    nowMilliseconds: () => now,
    sleep: async (milliseconds: number) => {
      now += milliseconds;
    },
    work: (milliseconds: number) => async () => {
      now += milliseconds;
      return now;
    },
  };
}

test('who asks now and then never waits', async () => {
  const time = fakeTime();
  const budgets = createTimeBudgets(time);
  for (let count = 0; count < 100; count += 1) {
    const before = time.nowMilliseconds();
    await budgets.inTurn('a', time.work(200));
    expect(time.nowMilliseconds() - before).toBe(200);
    await time.sleep(800);
  }
});

test('one organization takes a quarter of the time in the long run, after a second at once', async () => {
  const time = fakeTime();
  const budgets = createTimeBudgets(time);
  for (let count = 0; count < 100; count += 1) await budgets.inTurn('a', time.work(100));
  /* 10 s of work: the first second and a little is free, the rest is paid back at four times of it. */
  expect(time.nowMilliseconds()).toBeGreaterThan(35_000);
  expect(time.nowMilliseconds()).toBeLessThan(40_000);
});

test('its requests are worked on one after the other, and another organization waits for none of them', async () => {
  const budgets = createTimeBudgets();
  let atWork = 0;
  let most = 0;
  const work = async () => {
    atWork += 1;
    most = Math.max(most, atWork);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atWork -= 1;
  };
  await Promise.all(Array.from({ length: 10 }, () => budgets.inTurn('a', work)));
  expect(most).toBe(1);
  let end = () => {};
  const slow = budgets.inTurn(
    'a',
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  await expect(budgets.inTurn('b', async () => 'done')).resolves.toBe('done');
  end();
  await slow;
});

test('the 65th that waits is turned away, with 503; a failure ends its turn', async () => {
  const time = fakeTime();
  const budgets = createTimeBudgets(time);
  const asked = Array.from({ length: 65 }, (_, index) =>
    budgets.inTurn('a', async () => {
      if (index === 0) throw new Error('no');
      return index;
    }),
  );
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.slice(1, 64).map((one) => one.status)).toEqual(Array(63).fill('fulfilled'));
  expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: { message: 'no' } });
  expect(outcomes[64]).toMatchObject({ status: 'rejected', reason: { status: 503 } });
});

test('who has waited for ten seconds is told, and no work is done for nobody', async () => {
  const time = fakeTime();
  const budgets = createTimeBudgets(time);
  const slow = budgets.inTurn('a', time.work(10_001));
  let isDone = false;
  const late = budgets.inTurn('a', async () => {
    isDone = true;
  });
  await slow;
  await expect(late).rejects.toMatchObject({ status: 503 });
  expect(isDone).toBe(false);
});

test('work that waits for nothing lets what others have sent come between', async () => {
  const budgets = createTimeBudgets(fakeTime());
  let turnsOfLoop = 0;
  const count = () => {
    turnsOfLoop += 1;
    if (turnsOfLoop < 1_000) setImmediate(count);
  };
  setImmediate(count);
  const seen = await Promise.all(
    Array.from({ length: 5 }, () => budgets.inTurn('a', async () => turnsOfLoop)),
  );
  expect(new Set(seen).size).toBe(5);
});
