import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeMeter } from '../../../src/contracts/meters/change.ts';
import { setDates } from '../../../src/contracts/subscriptions/back-office.ts';
import { settleUsage } from '../../../src/contracts/usage/settle.ts';
import { settlesAt } from '../../../src/contracts/usage/settlement.ts';
import { addMonths, berlinMilliseconds } from '../../../src/platform/time/berlin-calendar.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type Contract, type Metered, quarterHours, shown, startMetered } from './metered.ts';

/** The tick of November; October was settled on the 11th. */
const DUE_AT = '2026-11-17T15:40:00.000Z';

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered(DUE_AT, { alone: true });
});
afterAll(() => metered?.close());

const smart = { meter_type: 'smart' } as const;
const october = 'start=2026-10-01&end=2026-11-01&resolution=15min';

function settle(dueAt = DUE_AT) {
  const { log } = metered.api.deps;
  return settleUsage(metered.api.deps, { dueAt, signal: new AbortController().signal, log });
}

async function usageOf({ id }: Contract, query = october): Promise<string[]> {
  return shown(await metered.usage(id, query));
}

/** As retention does it, for all households. */
const dropSnapshots = () => storedRows(metered.api, 'DELETE FROM asset_snapshots');

async function stored({ id }: Contract): Promise<string[]> {
  const rows = await storedRows<{ start: Date; kwh: number }>(
    metered.api,
    'SELECT interval_start AS start, kwh::float8 AS kwh FROM usage_quarter_hours WHERE subscription_id = $1 ORDER BY 1',
    [id],
  );
  return rows.map(({ start, kwh }) => `${start.toISOString()} ${kwh}`);
}

