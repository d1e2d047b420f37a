import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  acceptReduction,
  endReduction,
  type ReductionDates,
  rejectReduction,
  setReductionDates,
} from '../../../src/contracts/grid-fee-reductions/move.ts';
import {
  rejectSubscription,
  setDates as setSupply,
} from '../../../src/contracts/subscriptions/back-office.ts';
import { sqlFolder } from '../../../src/platform/database/migration-files.ts';
import { berlinMidnight, type CalendarDay } from '../../../src/platform/time/berlin-calendar.ts';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/api.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { LifecycleWorker } from '../subscriptions/lifecycle-worker.ts';
import { type Contract, moduleType, Reductions } from './reductions.ts';

/* Which modules of a contract may hold on one day (BK8-22/010-A). */

const NOW = '2026-11-23T08:30:00.000Z';
const TODAY = berlinMidnight('2026-11-23');

let reductions: Reductions;
beforeAll(async () => {
  reductions = await Reductions.start(NOW);
});
afterAll(() => reductions?.close());

const act = () => reductions.act('grid-fee-reductions');
const parts = () => [reductions.api.deps, reductions.organization] as const;
const accept = (id: string, valid_from: CalendarDay) =>
  acceptReduction(...parts(), id, { valid_from }, act());
const end = (id: string, valid_until: CalendarDay) => endReduction(...parts(), id, { valid_until }, act());
const reject = (id: string) => rejectReduction(...parts(), id, act());
const setDates = (id: string, dates: ReductionDates) => setReductionDates(...parts(), id, dates, act());

async function ordered(contract: Contract, module: 1 | 2 | 3): Promise<string> {
  const answer = await reductions.order(contract, moduleType(module));
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.id;
}

async function accepted(contract: Contract, module: 1 | 2 | 3, from: CalendarDay): Promise<string> {
  const id = await ordered(contract, module);
  await accept(id, from);
  return id;
}

/** In force from one day up to another one. */
async function over(contract: Contract, module: 1 | 2 | 3, from: CalendarDay, until: CalendarDay) {
  const id = await accepted(contract, module, from);
  await end(id, until);
  return id;
}

async function stateOf(id: string) {
  const { status, valid_from, valid_until } = await reductions.row(id);
  return [status, valid_from, valid_until];
}

/** Refused with one sentence that names the other row; nothing is changed. */
async function expectRefused(id: string, field: string, message: unknown, work: () => Promise<unknown>) {
  const before = await reductions.row(id);
  await expect(work()).rejects.toMatchObject({
    status: 409,
    entries: [{ code: 'custom', field, message }],
  });
  expect(await reductions.row(id)).toEqual(before);
}

const midnight = berlinMidnight;
const ended = (from: CalendarDay, until: CalendarDay) => ['ended', midnight(from), midnight(until)];

const terminatedTo = (end_at: string) =>
  reductions.active({ terminated_at: midnight('2026-05-01'), termination_reason: 'ORDINARY', end_at });

const PAIRS = [
  [1, 1],
  [2, 2],
  [2, 1],
  [1, 2],
] as const;
/** By `npm test` the same module again, and another one. */
describe.each(sampled(PAIRS, 2))('module %i and then module %i', (first, second) => {
  test('are not accepted for one day', async () => {
    const contract = await reductions.active();
    const other = await over(contract, first, '2026-03-01', '2026-11-01');
    const id = await ordered(contract, second);
    const described = `${moduleType(first)} ended from ${midnight('2026-03-01')} until ${midnight('2026-11-01')}`;
    for (const day of ['2026-02-01', '2026-03-01', '2026-10-31']) {
      const message = `It cannot hold on days of ${other}, ${described}`;
      await expectRefused(id, 'valid_from', message, () => accept(id, day));
    }
    expect((await accept(id, '2026-11-01')).status).toBe('activated');
  });

  test('are not moved onto one day', async () => {
    const contract = await reductions.active();
    const other = await over(contract, first, '2026-03-01', '2026-09-01');
    const id = await over(contract, second, '2026-10-01', '2026-11-01');
    const named = (module: string) => expect.stringContaining(`It cannot hold on days of ${module}, `);
    await expectRefused(id, 'valid_from', named(other), () => setDates(id, { valid_from: '2026-08-31' }));
    await expectRefused(other, 'valid_until', named(id), () =>
      setDates(other, { valid_until: '2026-10-02' }),
    );
    await setDates(id, { valid_from: '2026-09-01' });
    expect(await stateOf(id)).toEqual(['ended', midnight('2026-09-01'), midnight('2026-11-01')]);
  });
});

