import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createClient, createHousehold, createTenant, tokenFor } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type AssetBody, devices, type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';

let api: TestApi;
let clock: FakeClock;
let organization: string;
let token: string;
let client: ApiClient;
let household: string;

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.000Z');
  api = await startApi({ clock });
});
afterAll(() => api.close());
beforeEach(async () => {
  const tenant = await createTenant(api);
  ({ organization, token } = tenant);
  client = api.client(token);
  household = (await createHousehold(api.deps, organization)).household;
});

function add(key: string, fields: Record<string, unknown> = {}, by = client) {
  const body = { household, ...devices.wallbox, ...fields };
  return by.post<AssetBody & ErrorBody>('/assets', body, { headers: { 'idempotency-key': key } });
}

async function devicesStored(of = organization): Promise<number> {
  const [row] = await storedRows<{ rows: number }>(
    api,
    "SELECT count(*)::int AS rows FROM assets WHERE organization_id = $1 AND type = 'wallbox'",
    [of],
  );
  return row?.rows ?? 0;
}

async function answersKept(): Promise<number> {
  const [row] = await storedRows<{ rows: number }>(
    api,
    'SELECT count(*)::int AS rows FROM idempotency_keys WHERE organization_id = $1',
    [organization],
  );
  return row?.rows ?? 0;
}

describe('the same key', () => {
  test('Y01 with the same body gets the first answer again, marked, and creates nothing', async () => {
    const first = await add('a key with spaces ~');
    expect(first.status).toBe(200);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    clock.advance(60_000);
    const second = await add('a key with spaces ~');
    expect(second.status).toBe(200);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.text).toBe(first.text);
    expect(await devicesStored()).toBe(1);
    expect(await auditRows(api, organization, 'asset.')).toHaveLength(1);
  });

  test('Y01 repeats the answer as it was, also after the thing has changed', async () => {
    const first = await add('k');
    await client.patch(`/assets/${first.body.id}`, { display_name: 'changed' });
    expect((await add('k')).text).toBe(first.text);
  });

  test('Y01 recognises a body by its inflated bytes, not by its coding', async () => {
    const first = await add('k');
    const { gzipSync } = await import('node:zlib');
    const body = gzipSync(JSON.stringify({ household, ...devices.wallbox }));
    const second = await client.post<AssetBody>('/assets', body, {
      headers: { 'idempotency-key': 'k', 'content-encoding': 'gzip' },
    });
    expect(second.text).toBe(first.text);
  });

  test('Y02 with another body is a conflict that names the header', async () => {
    await add('k');
    const answer = await add('k', { display_name: 'other' });
    expect(refusal(answer)).toEqual([409, 'custom Idempotency-Key']);
    expect(answer.body.code).toBe('CONFLICT');
    expect(await devicesStored()).toBe(1);
  });

  test('Y01 Y02 a large body is the same one again, and a conflict with another byte', async () => {
    const filled = (letter: string) => ({ nobody_knows_this: `${'x'.repeat(100_000)}${letter}` });
    const first = await add('k', filled('a'));
    expect(first.status).toBe(200);
    const second = await add('k', filled('a'));
    expect([second.text, second.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect(refusal(await add('k', filled('b')))).toEqual([409, 'custom Idempotency-Key']);
    expect(await devicesStored()).toBe(1);
  });

  test('Y03 twenty times at once creates one thing, and all get its answer', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => add('parallel')));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    const replays = answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true');
    expect(replays).toHaveLength(19);
    expect(await devicesStored()).toBe(1);
  });

  test('Y03 of two bodies at once one is created and the other a conflict', async () => {
    const answers = await Promise.all([add('k', { model: 'a' }), add('k', { model: 'b' })]);
    expect(answers.map((answer) => answer.status).toSorted((left, right) => left - right)).toEqual([
      200, 409,
    ]);
    expect(await devicesStored()).toBe(1);
  });

  test('Y04 after a refusal is free: nothing is kept, the next attempt runs', async () => {
    expect((await add('k', { household: 'dom_unknown' })).status).toBe(400);
    expect((await add('k', { display_name: '' })).status).toBe(400);
    await add('other', { external_id: 'taken' });
    expect((await add('k', { external_id: 'taken' })).status).toBe(409);
    expect(await answersKept()).toBe(1);
    const last = await add('k');
    expect(last.status).toBe(200);
    expect(last.headers.get('idempotent-replayed')).toBeNull();
  });

  test('Y04 after a failure of the service is free as well', async () => {
    await storedRows(api, 'ALTER TABLE audit_log RENAME TO audit_log_away');
    const failed = await add('k');
    await storedRows(api, 'ALTER TABLE audit_log_away RENAME TO audit_log');
    expect(failed.status).toBe(500);
    expect(await answersKept()).toBe(0);
    expect(await devicesStored()).toBe(0);
    expect((await add('k')).status).toBe(200);
  });

  test('Y05 of another client, another organization or another route is another key', async () => {
    const first = await add('k');
    const sibling = api.client(await tokenFor(api, await createClient(api.deps, organization)));
    const second = await add('k', {}, sibling);
    expect(second.body.id).not.toBe(first.body.id);

    const other = await createTenant(api);
    const place = await createHousehold(api.deps, other.organization);
    const third = await add('k', { household: place.household }, api.client(other.token));
    expect(third.status).toBe(200);
    expect(third.headers.get('idempotent-replayed')).toBeNull();
    expect(await devicesStored(other.organization)).toBe(1);

    const ended = await client.post(`/assets/${first.body.id}/decommission`, undefined, {
      headers: { 'idempotency-key': 'k' },
    });
    expect(ended.headers.get('idempotent-replayed')).toBeNull();
  });

  test('Y06 is kept for 24 hours, then creates anew', async () => {
    const tenant = await createTenant(api);
    const place = await createHousehold(api.deps, tenant.organization);
    const at = async () => {
      const by = api.client(await tokenFor(api, tenant.client));
      return await add('day', { household: place.household }, by);
    };
    const first = await at();
    clock.advance(24 * 3_600_000 - 1);
    expect((await at()).text).toBe(first.text);
    clock.advance(1);
    const second = await at();
    expect(second.headers.get('idempotent-replayed')).toBeNull();
    expect(second.body.id).not.toBe(first.body.id);
    expect((await at()).text).toBe(second.text);
  });
});

describe('the header', () => {
  test.each([
    ['', 400],
    ['k'.repeat(256), 400],
    ['k'.repeat(255), 200],
  ])('Y06 %j is answered with %i', async (key, status) => {
    const answer = await add(key);
    expect(answer.status).toBe(status);
    if (status === 400) expect(refusal(answer)).toEqual([400, 'custom Idempotency-Key']);
    expect(await devicesStored()).toBe(status === 200 ? 1 : 0);
  });

  test('is ignored by calls that create nothing', async () => {
    const headers = { 'idempotency-key': '' };
    expect((await client.get('/assets', { headers })).status).toBe(200);
  });

  test('problems of the body come before those of the key', async () => {
    expect(refusal(await add('', { display_name: '' }))).toEqual([400, 'too_small display_name']);
  });
});
