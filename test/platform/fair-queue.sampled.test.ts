import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { breathe, type Caller, countAsWaiting, FairQueue, ownPiece } from '../../src/platform/fair-queue.ts';
import { runs } from '../setup/tier.ts';

const client = (organization: string, name = 'client', weight = 1): Caller => ({
  path: [organization, name],
  weight,
});
const customer = (organization: string, name: string): Caller => ({
  path: [organization, 'consumers', name],
  weight: 1,
});

/** Time passes where somebody computes or waits. */
let now = 0;
const nowMilliseconds = () => now;
function compute(milliseconds: number): void {
  now += milliseconds;
}

/** Work that ends when it is told to, with the order in which pieces were begun. */
function held(begun: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = () => {
    begun.push(name);
    return promise;
  };
  return { work, end: resolve };
}

test('two to four turns are under way at a time, and one organization leaves one of them to the others', async () => {
  const queue = new FairQueue({ nowMilliseconds, turnsMax: 4 });
  const begun: string[] = [];
  const pieces = Array.from({ length: 6 }, (_, index) => held(begun, `a${index}`));
  const done = pieces.map(({ work }, index) => queue.inTurn(client('a', `client ${index}`), work));
  expect(begun).toEqual(['a0', 'a1', 'a2']);
  const other = held(begun, 'b');
  const others = queue.inTurn(client('b'), other.work);
  expect(begun.at(-1)).toBe('b');
  for (const { end } of [...pieces, other]) end();
  await Promise.all([...done, others]);
  expect(begun.length).toBe(7);
});

test('one client leaves a turn of its organization to the other clients of it, and one customer to the other customers', async () => {
  const queue = new FairQueue({ nowMilliseconds, turnsMax: 4 });
  const begun: string[] = [];
  const pieces = [
    ...Array.from({ length: 5 }, (_, index) => ({
      caller: customer('a', 'greedy'),
      ...held(begun, `greedy ${index}`),
    })),
    { caller: customer('a', 'other'), ...held(begun, 'other customer') },
    { caller: client('a', 'own'), ...held(begun, 'own client') },
  ];
  const done = pieces.map(({ caller, work }) => queue.inTurn(caller, work));
  expect(begun).toEqual(['greedy 0', 'other customer', 'own client']);
  for (const { end } of pieces) end();
  await Promise.all(done);
});

test('what is short is never behind the long work of the same caller', async () => {
  const queue = new FairQueue({ nowMilliseconds, turnsMax: 4 });
  const begun: string[] = [];
  const longs = Array.from({ length: 5 }, (_, index) => held(begun, `long ${index}`));
  const done = longs.map(({ work }) => queue.inTurn(client('a'), work));
  expect(begun).toEqual(['long 0', 'long 1']);
  const shorts = Array.from({ length: 2 }, (_, index) => held(begun, `short ${index}`));
  for (const { work } of shorts) done.push(queue.inTurn(client('a'), work, { length: 'short' }));
  /* At once in the turn that is kept for it, and then as the first of those who wait. */
  expect(begun).toEqual(['long 0', 'long 1', 'short 0']);
  shorts[0]?.end();
  await expect.poll(() => begun.length).toBe(4);
  expect(begun.at(-1)).toBe('short 1');
  for (const { end } of [...longs, ...shorts]) end();
  await Promise.all(done);
});

test('of those who wait the organization comes next that has spent least, whatever its number of requests', async () => {
  const queue = new FairQueue({ nowMilliseconds, turnsMax: 1 });
  const order: string[] = [];
  const work = (name: string, milliseconds: number) => async () => {
    order.push(name);
    compute(milliseconds);
  };
  const done: Promise<void>[] = [];
  const begin = (name: string, milliseconds: number) =>
    done.push(queue.inTurn(client(name), work(name, milliseconds)));
  for (let count = 0; count < 8; count += 1) begin('costly', 12);
  for (let count = 0; count < 8; count += 1) begin('cheap', 3);
  await Promise.all(done);
  /* Four cheap ones cost as much as a costly one. */
  expect(order.indexOf('cheap')).toBe(1);
  expect(order.slice(0, 8).filter((name) => name === 'cheap').length).toBeGreaterThanOrEqual(5);
});

test('a client with twice the rate gets twice as much of what its organization gets', async () => {
  const queue = new FairQueue({ nowMilliseconds, turnsMax: 1, bounds: null });
  const served = { slow: 0, fast: 0 };
  const work = (name: 'slow' | 'fast') => async () => {
    served[name] += 1;
    compute(2);
  };
  const done = [];
  let isFirstDone = Promise.resolve();
  for (let count = 0; count < 40; count += 1) {
    isFirstDone = queue.inTurn(client('a', 'fast', 100), work('fast'));
    done.push(isFirstDone, queue.inTurn(client('a', 'slow', 50), work('slow')));
  }
  await isFirstDone;
  expect(served.fast).toBe(40);
  expect(served.slow).toBeGreaterThan(14);
  expect(served.slow).toBeLessThan(28);
  await Promise.all(done);
});