test('one that never held stands in the way of none', async () => {
  const contract = await reductions.active();
  await over(contract, 1, '2026-03-01', '2026-03-01');
  const state = await stateOf(await accepted(contract, 2, '2026-01-01'));
  expect(state).toEqual(['activated', midnight('2026-01-01'), null]);
});

describe('module 3', () => {
  async function both(): Promise<{ contract: Contract; module1: string; module3: string }> {
    const contract = await reductions.active();
    const module1 = await ordered(contract, 1);
    return { contract, module1, module3: await ordered(contract, 3) };
  }

  test('is not accepted before module 1, nor for a day before its first', async () => {
    const { module1, module3 } = await both();
    const waits = `Module 3 holds only on days of module 1: ${module1} is ${moduleType(1)} ordered`;
    await expectRefused(module3, 'valid_from', waits, () => accept(module3, '2026-06-01'));
    await accept(module1, '2026-05-01');
    const since = `Module 3 holds only on days of module 1: ${module1} is ${moduleType(1)} activated from ${midnight('2026-05-01')}`;
    await expectRefused(module3, 'valid_from', since, () => accept(module3, '2026-04-30'));
    expect((await accept(module3, '2026-05-01')).status).toBe('activated');
  });

  test('holds over two periods of module 1 that follow each other, and not over a gap', async () => {
    const contract = await reductions.active();
    await over(contract, 1, '2026-01-01', '2026-03-01');
    const module1 = await accepted(contract, 1, '2026-03-01');
    const module3 = await accepted(contract, 3, '2026-02-01');
    expect(await stateOf(module3)).toEqual(['activated', midnight('2026-02-01'), null]);
    await expectRefused(module1, 'valid_from', expect.stringContaining(module3), async () => {
      await setDates(module3, { valid_from: '2026-03-01' });
      await setDates(module1, { valid_from: '2026-03-02' });
    });
  });

  test.each([
    ['2026-09-01', ['ended', midnight('2026-06-01'), midnight('2026-09-01')]],
    ['2026-05-15', ['ended', midnight('2026-06-01'), midnight('2026-06-01')]],
  ])('in force from June on ends with module 1 on %s', async (day, state) => {
    const { module1, module3 } = await both();
    await accept(module1, '2026-05-01');
    await accept(module3, '2026-06-01');
    await end(module1, day);
    expect(await stateOf(module3)).toEqual(state);
    const lines = await auditRows(reductions.api, reductions.organization, 'grid_fee_reduction.end');
    expect(lines.filter(({ object_id }) => object_id === module3)).toEqual([
      expect.objectContaining({ staff: 'ada', reason: 'ticket 17', result: 'done' }),
    ]);
  });

  test('that ended later than module 1 is told to have, ends with it all the same', async () => {
    const { module1, module3 } = await both();
    await accept(module1, '2026-05-01');
    await accept(module3, '2026-06-01');
    await end(module3, '2026-10-15');
    await end(module1, '2026-10-01');
    expect(await stateOf(module3)).toEqual(['ended', midnight('2026-06-01'), midnight('2026-10-01')]);
    await setDates(module1, { valid_until: '2026-09-01' });
    expect(await stateOf(module3)).toEqual(['ended', midnight('2026-06-01'), midnight('2026-09-01')]);
  });

  test('that ended before stays as it is', async () => {
    const { module1, module3 } = await both();
    await accept(module1, '2026-05-01');
    await accept(module3, '2026-06-01');
    await end(module3, '2026-07-01');
    const before = await reductions.row(module3);
    await end(module1, '2026-10-01');
    expect(await reductions.row(module3)).toEqual(before);
  });

  test('that waits ends on the day on which module 1 ends', async () => {
    const { module1, module3 } = await both();
    await accept(module1, '2026-05-01');
    await end(module1, '2026-10-01');
    expect(await stateOf(module3)).toEqual(['ended', null, midnight('2026-10-01')]);
  });

  test('that waits beside a new module 1 goes on waiting when the days of the old one are corrected', async () => {
    const contract = await reductions.active();
    const old = await over(contract, 1, '2026-01-01', '2026-03-01');
    const module1 = await accepted(contract, 1, '2026-04-01');
    const module3 = await ordered(contract, 3);
    await setDates(old, { valid_until: '2026-03-05' });
    expect(await stateOf(module3)).toEqual(['ordered', null, null]);
    await end(module1, '2026-10-01');
    expect(await stateOf(module3)).toEqual(['ended', null, midnight('2026-10-01')]);
  });

  test('that waits ends on the day on which module 1 is refused, and can be ordered with another one', async () => {
    const { contract, module1, module3 } = await both();
    await reject(module1);
    expect(await stateOf(module1)).toEqual(['rejected', null, null]);
    expect(await stateOf(module3)).toEqual(['ended', null, TODAY]);
    await ordered(contract, 1);
    await ordered(contract, 3);
  });

  test('ends with the contract as module 1 does, whatever days they have', async () => {
    const end_at = midnight('2026-11-20');
    const contract = await terminatedTo(end_at);
    const module1 = await accepted(contract, 1, '2026-05-01');
    const module3 = await accepted(contract, 3, '2026-06-01');
    await new LifecycleWorker(reductions.contracts).run(NOW);
    expect([await stateOf(module1), await stateOf(module3)]).toEqual([
      ['ended', midnight('2026-05-01'), end_at],
      ['ended', midnight('2026-06-01'), end_at],
    ]);
    await expectRefused(module1, 'valid_until', `It must not lie behind the end of supply, ${end_at}`, () =>
      setDates(module1, { valid_until: '2026-11-21' }),
    );
    await setDates(module1, { valid_until: '2026-11-10' });
    expect(await stateOf(module3)).toEqual(['ended', midnight('2026-06-01'), midnight('2026-11-10')]);
  });
});

