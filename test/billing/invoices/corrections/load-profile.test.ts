import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importReferenceData } from '../../../../src/tariffs/reference-data/files/import.ts';
import type { Contract } from '../../../contracts/usage/metered.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import type { Billed } from '../billing.ts';
import { startWinter, winterContract } from './winter.ts';

let billed: Billed;
beforeAll(async () => {
  billed = await startWinter();
});
afterAll(() => billed?.close());

/** The profile that holds, ended with 2026, and another one behind it whose Januaries take half as much again. */
async function importNextProfile(): Promise<void> {
  const file = 'load_profiles.csv';
  const [header, ...rows] = (await readFile(join('reference', file), 'utf8')).trimEnd().split('\n');
  const next = rows.map((row) => {
    const [profile, month, day, quarter, kwh, , , ...source] = row.split(',');
    const taken = Number(kwh) * (month === '1' ? 1.5 : 1);
    return [profile, month, day, quarter, taken.toFixed(3), '2027-01-01', '', ...source].join(',');
  });
  const ended = rows.map((row) => row.replace(',2025-01-01,,', ',2025-01-01,2027-01-01,'));
  const folder = await mkdtemp(join(tmpdir(), 'voltstream-profile-'));
  try {
    await writeFile(join(folder, file), [header, ...ended, ...next, ''].join('\n'));
    const now = billed.clock.now().toISOString();
    const act = { staff: 'ada', reason: 'the next profile', command: 'tariffs import', now };
    const { problems } = await importReferenceData(billed.api.deps.database, { folder }, act);
    expect(problems).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** kWh of the bills that stand, by month. */
async function usageOf(contract: Contract): Promise<Record<string, number | null>> {
  const bills = (await billed.bills(contract)).filter(
    ({ type, status }) => type === 'usage' && status === 'open',
  );
  return Object.fromEntries(
    bills.map(({ period, usage }): [string, number | null] => [period.slice(0, 7), usage]).sort(),
  );
}

test('another load profile corrects all bills between two readings: together they stay what was metered', async () => {
  const contract = await winterContract(billed, 'analog', false);
  const onlyDecember = await winterContract(billed, 'analog', false);
  const apart = await winterContract(billed, 'analog', false);
  await storedRows(
    billed.api,
    `UPDATE billing_terms SET valid_from = '2027-01-01' WHERE subscription_id = $1`,
    [onlyDecember.id],
  );
  billed.clock.set('2027-02-10T12:00:00.000Z');
  for (const each of [contract, onlyDecember])
    await billed.read(each, { '2026-12-01': 1000, '2027-02-01': 1200 });
  await billed.read(apart, { '2026-12-01': 1000, '2027-01-01': 1100, '2027-02-01': 1200 });
  billed.clock.set('2027-02-15T05:30:00.000Z');
  await billed.bill();
  const before = await usageOf(contract);
  const sum = (usage: typeof before) => (usage['2026-12'] ?? 0) + (usage['2027-01'] ?? 0);
  expect(sum(before)).toBeCloseTo(200, 3);
  expect(await usageOf(onlyDecember)).toEqual({ '2026-12': before['2026-12'] });

  billed.clock.set('2027-03-01T12:00:00.000Z');
  await importNextProfile();
  billed.clock.set('2027-03-02T05:30:00.000Z');
  await billed.bill();
  const after = await usageOf(contract);
  expect(after['2027-01']).toBeGreaterThan((before['2027-01'] ?? 0) + 10);
  expect(sum(after)).toBeCloseTo(200, 3);
  expect(await usageOf(onlyDecember)).toEqual({ '2026-12': after['2026-12'] });
  expect(await usageOf(apart)).toEqual({ '2026-12': 100, '2027-01': 100 });
});
