import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addMonths, berlinDayAt, firstOfMonth } from '../../../../src/platform/time/berlin-calendar.ts';
import { quarterHours } from '../../../contracts/usage/metered.ts';
import { type Commands, type Json, startCommands, WHY } from './commands.ts';

let commands: Commands;
beforeAll(async () => {
  commands = await startCommands();
});
afterAll(() => commands?.billed.close());

const THIS_MONTH = firstOfMonth(berlinDayAt(Date.now()));
const NEXT_MONTH = addMonths(THIS_MONTH, 1);

describe('invoices run, report, list, deadlines', () => {
  test('run asks for what is due, report says how far it is, list shows the documents', async () => {
    const contract = await commands.contract();
    await commands.billed.supply(contract, '2026-05-01', '2026-07-01');
    const may = await commands.asJson('run', '--month', '2026-05', ...WHY);
    expect(may).toEqual({ run: expect.stringMatching(/^brun_/), portions: 1 });
    expect(await commands.asJson('report')).toMatchObject({
      ...{ id: may.run, month: '2026-05-01', estimate_gaps: false, due_at: null },
      ...{ portions: 1, portions_done: 0, issued: {}, finished_at: null },
    });
    await commands.work();
    expect((await commands.billed.bills(contract)).map(({ period }) => period)).toEqual([
      '2026-05-01 2026-06-01',
    ]);
    const estimating = await commands.run('run', '--estimate-gaps', ...WHY);
    const id = /^run +(brun_\S+)$/m.exec(estimating.stdout)?.[1];
    expect(estimating).toMatchObject({ exitCode: 0, stderr: '' });
    expect(estimating.stdout).toContain(
      `invoices report --run ${id} --organization ${commands.billed.organization}`,
    );
    await commands.work();
    const done = { portions_done: 1, issued: { usage: 1 }, finished_at: expect.any(String) };
    expect(await commands.asJson('report')).toMatchObject({ id, estimate_gaps: true, month: null, ...done });
    expect(await commands.asJson('report', '--run', String(may.run))).toMatchObject({ id: may.run, ...done });
    expect((await commands.run('report')).stdout).toMatch(/^issued usage +1$/m);
    const listed = await commands.asJson<Json[]>('list', '--subscription', contract.id);
    expect(listed).toMatchObject([
      { type: 'usage', status: 'open', from: '2026-06-01', until: '2026-07-01' },
      { type: 'usage', status: 'open', from: '2026-05-01', until: '2026-06-01' },
    ]);
    expect(await commands.asJson('list', '--limit', '1')).toEqual(listed.slice(0, 1));
    expect((await commands.run('list', '--type', 'void')).stdout).toBe('none\n');
    const lines = await commands.audited('invoices.run');
    expect(lines.map(({ act, object_id }) => [act, object_id])).toEqual([
      ['invoices.run', may.run],
      ['invoices.run_with_estimates', id],
    ]);
    for (const line of lines) {
      expect(line).toMatchObject({
        staff: 'ada',
        reason: 'ticket 17',
        route: 'invoices run',
        result: 'done',
      });
    }
  });

  test('list names the bills that say more than double the usage of the same days a year before', async () => {
    const start_at = '2025-04-30T22:00:00Z';
    const contract = await commands.billed.contract({ meter_type: 'smart', start_at });
    await commands.asJson('mode', contract.id, 'none', '--from', '2025-05', ...WHY);
    await commands.asJson('mode', contract.id, 'monthly', '--from', '2026-05', ...WHY);
    await commands.asJson('mode', contract.id, 'none', '--from', '2026-07', ...WHY);
    await commands.billed.supply(contract, '2025-05-01', '2025-07-01', 0.1);
    await commands.billed.supply(contract, '2026-05-01', '2026-06-01', 0.2);
    await commands.billed.supply(contract, '2026-06-01', '2026-07-01', 0.201);
    await commands.asJson('run', ...WHY);
    await commands.work();
    const list = (...args: string[]) => commands.asJson<Json[]>('list', '--status', 'open', ...args);
    expect(await list('--subscription', contract.id)).toHaveLength(2);
    expect(await list('--more-than-double')).toMatchObject([
      { subscription_id: contract.id, from: '2026-06-01', until: '2026-07-01' },
    ]);
  });

  test('what is missing is counted by its cause, and named by contract, those first that are late first', async () => {
    const contract = await commands.contract();
    await commands.billed.supply(contract, '2026-05-02', '2026-07-01');
    await commands.asJson('run', ...WHY);
    await commands.work();
    const { refused, refusals } = await commands.asJson('report');
    expect([refused, refusals]).toEqual([
      2,
      [
        expect.objectContaining({ code: 'earlier_refused', count: 1 }),
        expect.objectContaining({
          code: 'missing_usage',
          count: 1,
          meaning: expect.stringContaining('hours'),
        }),
      ],
    ]);
    const rows = await commands.asJson<Json[]>('deadlines');
    const common = { subscription_id: contract.id, type: 'usage', state: 'late' };
    expect(rows).toMatchObject([
      { ...common, deadline: '2026-06-22', period_start: '2026-05-01', code: 'missing_usage' },
      { ...common, deadline: '2026-08-12', period_start: '2026-06-01', code: 'earlier_refused' },
    ]);
    expect(rows[0]?.detail).toContain('96 of 2976 quarter hours');
    expect(await commands.asJson('deadlines', '--code', 'earlier_refused')).toEqual(rows.slice(1));
    expect(await commands.asJson('deadlines', '--subscription', contract.id, '--limit', '1')).toEqual(
      rows.slice(0, 1),
    );
    expect((await commands.run('deadlines', '--code', 'missing_issuer')).stdout).toBe('none\n');
    expect((await commands.run('deadlines')).stdout).toMatch(
      /^2026-06-22 +late +sub_\S+ +usage +2026-05-01 /m,
    );
    await commands.billed.supply(contract, '2026-05-01', '2026-05-02');
    await commands.asJson('run', '--subscription', contract.id, ...WHY);
    await commands.work();
    expect(await commands.asJson('deadlines')).toEqual([]);
  });
});

