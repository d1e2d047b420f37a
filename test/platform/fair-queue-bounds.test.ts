import { expect, test } from 'vitest';
import { type Caller, FairQueue } from '../../src/platform/fair-queue.ts';

/* How much may wait, and what who is over it hears. */

const client = (organization: string, name = 'client'): Caller => ({ path: [organization, name], weight: 1 });

/** Work that ends when it is told to. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

test('over the share of its own caller a request is 429 with the seconds to wait and a sentence, before it waits', async () => {
  const queue = new FairQueue({
    turnsMax: 2,
    bounds: { waitMilliseconds: 10_000, waitingOfCaller: 3 },
  });
  const pieces = Array.from({ length: 5 }, held);
  const outcomes = Promise.allSettled(pieces.map(({ work }) => queue.inTurn(client('a'), work)));
  const refusal = await queue.inTurn(client('a'), async () => 'no').catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    status: 429,
    headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    message: expect.stringMatching(/^Too much of your work waits already: .* Retry after \d+ seconds$/),
  });
  expect(() => queue.admit(client('a'))).toThrow('Too much of your work');
  /* Neither another client of the organization nor another organization hears of it. */
  expect(() => queue.admit(client('a', 'other'))).not.toThrow();
  expect(() => queue.admit(client('b'))).not.toThrow();
  for (const { end } of pieces) end();
  await outcomes;
});

test('batches that wait for a group are no turns: a caller and his organization have as many of those as without them', async () => {
  const queue = new FairQueue({ turnsMax: 2 });
  const batches = queue.line<string>();
  const account = queue.account(client('a'));
  for (let count = 0; count < 200; count += 1) batches.push(account, `batch ${count}`);
  const { work, end } = held();
  const turn = () => queue.inTurn(client('a'), work);
  const outcomes = Promise.allSettled([turn(), ...Array.from({ length: 32 }, turn)]);
  const refusal = await turn().catch((error: unknown) => error);
  /* 32 turns of 10 ms, and not 232. */
  expect(refusal).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
  expect(() => queue.admit(client('a', 'other'))).not.toThrow();
  end();
  expect((await outcomes).every(({ status }) => status === 'fulfilled')).toBe(true);
  expect([batches.sizeOf(account), account.waiting]).toEqual([200, 200]);
  while (batches.take() !== undefined);
  expect([batches.sizeOf(account), account.waiting]).toEqual([0, 0]);
});

test('who waited too long while his own work was done hears 429; who was never served hears 503', async () => {
  const queue = new FairQueue({
    turnsMax: 1,
    bounds: { waitMilliseconds: 30, waitingOfCaller: 9 },
  });
  const slow = held();
  const [first, second, stranger] = [
    queue.inTurn(client('a'), slow.work),
    queue.inTurn(client('a'), async () => 'late'),
    queue.inTurn(client('b'), async () => 'late'),
  ];
  await expect(second).rejects.toMatchObject({ status: 429 });
  await expect(stranger).rejects.toMatchObject({ status: 503 });
  slow.end();
  await first;
  expect(await queue.inTurn(client('b'), async () => 'again')).toBe('again');
});
