import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlFolder } from '../../../src/platform/database/migration-files.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { moduleType, Reductions } from './reductions.ts';

/* What the database holds of the periods of modules, whoever writes them; and what its migration made of stored ones. */

let reductions: Reductions;
beforeAll(async () => {
  reductions = await Reductions.start('2026-11-23T08:30:00.000Z');
});
afterAll(() => reductions?.close());

async function stateOf(id: string) {
  const { status, valid_from, valid_until } = await reductions.row(id);
  return [status, valid_from, valid_until];
}

const refusal = { code: '23P01', constraint: 'grid_fee_reductions_periods' };
const year = { valid_from: '2026-01-01T00:00:00Z', valid_until: '2026-12-01T00:00:00Z' };
const spring = { valid_from: '2026-03-01T00:00:00Z', valid_until: '2026-05-01T00:00:00Z' };

test.each([
  [1, 1],
  [2, 2],
  [3, 3],
  [1, 2],
  [2, 1],
  [2, 3],
  [3, 2],
] as const)('refuses module %i beside module %i by whoever writes it', async (first, second) => {
  const contract = await reductions.active();
  await reductions.stored(contract, moduleType(first), 'ended', year);
  await expect(reductions.stored(contract, moduleType(second), 'ended', spring)).rejects.toMatchObject(
    refusal,
  );
  await reductions.stored(await reductions.active(), moduleType(second), 'ended', spring);
});

test('allows module 3 beside module 1, and what comes after', async () => {
  const contract = await reductions.active();
  await reductions.stored(contract, moduleType(1), 'ended', year);
  await reductions.stored(contract, moduleType(3), 'ended', spring);
  await reductions.stored(contract, moduleType(2), 'activated', { valid_from: year.valid_until });
});

test('the migration ends module 3 where module 1 did, and stops at periods that overlap', async () => {
  const sql = await readFile(join(sqlFolder, 'migrations/0022-reduction-periods.sql'), 'utf8');
  const migrate = () => storedRows(reductions.api, sql);
  const drop = 'ALTER TABLE grid_fee_reductions DROP CONSTRAINT grid_fee_reductions_periods';
  await storedRows(reductions.api, drop);
  const [ended, alone, waiting, kept] = await Promise.all(
    Array.from({ length: 4 }, () => reductions.active()),
  );
  if (!ended || !alone || !waiting || !kept) throw new Error('Four contracts are needed');
  const from = { valid_from: spring.valid_from };
  for (const contract of [ended, waiting]) await reductions.stored(contract, moduleType(1), 'ended', spring);
  await reductions.stored(kept, moduleType(1), 'activated', { valid_from: year.valid_from });
  const ids = [
    await reductions.stored(ended, moduleType(3), 'activated', from),
    await reductions.stored(alone, moduleType(3), 'activated', from),
    await reductions.stored(waiting, moduleType(3), 'ordered'),
    await reductions.stored(kept, moduleType(3), 'activated', from),
  ];
  await migrate();
  const at = (instant: string) => new Date(instant).toISOString();
  expect(await Promise.all(ids.map(stateOf))).toEqual([
    ['ended', at(spring.valid_from), at(spring.valid_until)],
    ['ended', at(spring.valid_from), at(spring.valid_from)],
    ['ended', null, expect.any(String)],
    ['activated', at(spring.valid_from), null],
  ]);

  await storedRows(reductions.api, drop);
  const both = await reductions.stored(kept, moduleType(2), 'ended', spring);
  await expect(migrate()).rejects.toMatchObject({ code: '23P01' });
  await storedRows(reductions.api, 'DELETE FROM grid_fee_reductions WHERE id = $1', [both]);
  await migrate();
});