describe('invoices mode, instalment', () => {
  test('mode says how a contract is billed from a month on, instalment what it pays, each with a line in the log', async () => {
    const { id } = await commands.billed.contract({ meter_type: 'smart', start_at: '2026-06-30T22:00:00Z' });
    const from = NEXT_MONTH.slice(0, 7);
    const advance = ['mode', id, 'advance', '--from', from, '--instalment', '95'];
    expect(await commands.asJson(...advance, ...WHY)).toMatchObject({
      ...{ valid_from: NEXT_MONTH, mode: 'advance', basis: 'evidence' },
      instalment: '95',
    });
    const lower = ['instalment', id, '80', '--from', addMonths(NEXT_MONTH, 2)];
    expect(await commands.asJson(...lower, ...WHY)).toMatchObject({
      ...{ valid_from: addMonths(NEXT_MONTH, 2), mode: 'advance', basis: 'evidence', instalment: '80' },
    });
    const none = ['mode', id, 'none', '--from', addMonths(NEXT_MONTH, 6).slice(0, 7)];
    expect((await commands.run(...none, ...WHY)).stdout).toMatch(/^mode +none\ninstalment +-$/m);
    const lines = (await commands.audited('subscription.set_')).filter(({ object_id }) => object_id === id);
    expect(lines).toMatchObject([
      { act: 'subscription.set_billing_mode', route: 'invoices mode', staff: 'ada', reason: 'ticket 17' },
      { act: 'subscription.set_instalment', route: 'invoices instalment', staff: 'ada', reason: 'ticket 17' },
      { act: 'subscription.set_billing_mode', route: 'invoices mode', staff: 'ada', reason: 'ticket 17' },
    ]);
  });

  test('what cannot be is refused with its field, and nothing is stored', async () => {
    const { id } = await commands.billed.contract({ meter_type: 'smart', start_at: '2026-06-30T22:00:00Z' });
    const fed = await commands.billed.contract({
      type: 'feed_in',
      meter_type: 'smart',
      start_at: '2026-06-30T22:00:00Z',
    });
    const ended = await commands.contract();
    await commands.billed.supply(ended, '2026-05-01', '2026-07-01');
    await commands.asJson('run', ...WHY);
    await commands.work();
    const from = ['--from', NEXT_MONTH.slice(0, 7)];
    const advance = ['advance', ...from, '--instalment'];
    for (const amount of ['95.50', '0', '-1', '1000000', 'much']) {
      const said = /^instalment: An instalment is 1 to 999999 whole EUR\n$/;
      expect(
        await commands.refusedBy('mode', id, ...advance.slice(0, -1), `--instalment=${amount}`, ...WHY),
      ).toMatch(said);
    }
    expect(await commands.refusedBy('mode', id, 'monthly', ...from, '--instalment', '95', ...WHY)).toMatch(
      /^instalment: /,
    );
    expect(await commands.refusedBy('mode', fed.id, ...advance, '95', ...WHY)).toMatch(/^mode: .*fed in/);
    expect(
      await commands.refusedBy('mode', id, 'advance', '--from', '2026-07', '--instalment', '9', ...WHY),
    ).toBe(`from: Months that are over are not paid in advance: from ${THIS_MONTH} on\n`);
    expect(await commands.refusedBy('mode', ended.id, 'monthly', '--from', '2026-05', ...WHY)).toMatch(
      /^from: \S+-002 is about days from 2026-05-01 on: the mode may change behind it\n$/,
    );
    expect(await commands.refusedBy('instalment', id, '80', '--from', NEXT_MONTH, ...WHY)).toBe(
      `from: The contract is not paid in advance on ${NEXT_MONTH}: invoices mode\n`,
    );
    const lines = (await commands.audited('subscription.set_')).filter(({ object_id }) => object_id === id);
    expect(lines).toEqual([]);
  });
});