describe('set-dates', () => {
  const run = (...args: string[]) =>
    runCommand(
      testEnvironment(reductions.api.database, 'redis://127.0.0.1:1'),
      ...['grid-fee-reductions', 'set-dates', ...args],
      ...['--organization', reductions.organization, '--reason', 'ticket 17', '--staff', 'ada'],
    );

  test('corrects days at the command line, with an audit line; the status stays', async () => {
    const contract = await reductions.active();
    const id = await accepted(contract, 1, '2026-05-01');
    expect(await run(id, '--valid-from', '2026-04-01')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await stateOf(id)).toEqual(['activated', midnight('2026-04-01'), null]);
    const lines = await auditRows(reductions.api, reductions.organization, 'grid_fee_reduction.set_dates');
    expect(lines.filter(({ object_id }) => object_id === id)).toEqual([
      expect.objectContaining({ staff: 'ada', reason: 'ticket 17', route: 'grid-fee-reductions set-dates' }),
    ]);
    expect(await run(id)).toMatchObject({
      exitCode: 1,
      stderr: 'Give --valid-from, --valid-until or both\n',
    });
  });

  test.each([
    [{ valid_from: '2026-11-02' }, 'valid_from', `It must not lie behind the end, ${midnight('2026-11-01')}`],
    [
      { valid_until: '2026-04-30' },
      'valid_until',
      `It must not lie before the beginning, ${midnight('2026-05-01')}`,
    ],
    [
      { valid_until: '2026-11-24' },
      'valid_until',
      'The day lies in the future: end the reduction when it has come',
    ],
    [{ valid_from: '2019-01-01' }, 'valid_from', expect.stringContaining('before the start of supply')],
  ])('%j is refused', async (dates, field, message) => {
    const id = await over(await reductions.active(), 1, '2026-05-01', '2026-11-01');
    await expectRefused(id, field, message, () => setDates(id, dates));
  });

  test('what has not begun, or not ended, has no such day', async () => {
    const contract = await reductions.active();
    const id = await ordered(contract, 1);
    const states = 'Only what is activated or ended can be given other days; this reduction is ordered';
    await expectRefused(id, 'status', states, () => setDates(id, { valid_from: '2026-05-01' }));
    await accept(id, '2026-05-01');
    const open = 'It has not ended: end it first';
    await expectRefused(id, 'valid_until', open, () => setDates(id, { valid_until: '2026-06-01' }));
  });

  test('gives one that ended with its contract the days that were accepted later; it stays ended', async () => {
    const end_at = midnight('2026-11-20');
    const contract = await terminatedTo(end_at);
    const [module1, module3] = [await ordered(contract, 1), await ordered(contract, 3)];
    await new LifecycleWorker(reductions.contracts).run(NOW);
    expect(await stateOf(module1)).toEqual(['ended', null, end_at]);
    const alone = expect.stringContaining('Module 3 holds only on days of module 1');
    await expectRefused(module3, 'valid_from', alone, () => setDates(module3, { valid_from: '2026-05-01' }));
    const late = `It must hold before the end of supply, ${end_at}`;
    await expectRefused(module1, 'valid_from', late, () => setDates(module1, { valid_from: '2026-11-20' }));
    const unbegun = 'It has not begun: its end needs the beginning, too';
    await expectRefused(module1, 'valid_from', unbegun, () =>
      setDates(module1, { valid_until: '2026-11-01' }),
    );
    expect(await run(module1, '--valid-from', '2026-02-01')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await stateOf(module1)).toEqual(['ended', midnight('2026-02-01'), end_at]);
    const noted = 'SELECT bills_changed_from::text AS day FROM subscriptions WHERE id = $1';
    expect(await storedRows(reductions.api, noted, [contract.id])).toEqual([{ day: '2026-02-01' }]);
    await setDates(module3, { valid_from: '2026-05-01', valid_until: '2026-11-01' });
    expect(await stateOf(module3)).toEqual(['ended', midnight('2026-05-01'), midnight('2026-11-01')]);
  });

  test('of an ended contract, twice, leaves each reduction its own end, and takes the others along', async () => {
    const contract = await terminatedTo(midnight('2026-06-01'));
    const own = await over(contract, 2, '2026-01-01', '2026-04-01');
    const other = await accepted(contract, 1, '2026-04-01');
    await new LifecycleWorker(reductions.contracts).run(NOW);
    const states = async () => [await stateOf(own), await stateOf(other)];
    await setSupply(...parts(), contract.id, { end_on: '2026-03-01' }, act());
    expect(await states()).toEqual([ended('2026-01-01', '2026-03-01'), ended('2026-04-01', '2026-04-01')]);
    await setSupply(...parts(), contract.id, { end_on: '2026-05-01' }, act());
    expect(await states()).toEqual([ended('2026-01-01', '2026-04-01'), ended('2026-04-01', '2026-05-01')]);
    await setDates(other, { valid_from: '2026-04-10', valid_until: '2026-04-20' });
    await setSupply(...parts(), contract.id, { end_on: '2026-05-10' }, act());
    expect(await states()).toEqual([ended('2026-01-01', '2026-04-01'), ended('2026-04-10', '2026-04-20')]);
  });

  test('of one that ended with its contract are its own where they are given, also on the same day', async () => {
    const contract = await terminatedTo(midnight('2026-11-01'));
    const id = await accepted(contract, 2, '2026-03-01');
    await new LifecycleWorker(reductions.contracts).run(NOW);
    const until = (day: CalendarDay) => ['ended', midnight('2026-03-01'), midnight(day)];
    expect(await stateOf(id)).toEqual(until('2026-11-01'));
    await setDates(id, { valid_until: '2026-11-01' });
    await setSupply(...parts(), contract.id, { end_on: '2026-11-15' }, act());
    expect(await stateOf(id)).toEqual(until('2026-11-01'));
    await setSupply(...parts(), contract.id, { end_on: '2026-10-15' }, act());
    await end(id, '2026-11-01');
    await setDates(id, { valid_until: '2026-11-01' });
    expect(await stateOf(id)).toEqual(until('2026-10-15'));
    const lines = await auditRows(reductions.api, reductions.organization, 'grid_fee_reduction.');
    const results = lines.filter(({ object_id }) => object_id === id).map(({ result }) => result);
    expect(results).toEqual(['done', 'done', 'done', 'unchanged', 'unchanged']);
  });

  test('of module 1 are those of module 3, too, where its end is given on the same day', async () => {
    const moved = async (dates: ReductionDates) => {
      const contract = await terminatedTo(midnight('2026-11-01'));
      const module1 = await accepted(contract, 1, '2026-03-01');
      const module3 = await accepted(contract, 3, '2026-05-01');
      await new LifecycleWorker(reductions.contracts).run(NOW);
      await setDates(module1, dates);
      await setSupply(...parts(), contract.id, { end_on: '2026-11-15' }, act());
      await setDates(module3, { valid_from: '2026-06-01' });
      await setSupply(...parts(), contract.id, { end_on: '2026-11-20' }, act());
      return [await stateOf(module1), await stateOf(module3)];
    };
    const own = await moved({ valid_until: '2026-11-01' });
    expect(own).toEqual([ended('2026-03-01', '2026-11-01'), ended('2026-06-01', '2026-11-01')]);
    expect(await moved({ valid_from: '2026-03-10' })).toEqual([
      ended('2026-03-10', '2026-11-20'),
      ended('2026-06-01', '2026-11-20'),
    ]);
  });

  test('of module 1 leave a later module 3 closed where its end is given behind a cut', async () => {
    const contract = await terminatedTo(midnight('2026-11-01'));
    const module1 = await accepted(contract, 1, '2026-03-01');
    const module3 = await accepted(contract, 3, '2026-05-01');
    await new LifecycleWorker(reductions.contracts).run(NOW);
    await setSupply(...parts(), contract.id, { end_on: '2026-04-01' }, act());
    await setDates(module1, { valid_until: '2026-04-01' });
    await setSupply(...parts(), contract.id, { end_on: '2026-11-01' }, act());
    expect(await stateOf(module1)).toEqual(ended('2026-03-01', '2026-04-01'));
    expect(await stateOf(module3)).toEqual(ended('2026-05-01', '2026-05-01'));
    /* That is no end of its own. */
    await setDates(module1, { valid_until: '2026-11-01' });
    await setSupply(...parts(), contract.id, { end_on: '2026-10-30' }, act());
    expect(await stateOf(module3)).toEqual(ended('2026-05-01', '2026-10-30'));
  });

  test('of an ended contract brings none into force that never held, also one of before its own end was kept', async () => {
    const contract = await reductions.active();
    const never = await over(contract, 1, '2026-01-01', '2026-01-01');
    const none = 'UPDATE grid_fee_reductions SET own_until = NULL WHERE id = $1';
    await storedRows(reductions.api, none, [never]);
    const file = await readFile(`${sqlFolder}/migrations/0062-ends-of-reductions.sql`, 'utf8');
    await storedRows(reductions.api, file.slice(file.indexOf('UPDATE')));
    await storedRows(
      reductions.api,
      "UPDATE subscriptions SET terminated_at = $2, termination_reason = 'ORDINARY', end_at = $2 WHERE id = $1",
      [contract.id, midnight('2026-11-20')],
    );
    await new LifecycleWorker(reductions.contracts).run(NOW);
    await setSupply(...parts(), contract.id, { end_on: '2026-10-01' }, act());
    expect(await stateOf(never)).toEqual(['ended', midnight('2026-01-01'), midnight('2026-01-01')]);
  });

  test('gives a contract that never was supplied no reduction', async () => {
    const contract = await reductions.pending();
    const id = await reductions.stored(contract, moduleType(1), 'ordered');
    await rejectSubscription(...parts(), contract.id, act());
    const since = 'It cannot hold before the start of supply, which is not confirmed';
    await expectRefused(id, 'valid_from', since, () => setDates(id, { valid_from: '2026-05-01' }));
  });
});
