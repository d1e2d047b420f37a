import { setImmediate as otherWork } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatchedRead, createSharedRead } from '../../../src/platform/database/shared-read.ts';

/** A look begins one turn of the event loop after it was asked for. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await otherWork();
}

/** A source whose looks end when the test says so. */
function openSource() {
  let value = 0;
  const looks: { end(): void; fail(): void }[] = [];
  const read = () => {
    const seen = value;
    return new Promise<number>((resolve, reject) => {
      looks.push({ end: () => resolve(seen), fail: () => reject(new Error(`look ${seen}`)) });
    });
  };
  return { looks, read, change: () => (value += 1) };
}

test('who asks alone is answered by a look of their own, again and again', async () => {
  const shared = createSharedRead<number>();
  const { looks, read, change } = openSource();
  const first = shared('q', read);
  await turns();
  looks[0]?.end();
  expect(await first).toBe(0);
  change();
  const second = shared('q', read);
  await turns();
  looks[1]?.end();
  expect(await second).toBe(1);
});

test('who asks while a look is under way gets a later one, together with all the others', async () => {
  const shared = createSharedRead<number>();
  const { looks, read, change } = openSource();
  const first = shared('q', read);
  await turns();
  change();
  const others = Array.from({ length: 20 }, () => shared('q', read));
  expect(looks.length).toBe(1);
  looks[0]?.end();
  expect(await first).toBe(0);
  await turns();
  expect(looks.length).toBe(2);
  change();
  const third = shared('q', read);
  looks[1]?.end();
  expect(await Promise.all(others)).toEqual(Array(20).fill(1));
  await turns();
  looks[2]?.end();
  expect(await third).toBe(2);
  expect(looks.length).toBe(3);
});

test('a look that fails fails for those who shared it; the next ones look again', async () => {
  const shared = createSharedRead<number>();
  const { looks, read, change } = openSource();
  const first = shared('q', read);
  await turns();
  const second = shared('q', read);
  change();
  looks[0]?.fail();
  await expect(first).rejects.toThrow('look 0');
  await turns();
  looks[1]?.fail();
  await expect(second).rejects.toThrow('look 1');
  const third = shared('q', read);
  await turns();
  looks[2]?.end();
  expect(await third).toBe(1);
});

test('other questions do not wait', async () => {
  const shared = createSharedRead<number>();
  const { looks, read } = openSource();
  const first = shared('one', read);
  const second = shared('two', read);
  await turns();
  looks[1]?.end();
  expect(await second).toBe(0);
  looks[0]?.end();
  expect(await first).toBe(0);
});

test('who asks in the same turn of the event loop shares the first look, which begins behind all of them', async () => {
  const shared = createSharedRead<number>();
  const { looks, read, change } = openSource();
  const together = [shared('q', read), shared('q', read), Promise.resolve().then(() => shared('q', read))];
  change();
  await turns();
  expect(looks.length).toBe(1);
  looks[0]?.end();
  expect(await Promise.all(together)).toEqual([1, 1, 1]);
});

test('different questions that come together are one look, and those that come meanwhile the next one', async () => {
  const looks: { group: string; questions: readonly number[]; end(): void; fail(): void }[] = [];
  const ask = createBatchedRead<number, string>((group, questions) => {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    const end = () => resolve(questions.map((question) => `${group}${question}`));
    looks.push({ group, questions, end, fail: () => reject(new Error(`look of ${group}`)) });
    return promise;
  });
  const first = [1, 2, 3].map((question) => ask('a', question));
  const foreign = ask('b', 1);
  await turns();
  const later = Array.from({ length: 60 }, (_, index) => ask('a', 100 + index));
  expect(looks.map(({ group, questions }) => [group, questions])).toEqual([
    ['a', [1, 2, 3]],
    ['b', [1]],
  ]);
  looks[1]?.end();
  expect(await foreign).toBe('b1');
  looks[0]?.end();
  expect(await Promise.all(first)).toEqual(['a1', 'a2', 'a3']);
  await turns();
  /* Fifty at most: the rest follows. */
  expect(looks[2]?.questions).toHaveLength(50);
  looks[2]?.fail();
  expect(await Promise.allSettled(later.slice(0, 50))).toEqual(
    Array.from({ length: 50 }, () => ({ status: 'rejected', reason: new Error('look of a') })),
  );
  await turns();
  looks[3]?.end();
  expect(await Promise.all(later.slice(50))).toEqual(
    Array.from({ length: 10 }, (_, index) => `a${150 + index}`),
  );
  await turns();
  const again = ask('a', 7);
  await turns();
  looks[4]?.end();
  expect(await again).toBe('a7');
});