describe('invoices correct, exit-summary', () => {
  test('correct replaces the bills that are others by now, and says which', async () => {
    const contract = await commands.billed.contract({
      meter_type: 'smart',
      start_at: '2026-04-30T22:00:00Z',
    });
    await commands.billed.supply(contract, '2026-05-01', '2026-07-01');
    await commands.asJson('mode', contract.id, 'none', '--from', '2026-07', ...WHY);
    await commands.asJson('run', ...WHY);
    await commands.work();
    const [may] = await commands.billed.bills(contract);
    expect(await commands.asJson('correct', contract.id, ...WHY)).toEqual({
      replaced: [],
      exit_summary: null,
      refused: 0,
    });
    await commands.billed.import(
      contract.id,
      quarterHours('2026-05-10T22:00:00Z', '2026-05-11T22:00:00Z', 1),
    );
    const shown = await commands.asJson('correct', contract.id, '--preview', ...WHY);
    expect(shown).toMatchObject({ contracts: 1, bills: [{ invoice_number: may?.invoice_number }] });
    expect(await commands.billed.bills(contract)).toHaveLength(2);
    const corrected = { replaced: [may?.invoice_number], exit_summary: null, refused: 0 };
    expect(await commands.asJson('correct', contract.id, ...WHY)).toEqual(corrected);
    expect((await commands.billed.bills(contract)).map(({ type, status }) => `${type} ${status}`)).toEqual([
      ...['usage voided', 'usage open', 'void paid', 'usage open'],
    ]);
    expect(await commands.refusedBy('exit-summary', contract.id, ...WHY)).toMatch(
      /^subscription: .* has no final bill yet/,
    );
    const lines = (await commands.audited('invoices.')).filter(({ object_id }) => object_id === contract.id);
    const line = { act: 'invoices.correct', staff: 'ada', reason: 'ticket 17', route: 'invoices correct' };
    expect(lines).toMatchObject([line, line]);
  });

  test('exit-summary settles an ended contract, and nothing follows it', async () => {
    const contract = await commands.contract();
    await commands.billed.supply(contract, '2026-05-01', '2026-07-01');
    await commands.asJson('run', ...WHY);
    await commands.work();
    await commands.billed.import(
      contract.id,
      quarterHours('2026-05-10T22:00:00Z', '2026-05-11T22:00:00Z', 1),
    );
    const done = await commands.run('exit-summary', contract.id, ...WHY);
    expect(done).toMatchObject({ exitCode: 0, stderr: '' });
    const exit = (await commands.billed.bills(contract)).at(-1);
    expect(exit).toMatchObject({ type: 'exit_summary', status: 'open' });
    expect(done.stdout).toMatch(
      new RegExp(`^replaced +-\nexit_summary +${exit?.invoice_number}\nrefused +0\n$`),
    );
    for (const verb of ['exit-summary', 'correct']) {
      expect(await commands.refusedBy(verb, contract.id, ...WHY)).toMatch(
        /^subscription: .* nothing is issued after it\n$/,
      );
    }
    const lines = (await commands.audited('invoices.')).filter(({ object_id }) => object_id === contract.id);
    expect(lines).toMatchObject([
      { act: 'invoices.exit_summary', staff: 'ada', route: 'invoices exit-summary' },
    ]);
  });
});