describe('what the own measurements of a settled month came to', () => {
  test('is there when the snapshots are gone, in both directions', async () => {
    const contract = await metered.contract(smart);
    const fed = await metered.contract({ type: 'feed_in', at: contract.place });
    await metered.measure(contract, [
      /* Either end of October in Berlin, and the hour that comes twice. */
      ['2026-09-30T22:00:00Z', 4],
      ['2026-10-25T00:30:00Z', -8],
      ['2026-10-25T01:30:00Z', 6],
      ['2026-10-31T22:45:00Z', 2],
    ]);
    const before = [await usageOf(contract), await usageOf(fed)];
    expect(before[0]).toEqual([
      '2026-09-30T22:00:00Z 1 final',
      '2026-10-25T00:30:00Z 0 final',
      '2026-10-25T01:30:00Z 1.5 final',
      '2026-10-31T22:45:00Z 0.5 final',
    ]);
    await settle();
    await dropSnapshots();
    expect([await usageOf(contract), await usageOf(fed)]).toEqual(before);
  });

  test('does not change with snapshots that come later', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [['2026-10-10T10:00:00Z', 4]]);
    await settle();
    await metered.measure(contract, [['2026-10-10T10:05:00Z', 100]]);
    expect((await usageOf(contract))[0]).toBe('2026-10-10T10:00:00Z 1 final');
  });

  test('is frozen at that instant, whoever asks and whenever the job runs', async () => {
    const early = await metered.contract(smart);
    const taken = await metered.contract(smart);
    for (const contract of [early, taken]) {
      await metered.measure(contract, [['2026-10-10T10:00:00Z', 4]], '2026-10-10T10:00:01Z');
      /* Late, and still in time. */
      await metered.measure(contract, [['2026-10-10T10:15:00Z', 8]], '2026-11-11T14:59:59.999Z');
      await metered.measure(contract, [['2026-10-10T10:30:00Z', 100]], '2026-11-11T15:00:00Z');
      await metered.measure(contract, [['2026-10-10T10:10:00Z', 100]], '2026-11-12T09:00:00Z');
    }
    const frozen = ['2026-10-10T10:00:00Z 1 final', '2026-10-10T10:15:00Z 2 final'];
    /* The job has not run: the first reader freezes the month, and finds what the job would have found. */
    metered.clock.set('2026-11-13T09:00:00.000Z');
    expect(await usageOf(early)).toEqual(frozen);
    const month = 'start=2026-10-01&end=2026-11-01&resolution=month';
    expect(await usageOf(early, month)).toEqual(['2026-09-30T22:00:00Z 3 final']);
    await metered.measure(early, [['2026-10-10T10:20:00Z', 50]], '2026-11-13T10:00:00Z');
    metered.clock.set(DUE_AT);
    await settle();
    expect(await usageOf(early)).toEqual(frozen);
    await dropSnapshots();
    for (const contract of [early, taken]) {
      expect(await usageOf(contract)).toEqual(frozen);
      expect(await usageOf(contract, month)).toEqual(['2026-09-30T22:00:00Z 3 final']);
    }
  });

  test('is frozen for days that a correction adds, with what was stored when the month was settled', async () => {
    const contract = await metered.contract({ ...smart, start_at: '2026-10-14T22:00:00Z' });
    const hour = (day: string) => `2026-10-${day}T10:00:00Z`;
    await metered.measure(contract, [
      [hour('10'), 4],
      [hour('20'), 8],
    ]);
    expect(await usageOf(contract)).toEqual([`${hour('20')} 2 final`]);
    await metered.measure(
      contract,
      [
        [hour('11'), 40],
        [hour('21'), 80],
      ],
      DUE_AT,
    );
    const act = { staff: 'ada', reason: 'ticket 17', command: 'subscriptions set-dates', now: DUE_AT };
    await setDates(metered.api.deps, metered.organization, contract.id, { start_on: '2026-10-01' }, act);
    expect(await usageOf(contract)).toEqual([`${hour('10')} 1 final`, `${hour('20')} 2 final`]);

    const analog = await metered.contract();
    const { database } = metered.api.deps;
    const become = (valid_from: string) =>
      changeMeter(database, metered.organization, analog.meter, { valid_from, type: 'smart' }, act);
    await metered.measure(analog, [
      [hour('10'), 4],
      [hour('20'), 8],
    ]);
    await become('2026-10-15');
    expect(await usageOf(analog, 'start=2026-10-15&end=2026-11-01')).toEqual([
      '2026-10-19T22:00:00Z 2 final',
    ]);
    await become('2026-10-01');
    expect(await usageOf(analog)).toEqual([`${hour('10')} 1 final`, `${hour('20')} 2 final`]);
  });

  test('is kept once by twenty readers at the same moment', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [['2026-10-10T10:00:00Z', 4]]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => usageOf(contract)));
    expect(new Set(answers.map(String))).toEqual(new Set(['2026-10-10T10:00:00Z 1 final']));
    const lines = await auditRows(metered.api, metered.organization, 'usage.settle');
    expect(lines.filter(({ object_id }) => object_id === contract.id)).toHaveLength(1);
  });

  test('never stands in the way of the metering operator, before or after', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [
      ['2026-10-12T10:00:00Z', 4],
      ['2026-10-12T10:15:00Z', 4],
    ]);
    await metered.import(contract.id, ['2026-10-12T10:00:00Z,7']);
    await settle();
    expect(await usageOf(contract)).toEqual(['2026-10-12T10:00:00Z 7 final', '2026-10-12T10:15:00Z 1 final']);
    await metered.import(contract.id, ['2026-10-12T10:15:00Z,9']);
    expect(await usageOf(contract)).toEqual(['2026-10-12T10:00:00Z 7 final', '2026-10-12T10:15:00Z 9 final']);
  });

  test('is that of the time of supply and of that month', async () => {
    const input = { ...smart, start_at: '2026-10-09T22:00:00Z', end_at: '2026-10-19T22:00:00Z' };
    const contract = await metered.contract({ ...input, status: 'ended' });
    const running = await metered.contract(smart);
    const rows = ['2026-09-20', '2026-10-09', '2026-10-12', '2026-10-20', '2026-11-02'] as const;
    for (const at of [contract, running]) {
      await metered.measure(
        at,
        rows.map((day) => [`${day}T10:00:00Z`, 4] as const),
      );
    }
    await settle();
    expect(await stored(contract)).toEqual(['2026-10-12T10:00:00.000Z 1']);
    expect(await stored(running)).toEqual(
      ['2026-10-09', '2026-10-12', '2026-10-20'].map((day) => `${day}T10:00:00.000Z 1`),
    );
  });

  test('is left out where a meter is analog, or a start was never confirmed', async () => {
    const analog = await metered.contract();
    const pending = await metered.contract({
      ...smart,
      status: 'pending',
      start_at: null,
      confirmed_at: null,
    });
    for (const at of [analog, pending]) await metered.measure(at, [['2026-10-10T10:00:00Z', 4]]);
    await settle();
    expect([await stored(analog), await stored(pending)]).toEqual([[], []]);
  });

  test('is taken up once, with one line of the audit log', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [['2026-10-10T10:00:00Z', 4]]);
    await settle();
    expect(await settle()).toEqual({ contracts: 0, quarter_hours: 0 });
    const lines = await auditRows(metered.api, metered.organization, 'usage.settle');
    expect(lines.filter(({ object_id }) => object_id === contract.id)).toEqual([
      expect.objectContaining({ route: 'settle-usage', result: 'done', client_id: null, staff: null }),
    ]);
  });

  test('is nothing where the metering operator sent all of it', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [['2026-10-10T10:00:00Z', 4]]);
    /* Before the month is settled. */
    metered.clock.set('2026-11-05T08:00:00.000Z');
    await metered.import(contract.id, quarterHours('2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z', 2));
    metered.clock.set(DUE_AT);
    await settle();
    expect(new Set((await stored(contract)).map((text) => text.split(' ')[1]))).toEqual(new Set(['2']));
    const lines = await auditRows(metered.api, metered.organization, 'usage.settle');
    expect(lines.filter(({ object_id }) => object_id === contract.id)).toEqual([]);
  });

  test('I18 waits where an organization is deleted, and not where it is past due or suspended: its snapshots go by age', async () => {
    const settleWhile = async (standing: string) => {
      const contract = await metered.contract(smart);
      await metered.measure(contract, [['2026-10-10T10:00:00Z', 4]]);
      const update = 'UPDATE organizations SET standing = $2 WHERE id = $1';
      await storedRows(metered.api, update, [metered.organization, standing]);
      await settle();
      return await stored(contract);
    };
    try {
      expect(await settleWhile('deleted')).toEqual([]);
      for (const standing of ['past_due', 'suspended'])
        expect([standing, ...(await settleWhile(standing))]).toEqual([
          standing,
          '2026-10-10T10:00:00.000Z 1',
        ]);
    } finally {
      await settleWhile('in_order');
    }
  });
});

