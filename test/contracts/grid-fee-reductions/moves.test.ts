import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptReduction, endReduction } from '../../../src/contracts/grid-fee-reductions/move.ts';
import { REDUCTION_MOVES } from '../../../src/contracts/grid-fee-reductions/moves.ts';
import {
  REDUCTION_STATUSES,
  type ReductionStatus,
} from '../../../src/contracts/grid-fee-reductions/schema.ts';
import { berlinMidnight } from '../../../src/platform/time/berlin-calendar.ts';
import { CUT, runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/api.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { moduleType, Reductions } from './reductions.ts';

/** The command line has the real clock: so has everything here. */
const NOW = new Date().toISOString();
const TODAY = NOW.slice(0, 10);
const FROM = berlinMidnight('2026-03-01');

let reductions: Reductions;
let environment: Record<string, string>;
beforeAll(async () => {
  reductions = await Reductions.start(NOW);
  environment = testEnvironment(reductions.api.database, 'redis://127.0.0.1:1');
});
afterAll(() => reductions?.close());

const why = ['--reason', 'ticket 17', '--staff', 'ada'];

const run = (...args: string[]) =>
  runCommand(environment, 'grid-fee-reductions', ...args, '--organization', reductions.organization);

async function stored(status: ReductionStatus): Promise<string> {
  const hasBegun = status === 'activated' || status === 'ended';
  const contract = await reductions.active();
  return await reductions.stored(contract, moduleType(1), status, hasBegun ? { valid_from: FROM } : {});
}

async function linesOf(id: string) {
  const lines = await auditRows(reductions.api, reductions.organization, 'grid_fee_reduction.');
  return lines.filter(({ object_id }) => object_id === id);
}

test('the moves are those of the interface, and what is rejected or ended is final', () => {
  const pairs = Object.values(REDUCTION_MOVES).flatMap(({ from, to }) =>
    from.map((status) => `${status} → ${to}`),
  );
  expect([...new Set(pairs)].sort()).toEqual([
    'activated → ended',
    'intended → ended',
    'intended → ordered',
    'ordered → activated',
    'ordered → ended',
    'ordered → rejected',
  ]);
});

/** What the grid operator can say, and from where it may be said. */
const COMMANDS = [
  {
    verb: 'accept',
    from: 'ordered',
    dates: ['--valid-from', '2026-04-01'],
    becomes: { status: 'activated', valid_from: berlinMidnight('2026-04-01'), valid_until: null },
  },
  { verb: 'reject', from: 'ordered', dates: [], becomes: { status: 'rejected', valid_from: null } },
  {
    verb: 'end',
    from: 'activated',
    dates: ['--valid-until', '2026-05-01'],
    becomes: { status: 'ended', valid_from: FROM, valid_until: berlinMidnight('2026-05-01') },
  },
] as const;

describe.each(COMMANDS)('$verb', ({ verb, from, dates, becomes }) => {
  test(`moves what is ${from}, with one audit line of who and why, and no event`, async () => {
    const id = await stored(from);
    const before = await reductions.countEvents();
    const result = await run(verb, id, ...dates, ...why, '--json');
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toMatchObject({ id, ...becomes });
    const { created_at, updated_at, ...row } = await reductions.row(id);
    expect(row).toMatchObject(becomes);
    expect(updated_at > created_at).toBe(true);
    expect(await linesOf(id)).toEqual([
      expect.objectContaining({
        act: `grid_fee_reduction.${verb}`,
        staff: 'ada',
        reason: 'ticket 17',
        route: `grid-fee-reductions ${verb}`,
        result: 'done',
        client_id: null,
      }),
    ]);
    expect(await reductions.countEvents()).toBe(before);
    const client = await reductions.contracts.client();
    expect((await client.get(`/grid-fee-reductions/${id}`)).body).toMatchObject(becomes);
  });

  test.each(
    REDUCTION_STATUSES.filter((status) => status !== from && !(verb === 'reject' && status === 'rejected')),
  )(`refuses what is %s, and changes nothing`, async (status) => {
    const id = await stored(status);
    const before = await reductions.row(id);
    const result = await run(verb, id, ...dates, ...why);
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toMatch(
      new RegExp(`^status: Only what is ${from} can be \\w+; this reduction is ${status}\n$`),
    );
    expect(await reductions.row(id)).toEqual(before);
    expect(await linesOf(id)).toEqual([]);
  });
});

describe('days', () => {
  const act = () => reductions.act('grid-fee-reductions');
  const accept = (id: string, valid_from: string) =>
    acceptReduction(reductions.api.deps, reductions.organization, id, { valid_from }, act());
  const end = (id: string, valid_until: string) =>
    endReduction(reductions.api.deps, reductions.organization, id, { valid_until }, act());

  async function orderedIn(dates: { start_at: string; end_at?: string }): Promise<string> {
    const terminated = { terminated_at: NOW, termination_reason: 'ORDINARY' as const };
    const contract = await reductions.active({ ...dates, ...(dates.end_at && terminated) });
    return await reductions.stored(contract, moduleType(1), 'ordered');
  }

  const supply = { start_at: berlinMidnight('2026-02-01'), end_at: berlinMidnight('2099-07-01') };

  test.each(['2026-02-01', '2026-03-29', '2026-03-30', '2099-06-30'])(
    'a reduction is accepted from %s on, midnight in Berlin',
    async (day) => {
      const id = await orderedIn(supply);
      expect((await accept(id, day)).valid_from).toBe(berlinMidnight(day));
    },
  );

  test.each([
    ['2026-01-31', `It cannot hold before the start of supply, ${supply.start_at}`],
    ['2099-07-01', `It must hold before the end of supply, ${supply.end_at}`],
  ])('a reduction is not accepted from %s on', async (day, message) => {
    const id = await orderedIn(supply);
    await expect(accept(id, day)).rejects.toMatchObject({
      code: 'CONFLICT',
      entries: [{ code: 'custom', field: 'valid_from', message }],
    });
    expect(await reductions.row(id)).toMatchObject({ status: 'ordered', valid_from: null });
  });

  test('without a confirmed start none is accepted', async () => {
    const id = await reductions.stored(await reductions.pending(), moduleType(1), 'ordered');
    await expect(accept(id, '2026-12-01')).rejects.toMatchObject({
      entries: [{ field: 'valid_from', message: expect.stringContaining('which is not confirmed') }],
    });
  });

  const inForceFrom = async (valid_from: string) =>
    reductions.stored(await reductions.active(), moduleType(1), 'activated', { valid_from });

  test.each(['2026-03-01', '2026-03-02', TODAY])('one in force since 1 March ends on %s', async (day) => {
    expect((await end(await inForceFrom(FROM), day)).valid_until).toBe(berlinMidnight(day));
  });

  test('one that is to begin next year ends as it begins: it never holds', async () => {
    const begins = berlinMidnight('2098-01-01');
    expect((await end(await inForceFrom(begins), '2098-01-01')).valid_until).toBe(begins);
  });

  test.each([
    ['2026-02-28', FROM, `It must not lie before the beginning, ${FROM}`],
    ['2098-01-01', FROM, 'The day lies in the future: end the reduction when it has come'],
    [TODAY, berlinMidnight('2098-01-01'), 'It must not lie before the beginning, 2097-12-31T23:00:00.000Z'],
  ])('%s is no end of one in force since %s', async (day, valid_from, message) => {
    const id = await inForceFrom(valid_from);
    await expect(end(id, day)).rejects.toMatchObject({
      code: 'CONFLICT',
      entries: [{ code: 'custom', field: 'valid_until', message }],
    });
    expect(await reductions.row(id)).toMatchObject({ status: 'activated', valid_until: null });
  });
});

describe('the command line', () => {
  test('lists the newest first, by status, customer and contract, and shows one', async () => {
    const contract = await reductions.active();
    const older = await reductions.stored(contract, moduleType(1), 'ordered');
    reductions.contracts.clock.advance(60_000);
    const newer = await reductions.stored(contract, moduleType(3), 'intended');
    const listed = async (...args: string[]) => {
      const { stdout, stderr } = await run('list', ...args, '--json');
      if (stderr.replace(CUT, '') !== '') throw new Error(stderr);
      return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
    };
    expect(await listed('--subscription', contract.id)).toEqual([newer, older]);
    expect(await listed('--customer', contract.place.customer, '--status', 'ordered')).toEqual([older]);
    expect(await listed('--limit', '1')).toEqual([newer]);
    expect((await run('list')).stdout.split('\n')[0]).toMatch(/^id +type +status +valid_from +valid_until/);
    expect((await run('show', older)).stdout).toMatch(/^id +gfr_/);
  });

  test.each([
    [['accept', ...why], 2, "required option '--valid-from"],
    [['accept', '--valid-from', '2026-02-30', ...why], 2, 'A day of the calendar'],
    [['end', ...why], 2, "required option '--valid-until"],
    [['reject'], 2, "required option '--reason"],
    [['order', ...why], 2, "unknown command 'order'"],
  ])('%j is not understood', async ([verb = '', ...args], exitCode, sentence) => {
    const id = await stored('ordered');
    const result = await run(verb, id, ...args);
    expect([result.exitCode, result.stdout]).toEqual([exitCode, '']);
    expect(result.stderr).toContain(sentence);
    expect((await reductions.row(id)).status).toBe('ordered');
  });

  test('what is unknown, and an unknown organization, are named', async () => {
    const unknown = 'gfr_000000000000000000000000';
    for (const args of [
      ['show', unknown],
      ['reject', unknown, ...why],
    ]) {
      expect(await run(...args)).toMatchObject({
        exitCode: 1,
        stderr: `There is no grid fee reduction ${unknown} in ${reductions.organization}\n`,
      });
    }
    const nowhere = 'org_000000000000000000000000';
    const id = await stored('ordered');
    const args = ['grid-fee-reductions', 'reject', id, '--organization', nowhere, ...why];
    expect(await runCommand(environment, ...args)).toMatchObject({
      exitCode: 1,
      stderr: `There is no organization ${nowhere}\n`,
    });
    expect((await reductions.row(id)).status).toBe('ordered');
  });
});