test('what was waited for is not charged, and what was computed is', async () => {
  const queue = new FairQueue({ nowMilliseconds, turnsMax: 1, bounds: null });
  const order: string[] = [];
  const patient = async () => {
    order.push('patient');
    await nextTurnOfLoop();
    compute(20);
    countAsWaiting(20);
  };
  const busy = async () => {
    order.push('busy');
    compute(8);
  };
  const done: Promise<void>[] = [];
  for (let count = 0; count < 6; count += 1) {
    done.push(queue.inTurn(client('busy'), busy));
    done.push(queue.inTurn(client('patient'), patient));
  }
  await Promise.all(done);
  expect(order.slice(0, 8).filter((name) => name === 'patient').length).toBeGreaterThanOrEqual(5);
});

test('nobody works for a caller who has left, and work that fails gives its turn on', async () => {
  const queue = new FairQueue({ nowMilliseconds, turnsMax: 1 });
  const failing = queue.inTurn(client('a'), () => Promise.reject(new Error('no')));
  let isDone = false;
  const left = queue.inTurn(
    client('a'),
    async () => {
      isDone = true;
    },
    { isGone: () => true },
  );
  const next = queue.inTurn(client('b'), async () => 'yes');
  await expect(failing).rejects.toThrow('no');
  await expect(left).rejects.toMatchObject({ status: 503 });
  expect(isDone).toBe(false);
  expect(await next).toBe('yes');
});

test('long work gives the event loop to others every few milliseconds, one piece in a turn of it', async () => {
  const queue = new FairQueue({ nowMilliseconds, turnsMax: 4 });
  let stepsOfLoop = 0;
  const long = async () => {
    for (let step = 0; step < 40; step += 1) {
      compute(1);
      stepsOfLoop += 1;
      await breathe();
    }
  };
  let isOver = false;
  const begun = nextTurnOfLoop();
  const works = Promise.all([queue.inTurn(client('a'), long), queue.inTurn(client('b'), long)]).then(() => {
    isOver = true;
  });
  await begun;
  const most: number[] = [];
  while (!isOver) {
    stepsOfLoop = 0;
    await nextTurnOfLoop();
    most.push(stepsOfLoop);
  }
  await works;
  expect(Math.max(...most)).toBe(8);
});

test('work that nothing can interrupt is alone in its turn of the event loop', async () => {
  const queue = new FairQueue({ nowMilliseconds, turnsMax: 4 });
  let [loop, isOver] = [0, false];
  const loops: number[] = [];
  const parse = async () => {
    await ownPiece();
    loops.push(loop);
  };
  const done = Promise.all(['a', 'b', 'c'].map((name) => queue.inTurn(client(name), parse)));
  void done.then(() => {
    isOver = true;
  });
  for (; !isOver; loop += 1) await nextTurnOfLoop();
  expect(new Set(loops).size).toBe(3);
  expect(ownPiece()).toBeUndefined();
});

test('after a piece that nothing could interrupt others get as much time before the next one', async () => {
  const queue = new FairQueue({ nowMilliseconds, turnsMax: 4 });
  const begun: number[] = [];
  const parse = async () => {
    await ownPiece();
    begun.push(now);
    compute(40);
  };
  let isOver = false;
  const done = Promise.all(['a', 'b', 'c'].map((name) => queue.inTurn(client(name), parse)));
  void done.then(() => {
    isOver = true;
  });
  /* A small body does not rest: it is looked at in the next turn of the event loop. */
  const waits: number[] = [];
  for (; !isOver; compute(1)) {
    const since = now;
    await queue.whenLooked(client('small'), 100);
    if (begun.length > 0) waits.push(now - since);
    await nextTurnOfLoop();
  }
  const pauses = begun.slice(1).map((at, index) => at - ((begun[index] ?? 0) + 40));
  expect(pauses.every((pause) => pause >= 40)).toBe(true);
  expect(waits.filter((wait) => wait > 0).length).toBeLessThanOrEqual(3);
  expect(waits.length).toBeGreaterThan(60);
});

test('a process that stood still in a piece rests a moment, not as long again', async () => {
  const queue = new FairQueue({ nowMilliseconds, turnsMax: 4 });
  const begun: number[] = [];
  const stopped = async () => {
    await ownPiece();
    begun.push(now);
    compute(10_000);
  };
  let isOver = false;
  const done = Promise.all(['a', 'b'].map((name) => queue.inTurn(client(name), stopped)));
  void done.then(() => {
    isOver = true;
  });
  await expect.poll(() => begun.length).toBe(1);
  for (let turn = 0; turn < 3; turn += 1) await nextTurnOfLoop();
  compute(200);
  await expect.poll(() => isOver).toBe(true);
});

