import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { logLines } from '../../platform/counted-requests.ts';
import { createPlan } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import {
  importFolder,
  linesOf,
  QUOTED_AT,
  type QuoteService,
  type ShownQuote,
  startQuoteService,
} from './quote-service.ts';

/*
 * Each test has days of its own: what was read for a day is kept for seconds. Where rows change for a day that was asked
 * about, the test asks until it sees them.
 */

let service: QuoteService;
let lines: ReturnType<typeof logLines>;
let folder: string;

beforeAll(async () => {
  lines = logLines();
  service = await startQuoteService({ log: lines.log });
  folder = await mkdtemp(join(tmpdir(), 'voltstream-new-year-'));
});
afterAll(async () => {
  await service?.api.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => service.clock.set(QUOTED_AT));

const BODY = { zip_code: '10115', usage: { consumption: 2500 }, optimization_rate: 0 };

async function quotedAt(instant: string, plan = service.plans.dynamisch, body: object = BODY) {
  const client = await service.at(instant);
  return await client.post<ShownQuote & { message: string; quoted_at: string }>(`/plans/${plan}/quote`, body);
}

async function rowsAt(instant: string): Promise<string[]> {
  const answer = await quotedAt(instant);
  expect(answer.status, answer.text).toBe(200);
  return linesOf(answer.body);
}

const NEW_YEAR = {
  levies: `code,ct_net,valid_from,valid_to,source,checked_on
kwkg,0.5,2027-01-01,2028-01-01,levy of 2027,2026-11-20
offshore,1,2027-01-01,2028-01-01,levy of 2027,2026-11-20
besondere_netznutzung,2,2027-01-01,2028-01-01,levy of 2027,2026-11-20
`,
  grid_fees: `operator,base_eur_year_net,working_ct_net,module_1_eur_year_net,module_2_ct_net,provisional,valid_from,valid_to,source,checked_on
stromnetz-berlin,40,8,,,no,2027-01-01,2028-01-01,price sheet of 2027,2026-11-20
`,
};

const OF_2026 = [
  'variable grid Netzentgelte 0.088774',
  'variable levies Offshore-Netzumlage 0.011198',
  'variable levies KWKG-Umlage 0.005307',
];
const OF_2027 = [
  'variable grid Netzentgelte 0.0952',
  'variable levies Offshore-Netzumlage 0.0119',
  'variable levies KWKG-Umlage 0.00595',
];

test('before the figures of a new year are there the old ones count, with a warning', async () => {
  expect(await rowsAt('2027-01-05T12:00:00.000Z')).toEqual(expect.arrayContaining(OF_2026));
  const warned = lines
    .text()
    .split('\n')
    .filter((line) => line.includes('reference row carried forward') && line.includes('"on":"2027-01-05"'));
  expect(warned.filter((line) => line.includes('"key":"kwkg"'))).toHaveLength(1);
  expect(
    warned.filter((line) => line.includes('"key":"stromnetz-berlin"') && line.includes('grid_fees')),
  ).toHaveLength(1);
});

test('the figures of a new year count after their import, without a restart, from midnight in Germany', async () => {
  expect(await rowsAt('2026-12-31T23:30:00.000Z')).toEqual(expect.arrayContaining(OF_2026));
  for (const [table, text] of Object.entries(NEW_YEAR)) await writeFile(join(folder, `${table}.csv`), text);
  await importFolder(service.api, folder);
  await expect
    .poll(() => rowsAt('2026-12-31T23:30:00.000Z'), { interval: 200 })
    .toEqual(expect.arrayContaining(OF_2027));
  expect(await rowsAt('2026-12-31T23:00:00.000Z')).toEqual(expect.arrayContaining(OF_2027));
  expect(await rowsAt('2026-12-31T22:59:59.999Z')).toEqual(expect.arrayContaining(OF_2026));
  expect((await quotedAt('2026-12-31T23:00:00.000Z')).body.quoted_at).toBe('2026-12-31T23:00:00.000Z');
});

test('terms of a plan change at midnight in Germany too', async () => {
  const { id } = await createPlan(service.api.deps, service.organization, {
    terms: [
      { base_fee_net: '5', valid_from: null, valid_to: '2026-12-01' },
      { base_fee_net: '10', valid_from: '2026-12-01', valid_to: null },
    ],
  });
  const fee = async (instant: string) =>
    (await quotedAt(instant, id)).body.components[0]?.subcomponents[0]?.amount;
  expect(await fee('2026-11-30T22:59:59.999Z')).toBe(5.95);
  expect(await fee('2026-11-30T23:00:00.000Z')).toBe(11.9);
});

/** Kept for seconds as well: it changes before the first test, so that the waits of two tests are one. */
let changedPlan: string;
beforeAll(async () => {
  changedPlan = (await createPlan(service.api.deps, service.organization)).id;
  expect(await feeOfChangedPlan()).toBe(5.95);
  const update = 'UPDATE plan_terms SET base_fee_net = 20 WHERE plan_id = $1';
  await storedRows(service.api, update, [changedPlan]);
});

async function feeOfChangedPlan(): Promise<number | undefined> {
  return (await quotedAt(QUOTED_AT, changedPlan)).body.components[0]?.subcomponents[0]?.amount;
}

test('an import of plans is seen within seconds', async () => {
  await expect.poll(feeOfChangedPlan, { interval: 200 }).toBe(23.8);
});

test('a warm quote asks the database for nothing', async () => {
  await quotedAt('2026-11-24T09:00:00.000Z');
  const client = await service.at('2026-11-24T09:00:00.000Z');
  const { pool } = service.api.deps.database;
  /* Caches are emptied every five seconds: one of two neighbouring quotes at least finds them full. */
  const statements = async () => {
    let acquired = 0;
    const count = () => {
      acquired += 1;
    };
    pool.on('acquire', count);
    const { status } = await client.post(`/plans/${service.plans.dynamisch}/quote`, BODY);
    pool.off('acquire', count);
    return [status, acquired];
  };
  await expect.poll(statements, { interval: 10 }).toEqual([200, 0]);
});
