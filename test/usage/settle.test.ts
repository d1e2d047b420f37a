import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addMonths, berlinMilliseconds } from '../../src/platform/berlin-calendar.ts';
import { settleUsage } from '../../src/usage/service.ts';
import { settledAt } from '../../src/usage/settlement.ts';
import { auditRows, storedRows } from '../setup/stored-rows.ts';
import { type Contract, type Metered, quarterHours, shown, startMetered } from './metered.ts';

/** The tick of November; October was settled on the 11th. */
const DUE_AT = '2026-11-17T15:40:00.000Z';

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered(DUE_AT);
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
    'SELECT interval_start AS start, kwh FROM usage_quarter_hours WHERE subscription_id = $1 ORDER BY 1',
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
    await metered.import(contract.id, quarterHours('2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z', 2));
    await settle();
    expect(new Set((await stored(contract)).map((text) => text.split(' ')[1]))).toEqual(new Set(['2']));
    const lines = await auditRows(metered.api, metered.organization, 'usage.settle');
    expect(lines.filter(({ object_id }) => object_id === contract.id)).toEqual([]);
  });

  test('waits where an organization is suspended, and not where it is past due', async () => {
    const contract = await metered.contract(smart);
    await metered.measure(contract, [['2026-10-10T10:00:00Z', 4]]);
    const settleWhile = async (standing: string) => {
      const update = 'UPDATE organizations SET standing = $2 WHERE id = $1';
      await storedRows(metered.api, update, [metered.organization, standing]);
      await settle();
      return await stored(contract);
    };
    try {
      expect(await settleWhile('suspended')).toEqual([]);
      expect(await settleWhile('past_due')).toEqual(['2026-10-10T10:00:00.000Z 1']);
    } finally {
      await settleWhile('in_order');
    }
  });
});

test('a month that is not settled is refused', async () => {
  await expect(settle('2026-12-01T00:00:00Z')).rejects.toThrow('The month is not settled yet');
});

test('on the 17th at 16:40 the month before is settled, in every month of forty years', () => {
  for (let day = '2025-01-17'; day < '2065-01-01'; day = addMonths(day, 1)) {
    const now = berlinMilliseconds(day, 16) + 40 * 60_000;
    const lastOfMonth = berlinMilliseconds(`${day.slice(0, 8)}01`) - 1;
    expect(settledAt(now)(lastOfMonth), day).toBe(true);
  }
});