test('outside of a turn nothing is waited for, and what a turn has begun may outlive it', async () => {
  const queue = new FairQueue({ nowMilliseconds, turnsMax: 1 });
  compute(20);
  expect(breathe()).toBeUndefined();
  let later = Promise.resolve<unknown>(undefined);
  await queue.inTurn(client('a'), async () => {
    later = nextTurnOfLoop().then(() => queue.inTurn(client('a'), async () => 'a turn of its own'));
  });
  expect(await later).toBe('a turn of its own');
  /* Inside of a turn there is no second one to wait for. */
  expect(await queue.inTurn(client('a'), () => queue.inTurn(client('a'), async () => 'inside'))).toBe(
    'inside',
  );
});

test('bodies that arrive together are looked at so many bytes a turn of the loop, and organizations take turns', async () => {
  const queue = new FairQueue({ nowMilliseconds });
  const order: string[] = [];
  const arrive = (name: string, bytes: number) => {
    const looked = queue.whenLooked(client(name), bytes);
    if (looked === undefined) order.push(name);
    else void looked.then(() => order.push(name));
  };
  arrive('a', 1_500_000);
  expect(order).toEqual(['a']);
  for (let count = 0; count < 3; count += 1) arrive('a', 1_500_000);
  queue.charge(queue.account(client('a')), 5);
  arrive('b', 100);
  expect(order).toEqual(['a']);
  await expect.poll(() => order.length).toBe(5);
  expect(order).toEqual(['a', 'b', 'a', 'a', 'a']);
});

test('an overload comes from the organization that spent most lately: it is turned away first, the others are served', () => {
  const queue = new FairQueue({ nowMilliseconds });
  const [greedy, other, third] = [client('greedy'), client('other'), client('third')];
  expect(queue.causesOverload(other)).toBe(true);
  queue.charge(queue.account(greedy), 900);
  queue.charge(queue.account(other), 100);
  expect([greedy, other, third].map((caller) => queue.causesOverload(caller))).toEqual([true, false, false]);
});

test('one that comes back after a while saves nothing up, and owes little', async () => {
  const queue = new FairQueue({ nowMilliseconds, turnsMax: 1, bounds: null });
  /* An hour of small batches, while nobody wanted a turn. */
  queue.charge(queue.account(client('busy')), 3_600_000);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(name);
    compute(1);
  };
  const done = ['first', 'busy', 'new', 'busy'].map((name) => queue.inTurn(client(name), work(name)));
  await Promise.all(done);
  expect(order).toEqual(['first', 'new', 'busy', 'busy']);
  const account = queue.account(client('busy'));
  expect(account.parent?.spent).toBeLessThan(2_100 + (queue.account(client('new')).parent?.spent ?? 0));
});

test('customers who come once each do not fill the memory', async () => {
  const queue = new FairQueue({ nowMilliseconds });
  const turn = (name: string) => queue.inTurn(customer('a', name), async () => compute(5));
  for (let count = 0; count < 6_000; count += 1) await turn(`customer ${count}`);
  expect(queue.account(customer('a', 'last')).parent?.children.size).toBeLessThan(3_000);
});

test('everything that waits is served once, in the order of its caller, whoever comes and goes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          organization: fc.constantFrom('a', 'b', 'c'),
          name: fc.constantFrom('x', 'y', 'consumers'),
          cost: fc.integer({ min: 0, max: 3 }),
        }),
        { maxLength: 40 },
      ),
      fc.integer({ min: 1, max: 4 }),
      async (requests, turnsMax) => {
        const queue = new FairQueue({ nowMilliseconds, turnsMax, bounds: null });
        let [underWay, most] = [0, 0];
        const order: { key: string; index: number }[] = [];
        const done = requests.map(({ organization, name, cost }, index) =>
          queue.inTurn(
            name === 'consumers' ? customer(organization, `${index % 2}`) : client(organization, name),
            async () => {
              underWay += 1;
              most = Math.max(most, underWay);
              order.push({ key: `${organization} ${name} ${name === 'consumers' ? index % 2 : ''}`, index });
              for (let count = 0; count < cost; count += 1) await nextTurnOfLoop();
              underWay -= 1;
            },
          ),
        );
        await Promise.all(done);
        expect(most).toBeLessThanOrEqual(turnsMax);
        expect(order.map(({ index }) => index).sort((a, b) => a - b)).toEqual(
          requests.map((_, index) => index),
        );
        for (const key of new Set(order.map((entry) => entry.key))) {
          const own = order.filter((entry) => entry.key === key).map(({ index }) => index);
          expect(own).toEqual(own.toSorted((a, b) => a - b));
        }
        const accounts = ['a', 'b', 'c'].map((name) => queue.account(client(name, 'x')).parent);
        expect(accounts.every((account) => account?.waiting === 0 && account.running === 0)).toBe(true);
      },
    ),
    { numRuns: runs(50) },
  );
});
