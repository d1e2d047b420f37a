import { afterAll, beforeAll, expect, test } from 'vitest';
import { setRestriction } from '../../src/identity/customers/restrict.ts';
import type { ApiClient } from '../setup/client.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { addDevice, devices } from '../telemetry/assets/devices.ts';
import { type Fixture, leaks, startFixture } from './fixture.ts';

interface BatchAnswer {
  stored: number;
  errors?: { code: string; field: string; message: string }[];
}

let fixture: Fixture;
let a: ApiClient;
let b: ApiClient;
beforeAll(async () => {
  fixture = await startFixture();
  a = fixture.tokens['A full'].client;
  b = fixture.tokens['B full'].client;
});
afterAll(() => fixture?.close());

const store = (client: ApiClient, household: string, rows: object[]) =>
  client.post<BatchAnswer>('/asset-snapshots', { household, snapshots: rows });

async function powers(asset: string): Promise<unknown[]> {
  const rows = await storedRows<{ power_kw: number }>(
    fixture.api,
    `SELECT power_kw FROM asset_snapshots WHERE asset_id = (SELECT key FROM assets WHERE id = $1) ORDER BY timestamp`,
    [asset],
  );
  return rows.map(({ power_kw }) => power_kw);
}

test('I08 one external id in two organizations leads each to its own asset', async () => {
  const { a1, b1 } = fixture.places;
  const device = { ...devices.wallbox, external_id: 'wallbox-1' };
  const ofA = await addDevice(a, a1.household, device);
  const ofB = await addDevice(b, b1.household, device);
  const row = { external_id: 'wallbox-1', timestamp: '2026-12-01T10:00:00Z' };
  const answers = await Promise.all([
    store(a, a1.household, [{ ...row, power_kw: 1 }]),
    store(b, b1.household, [{ ...row, power_kw: 2 }]),
  ]);
  expect(answers.map(({ body }) => body.stored)).toEqual([1, 1]);
  expect([await powers(ofA.id), await powers(ofB.id)]).toEqual([[1], [2]]);
});

test('I13 batches that meet in one group: a contradiction of one organization says and costs the other nothing', async () => {
  const { a1, b1 } = fixture.places;
  const row = (battery: string, second: number, power_kw: number) => ({
    asset: battery,
    timestamp: `2026-12-01T09:00:${String(second).padStart(2, '0')}Z`,
    power_kw,
  });
  await store(a, a1.household, [row(a1.battery, 0, 1.25)]);
  await store(b, b1.household, [row(b1.battery, 0, 3.75)]);
  const rounds = Array.from({ length: 20 }, (_, index) => index + 1);
  const answers = await Promise.all(
    rounds.flatMap((second) => [
      store(a, a1.household, [row(a1.battery, 0, 2.5), row(a1.battery, second, 2.5)]),
      store(b, b1.household, [row(b1.battery, second, 3.75)]),
    ]),
  );
  for (const [index, answer] of answers.entries()) {
    const isOfA = index % 2 === 0;
    expect(answer.status, answer.text).toBe(isOfA ? 400 : 200);
    expect(leaks(answer.text, fixture.places, isOfA ? ['a1', 'a2'] : ['b1', 'b2'])).toEqual([]);
    if (!isOfA) continue;
    expect(answer.body.errors?.map(({ field }) => field)).toEqual(['snapshots.0.power_kw']);
    expect(answer.text).not.toContain('3.75');
  }
  expect((await powers(a1.battery)).filter((power) => power === 2.5)).toEqual([]);
  expect((await powers(b1.battery)).filter((power) => power === 3.75)).toHaveLength(21);
});

test('a refusal tells a client nothing that is stored of a restricted customer (Art. 18 GDPR), and of others it does', async () => {
  const { a1, a2 } = fixture.places;
  const { deps } = fixture.api;
  const restricted = { organization: a1.organization, customer: a1.customer };
  const act = { staff: 'tests', reason: 'test', command: 'test', now: deps.clock.now().toISOString() };
  const send = ({ battery, household }: typeof a1, ...rows: object[]) =>
    store(
      a,
      household,
      rows.map((row) => ({ asset: battery, timestamp: '2026-12-01T10:10:00Z', ...row })),
    );
  const refused = async (...batch: Parameters<typeof send>) => {
    const { status, body } = await send(...batch);
    expect(status).toBe(400);
    return body.errors?.map(({ code, field, message }) => `${code} ${field}: ${message}`);
  };
  const differs = 'custom snapshots.0.power_kw: 2 differs from 2.1 stored for the same asset and timestamp';
  const hidden = 'Does not fit what is stored of this asset';
  for (const place of [a1, a2])
    expect((await send(place, { power_kw: 2.1, state_of_charge: 0.5 })).body).toMatchObject({ stored: 1 });
  await setRestriction(deps.database, restricted, true, act);

  const guess = { power_kw: 2, state_of_charge: 0.5 };
  expect(await refused(a2, guess)).toEqual([differs]);
  expect(await refused(a1, guess)).toEqual([`custom snapshots.0: ${hidden}`]);
  /* Not even which of the fields was right. */
  const halfRight = { power_kw: 2.1, state_of_charge: 0.6 };
  expect(await refused(a1, halfRight)).toEqual([`custom snapshots.0: ${hidden}`]);
  const others = [
    { timestamp: 'yesterday', power_kw: 1 },
    { timestamp: '2026-12-01T10:11:00Z', power_kw: 999 },
    { timestamp: '2026-12-01T10:12:00Z', connected: true },
  ];
  const malformed = expect.stringMatching(/^invalid_format snapshots\.1\.timestamp: Not a date-time/);
  expect(await refused(a2, guess, ...others)).toEqual([
    ...[differs, malformed],
    expect.stringMatching(/^too_big snapshots\.2\.power_kw: .* rating of \d/),
    ...[expect.stringContaining('of type battery'), expect.stringContaining('of type battery')],
  ]);
  expect(await refused(a1, guess, ...others)).toEqual([
    ...[`custom snapshots.0: ${hidden}`, malformed, `too_big snapshots.2: ${hidden}`],
    ...[`unrecognized_keys snapshots.3: ${hidden}`, `custom snapshots.3: ${hidden}`],
  ]);
  /* No row can be compared: only the rules speak of the asset. */
  const ahead = { timestamp: '2027-01-01T00:00:00Z', power_kw: 999 };
  expect((await refused(a1, ahead))?.at(-1)).toBe(`too_big snapshots.0: ${hidden}`);

  await setRestriction(deps.database, restricted, false, act);
  expect(await refused(a1, guess)).toEqual([differs]);
});