test('a month that is not settled is left alone', async () => {
  const contract = await metered.contract(smart);
  await metered.measure(contract, [['2026-11-10T10:00:00Z', 4]]);
  expect(await settle('2026-12-01T00:00:00Z')).toEqual({ contracts: 0, quarter_hours: 0 });
  expect(await stored(contract)).toEqual([]);
});

describe('an import of the metering operator replaces a final value, and the old one stays in the history', () => {
  const history = async ({ id }: Contract) =>
    (
      await storedRows<{ start: Date; kwh: number; source: string; kept_at: Date; replaced_at: Date }>(
        metered.api,
        `SELECT interval_start AS start, kwh::float8 AS kwh, source, kept_at, replaced_at
           FROM replaced_usage WHERE subscription_id = $1 ORDER BY interval_start, id`,
        [id],
      )
    ).map(({ start, kwh, source, kept_at, replaced_at }) =>
      [start.toISOString().slice(0, 16), kwh, source, kept_at.toISOString(), replaced_at.toISOString()].join(
        ' ',
      ),
    );

  test('with value, source and time of each one; an equal import changes nothing', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [['2026-10-10T10:00:00Z', 4]]);
    await settle();
    const lines = ['2026-10-10T10:00:00Z,7', '2026-10-10T10:15:00Z,1'];
    metered.clock.set('2026-11-18T08:00:00.000Z');
    expect(await metered.import(contract.id, lines)).toMatchObject({ quarter_hours: 2, replaced: 1 });
    metered.clock.set('2026-11-19T08:00:00.000Z');
    expect(await metered.import(contract.id, lines)).toMatchObject({ replaced: 0 });
    metered.clock.set('2026-11-20T08:00:00.000Z');
    await metered.import(contract.id, ['2026-10-10T10:00:00Z,9']);
    metered.clock.set(DUE_AT);
    expect(await history(contract)).toEqual([
      `2026-10-10T10:00 1 own_measurement ${DUE_AT} 2026-11-18T08:00:00.000Z`,
      '2026-10-10T10:00 7 metering_operator 2026-11-18T08:00:00.000Z 2026-11-20T08:00:00.000Z',
    ]);
    const months = 'start=2026-10-01&end=2026-11-01&resolution=month';
    expect(await usageOf(contract, months)).toEqual(['2026-09-30T22:00:00Z 10 final']);
  });

  test('also where nobody had asked for the final value before', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [['2026-10-10T10:00:00Z', 4]]);
    await metered.import(contract.id, ['2026-10-10T10:00:00Z,7']);
    expect(await history(contract)).toEqual([`2026-10-10T10:00 1 own_measurement ${DUE_AT} ${DUE_AT}`]);
  });

  test('and not a preliminary one, which was never more than an estimate', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [['2026-11-10T10:00:00Z', 4]]);
    await metered.import(contract.id, ['2026-11-10T10:00:00Z,7']);
    expect(await history(contract)).toEqual([]);
  });
});

test('the 8th working day lies from the 10th to the 17th, in every month of forty years', () => {
  for (let month = '2025-01-01'; month < '2065-01-01'; month = addMonths(month, 1)) {
    const settles = settlesAt(month);
    expect(settles, month).toBeGreaterThanOrEqual(
      berlinMilliseconds(`${addMonths(month, 1).slice(0, 8)}10`, 16),
    );
    expect(settles, month).toBeLessThanOrEqual(
      berlinMilliseconds(`${addMonths(month, 1).slice(0, 8)}17`, 16),
    );
  }
});
