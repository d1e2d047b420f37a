import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { basic, requestToken } from '../../identity/oauth/token-requests.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createHousehold, createOrganization } from '../../setup/factories.ts';
import { runCommand } from '../command-line.ts';

let api: TestApi;
let environment: Record<string, string>;
let organization: string;

beforeAll(async () => {
  api = await startApi();
  const { SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL } = api.deps.config;
  environment = { APP_ENV: 'test', SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL };
  organization = await createOrganization(api.deps);
});
afterAll(() => api.close());

const run = (...args: string[]) => runCommand(environment, ...args);
const why = ['--reason', 'ticket 17', '--staff', 'ada'];

type Json = Record<string, unknown>;

async function asJson(...args: string[]): Promise<Json> {
  const { exitCode, stdout, stderr } = await run(...args, '--json');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Json;
}

async function created(...args: string[]): Promise<Json> {
  return await asJson(
    'clients',
    'create',
    '--organization',
    organization,
    '--name',
    'Gateway',
    ...why,
    ...args,
  );
}

async function tokenStatus(client: Json, secret = client.client_secret): Promise<number> {
  const authorization = basic({ id: String(client.client_id), secret: String(secret) });
  return (await requestToken(api.baseUrl, { grant_type: 'client_credentials' }, { authorization })).status;
}

async function auditOf(client: unknown) {
  const { rows } = await withDatabaseClient(api.database.adminUrl, (admin) =>
    admin.query<Json>(
      `SELECT act, route, staff, reason, result, before, after FROM audit_log
       WHERE object_id = $1 AND staff IS NOT NULL ORDER BY id`,
      [client],
    ),
  );
  return rows;
}

describe('clients', () => {
  test('create prints an id and a secret that the service accepts at once', async () => {
    const client = await created();
    expect(client).toMatchObject({
      client_id: expect.stringMatching(/^oac_[0-9a-z]{24}$/),
      client_secret: expect.stringMatching(/^ocs_[A-Za-z0-9]{43}$/),
      organization_id: organization,
      display_name: 'Gateway',
      role: 'organization',
      customer_id: null,
      scopes: ['read:*', 'write:*'],
      grants: ['client_credentials', 'refresh_token'],
      redirect_uris: [],
      redirect_rule: 'origin',
      public: false,
      third_party: false,
      s256_only: false,
      version: '2026-05-27.curie',
      rate_per_second: 50,
      rate_burst: 100,
      disabled_at: null,
      last_used_at: null,
    });
    expect(await tokenStatus(client)).toBe(200);
    const [line] = await auditOf(client.client_id);
    expect(line).toMatchObject({ act: 'client.create', staff: 'ada', reason: 'ticket 17', result: 'done' });
    expect(JSON.stringify(line)).not.toContain(String(client.client_secret));
    expect(JSON.stringify(line)).not.toContain('Gateway');
  });

  test('create takes every field of a client', async () => {
    const { customer } = await createHousehold(api.deps, organization);
    const web = await created(
      ...['--redirect-uri', 'https://a.example/cb', 'https://b.example/cb', '--redirect-rule', 'exact'],
      ...['--third-party', '--s256-only', '--api-version', '2026-01-29.edison', '--read-only'],
      ...['--rate-per-second', '7', '--rate-burst', '9', '--grant', 'authorization_code', 'refresh_token'],
    );
    expect(web).toMatchObject({
      redirect_uris: ['https://a.example/cb', 'https://b.example/cb'],
      redirect_rule: 'exact',
      grants: ['authorization_code', 'refresh_token'],
      scopes: ['read:*'],
      third_party: true,
      s256_only: true,
      version: '2026-01-29.edison',
      rate_per_second: 7,
      rate_burst: 9,
    });
    const app = await created(
      '--public',
      '--redirect-uri',
      'com.example.app:/cb',
      '--redirect-rule',
      'exact',
    );
    expect(app).toMatchObject({
      public: true,
      client_secret: null,
      grants: ['authorization_code', 'refresh_token'],
    });
    const own = await created('--customer', customer);
    expect(own).toMatchObject({ role: 'customer', customer_id: customer });
    expect(await tokenStatus(own)).toBe(200);
  });

  test('create refuses what does not fit together, each problem with its field', async () => {
    const base = ['clients', 'create', '--organization', organization, '--name', 'x', ...why];
    const misfit = await run(...base, '--redirect-uri', 'http://a.example/cb', '--rate-burst', '0');
    expect(misfit).toMatchObject({ exitCode: 1, stdout: '' });
    expect(misfit.stderr).toMatch(/^rate_burst: .+\n$/m);
    const elsewhere = [
      'clients',
      'create',
      '--organization',
      'org_000000000000000000000000',
      '--name',
      'x',
      ...why,
    ];
    expect(await run(...elsewhere)).toMatchObject({
      exitCode: 1,
      stderr: 'There is no organization org_000000000000000000000000\n',
    });
  });

  test('list and show tell the last use, and never a secret', async () => {
    const client = await created();
    await tokenStatus(client);
    const listed = (await asJson('clients', 'list', '--organization', organization)) as unknown as Json[];
    const own = listed.find((row) => row.id === client.client_id);
    expect(own?.last_used_at).toMatch(/^\d{4}-.*Z$/);
    const all = (await asJson('clients', 'list')) as unknown as Json[];
    expect(all.map((row) => row.id)).toContain(client.client_id);
    const shown = await run('clients', 'show', String(client.client_id));
    expect(shown.stdout).toContain(String(client.client_id));
    const asObject = await asJson('clients', 'show', String(client.client_id));
    expect(asObject.secrets).toHaveLength(1);
    for (const text of [shown.stdout, JSON.stringify(asObject), JSON.stringify(listed)]) {
      expect(text).not.toContain(String(client.client_secret));
      expect(text).not.toContain('hash');
    }
  });

  test('update changes what is named, checks the whole, and leaves before and after in the audit log', async () => {
    const client = await created();
    const id = String(client.client_id);
    const changed = await asJson(
      ...['clients', 'update', id, ...why, '--name', 'Renamed', '--third-party', 'yes', '--rate-burst', '5'],
    );
    expect(changed).toMatchObject({
      display_name: 'Renamed',
      third_party: true,
      rate_burst: 5,
      rate_per_second: 50,
    });
    const [, line] = await auditOf(id);
    expect(line).toMatchObject({
      act: 'client.update',
      route: 'clients update',
      before: { third_party: false, rate_burst: 100 },
      after: { third_party: true, rate_burst: 5 },
    });
    const refused = await run('clients', 'update', id, ...why, '--grant', 'authorization_code');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^redirect_uris: /) });
    expect(await run('clients', 'update', id, ...why)).toMatchObject({ exitCode: 1 });
    expect(await run('clients', 'update', id, ...why, '--read-only')).toMatchObject({ exitCode: 2 });
  });

  test('rotate-secret gives a second secret, and the first one ends with the overlap', async () => {
    const client = await created();
    const id = String(client.client_id);
    const rotated = await asJson('clients', 'rotate-secret', id, '--overlap-hours', '2', ...why);
    expect(await tokenStatus(client)).toBe(200);
    expect(await tokenStatus(client, rotated.client_secret)).toBe(200);
    const { secrets } = (await asJson('clients', 'show', id)) as { secrets: Json[] };
    expect(secrets.map((secret) => secret.expires_at)).toEqual([null, rotated.older_expire_at]);

    const at_once = await asJson('clients', 'rotate-secret', id, '--overlap-hours', '0', ...why);
    expect(await tokenStatus(client)).toBe(401);
    expect(await tokenStatus(client, rotated.client_secret)).toBe(401);
    expect(await tokenStatus(client, at_once.client_secret)).toBe(200);
    expect(await run('clients', 'rotate-secret', id, '--overlap-hours', '-1', ...why)).toMatchObject({
      exitCode: 2,
    });
  });

  test('revoke-secret ends one secret at once', async () => {
    const client = await created();
    const id = String(client.client_id);
    const rotated = await asJson('clients', 'rotate-secret', id, ...why);
    const { secrets } = (await asJson('clients', 'show', id)) as { secrets: Json[] };
    const first = String(secrets[1]?.id);
    await asJson('clients', 'revoke-secret', id, first, ...why);
    expect(await tokenStatus(client)).toBe(401);
    expect(await tokenStatus(client, rotated.client_secret)).toBe(200);
    expect(await run('clients', 'revoke-secret', id, first, ...why)).toMatchObject({ exitCode: 1 });
    const other = await created();
    const { secrets: foreign } = (await asJson('clients', 'show', String(other.client_id))) as {
      secrets: Json[];
    };
    expect(await run('clients', 'revoke-secret', id, String(foreign[0]?.id), ...why)).toMatchObject({
      exitCode: 1,
    });
    expect(await tokenStatus(other)).toBe(200);
  });

  test('who ends a secret at once is told how long its tokens live, and what ends them', async () => {
    const client = await created();
    const id = String(client.client_id);
    const told = /work for up to 60 minutes more\. "grants revoke" ends one.*"clients disable" stops all/s;
    const secret = String((await asJson('clients', 'rotate-secret', id, ...why)).secret);
    const { stdout } = await run('clients', 'rotate-secret', id, '--overlap-hours', '0', ...why);
    expect(stdout).toMatch(told);
    expect((await run('clients', 'revoke-secret', id, secret, ...why)).stdout).toMatch(told);
    expect((await run('clients', 'rotate-secret', id, ...why)).stdout).not.toMatch(told);
  });

  test('disable and enable switch a client off and on', async () => {
    const client = await created();
    const id = String(client.client_id);
    expect(await asJson('clients', 'disable', id, ...why)).toMatchObject({ disabled_at: expect.any(String) });
    expect(await tokenStatus(client)).toBe(401);
    expect(await asJson('clients', 'enable', id, ...why)).toMatchObject({ disabled_at: null });
    expect(await tokenStatus(client)).toBe(200);
    expect((await auditOf(id)).map((line) => line.act)).toEqual([
      'client.create',
      'client.disable',
      'client.enable',
    ]);
  });

  test('an unknown client is one sentence and exit code 1', async () => {
    for (const command of ['show', 'disable', 'rotate-secret', 'update']) {
      const more = command === 'show' ? [] : command === 'update' ? [...why, '--name', 'y'] : why;
      expect(await run('clients', command, 'oac_000000000000000000000000', ...more)).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr: 'There is no client oac_000000000000000000000000\n',
      });
    }
  });
});
