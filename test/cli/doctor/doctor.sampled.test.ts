import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CheckLine, examine } from '../../../src/cli/doctor/check.ts';
import { judgeBackups, serviceChecks } from '../../../src/cli/doctor/service.ts';
import { judgeRedis } from '../../../src/cli/doctor/surroundings.ts';
import { readCommandLineConfig } from '../../../src/config/config.ts';
import { testAuthority } from '../../events/requests/certificates.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { createTenant } from '../../setup/factories.ts';
import { createBilledContract, issueDocument } from '../../setup/invoices.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { isLongTier } from '../../setup/tier.ts';
import { runCommand } from '../command-line.ts';

let api: TestApi;
let environment: Record<string, string>;

beforeAll(async () => {
  api = await startApi({ alone: true });
  const { SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL, REDIS_URL, BASE_URL } = api.deps.config;
  environment = {
    ...{ APP_ENV: 'test', SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL, REDIS_URL, BASE_URL },
    DATABASE_MAINTENANCE_URL: api.database.maintenanceUrl,
  };
  await createTenant(api);
});
afterAll(() => api?.close());

async function doctor(changed: Record<string, string> = {}) {
  const result = await runCommand({ ...environment, ...changed }, 'doctor', '--json');
  expect(result.stderr).toBe('');
  const { checks, failures } = JSON.parse(result.stdout) as { checks: CheckLine[]; failures: number };
  expect(result.exitCode).toBe(failures > 0 ? 1 : 0);
  return { checks, of: (name: string) => checks.filter(({ check }) => check === name) };
}

/* A check that gets no answer in time from a busy machine has failed. */
test('every check has its line, and what is wrong has a remedy', { retry: 3 }, async () => {
  const { checks, of } = await doctor();
  expect(new Set(checks.map(({ check }) => check))).toEqual(
    new Set([
      ...[
        'configuration',
        'database',
        'versions',
        'migrations',
        'roles and rights',
        'durability',
        'settings',
      ],
      ...['write-ahead log', 'connections', 'clock', 'maintenance role', 'prices', 'reference data', 'jobs'],
      ...['quarter hours', 'webhooks', 'bank statements', 'reminders', 'keys', 'audit log', 'backups'],
      ...['redis', 'api', 'mail', 'disk'],
    ]),
  );
  expect(checks.filter(({ level, remedy }) => (level === 'ok') !== (remedy === null))).toEqual([]);
  for (const name of [
    'database',
    'migrations',
    'roles and rights',
    'redis',
    'api',
    'keys',
    'maintenance role',
  ])
    expect(of(name)).toMatchObject([{ level: 'ok' }]);
  /* Neither prices nor a worker are here. In the afternoon those of tomorrow are missing as well. */
  expect(of('prices')[0]).toMatchObject({ level: 'failure', found: expect.stringContaining('missing') });
  expect(of('jobs')).toMatchObject([
    { level: 'failure', remedy: expect.stringContaining('workers/main.ts') },
  ]);
});

test('a full disk of the database is told as that, whatever was asked', async () => {
  const look = async () => {
    await storedRows(
      api,
      `DO $$ BEGIN RAISE 'could not write init file: No space left on device' USING ERRCODE = 'disk_full'; END $$`,
    );
    throw new Error('The disk had room');
  };
  expect(await examine([{ name: 'database', remedy: 'Start PostgreSQL.', look }])).toMatchObject([
    { level: 'failure', remedy: expect.stringMatching(/^Make room on the disk of the database server/) },
  ]);
});

test('mail that production lacks is warned of', async () => {
  const before = await doctor();
  expect([...before.of('settings'), ...before.of('mail')]).toMatchObject([{ level: 'ok' }, { level: 'ok' }]);
  const after = await doctor({ APP_ENV: 'production', BASE_URL: 'https://127.0.0.1:9' });
  expect(after.of('mail')).toMatchObject([
    { level: 'warning', found: expect.stringMatching(/^SMTP_URL is not set here: /) },
  ]);
  const ofCommands = await doctor({ APP_ENV: 'production', BASE_URL: 'https://127.0.0.1:9', REDIS_URL: '' });
  expect(ofCommands.of('mail')).toMatchObject([{ level: 'ok', found: expect.stringMatching(/^not looked/) }]);
});

test('a Redis without an append-only file is warned of', () => {
  const facts = { maxmemory_policy: 'noeviction', redis_version: '7.2.4' };
  const found = (aof: string) =>
    judgeRedis(new Map(Object.entries({ ...facts, aof_enabled: aof }))).map(({ level }) => level);
  expect(found('1')).toEqual(['ok']);
  expect(found('0')).toEqual(['ok', 'warning']);
});

test('a value of the samples that nobody replaced is told of every variable that is set, as the API tells it', async () => {
  const { of } = await doctor({ CURSOR_KEY: 'CHANGE-ME', SECRET_PEPPER: 'CHANGE-ME' });
  expect(of('configuration').map(({ found }) => found.split(':')[0])).toEqual([
    'SECRET_PEPPER',
    'CURSOR_KEY',
  ]);
});

test('people see a table and the number of failures', async () => {
  const { stdout, exitCode } = await runCommand(environment, 'doctor');
  expect(stdout).toMatch(/^check +level +found\n/);
  expect(stdout).toMatch(/\n {2,}→ \w/);
  expect(stdout).toMatch(/\n(1 failure|\d+ failures), (1 warning|\d+ warnings)\.\n$/);
  expect(exitCode).toBe(1);
});

test('a worker that works, runs that were given up and alarms are told apart', async () => {
  await storedRows(
    api,
    `INSERT INTO job_runs (job, state, attempts, due_at, next_at, finished_at, error)
     VALUES ('sweep-webhooks', 'done', 1, now(), now(), now(), NULL),
            ('greet-somebody', 'failed', 5, now(), now(), now(), 'no answer')`,
  );
  await storedRows(
    api,
    `INSERT INTO price_alarms (zone, kind, source, detail, raised_at, last_seen_at)
     VALUES ('DE-LU', 'denied', 'smard', 'the feed refuses', now(), now())`,
  );
  await storedRows(
    api,
    `INSERT INTO price_alarms (zone, kind, source, delivery_on, detail, raised_at, last_seen_at)
     VALUES ('DE-LU', 'suspect', 'smard', '2026-11-20', 'only zeros', now() + interval '1 s', now())`,
  );
  const { of } = await doctor();
  expect(of('jobs')).toMatchObject([
    { level: 'ok' },
    { level: 'warning', found: 'given up: greet-somebody 1' },
  ]);
  expect(of('prices').at(-1)).toMatchObject({
    level: 'warning',
    found: expect.stringMatching(/^2 alarms stand: \d+: the feed refuses; \d+: only zeros$/),
    remedy: expect.stringMatching(
      /; prices resolve --alarm (\d+) --reason TEXT ends \1; prices status --date 2026-11-20 says why, prices release --date 2026-11-20 --reason TEXT serves them and ends \d+, /,
    ),
  });
  await storedRows(
    api,
    `INSERT INTO price_days (zone, delivery_on, served_source, state, version, updated_at)
     VALUES ('DE-LU', '2026-11-20', 'smard', 'complete', 1, now())`,
  );
  expect((await doctor()).of('prices').at(-1)?.remedy).toMatch(
    /prices prefer --date 2026-11-20 --source smard --reason TEXT keeps what is served and ends \d+, prices release .* only if what is held back is right\.$/,
  );
  await storedRows(api, 'DELETE FROM price_days');
});

test('prices that are held back, or there in part, are called so, and what serves them is named', async () => {
  const clock = fakeClock('2026-11-20T15:00:00Z');
  const parts = { config: readCommandLineConfig(environment), database: api.deps.database, clock };
  const prices = serviceChecks(parts).find(({ name }) => name === 'prices');
  const found = async (today: string, tomorrow: string) => {
    await storedRows(
      api,
      `INSERT INTO price_days (zone, delivery_on, served_source, state, version, updated_at)
       VALUES ('DE-LU', '2026-11-20', CASE WHEN $1 = 'partial' THEN 'smard' END, $1, 0, now()),
              ('DE-LU', '2026-11-21', CASE WHEN $2 = 'partial' THEN 'smard' END, $2, 0, now())
       ON CONFLICT (zone, delivery_on) DO UPDATE
         SET state = excluded.state, served_source = excluded.served_source`,
      [today, tomorrow],
    );
    return [await prices?.look(new AbortController().signal)].flat().slice(0, 2);
  };
  const is = (day: string, state: string, remedy: RegExp) => ({
    found: expect.stringMatching(new RegExp(`${day}, .*are (due since 15:00 and )?${state}$`)),
    remedy: expect.stringMatching(remedy),
  });
  expect(await found('partial', 'suspect')).toMatchObject([
    { level: 'failure', ...is('2026-11-20', 'partial', /prices pull --date 2026-11-20/) },
    { level: 'warning', ...is('2026-11-21', 'held back', /prices release --date 2026-11-21/) },
  ]);
  expect(await found('suspect', 'partial')).toMatchObject([
    { level: 'failure', ...is('2026-11-20', 'held back', /prices release --date 2026-11-20/) },
    { level: 'warning', ...is('2026-11-21', 'partial', /prices pull --date 2026-11-21/) },
  ]);
  await storedRows(api, 'DELETE FROM price_days');
});

test('reminders whose mail waits for days are told, with what waits for them', async () => {
  const reminded = async (daysAgo: number) => {
    const contract = await createBilledContract(api.deps);
    const { id } = await issueDocument(api.deps, contract);
    await storedRows(
      api,
      `INSERT INTO dunning_steps (organization_id, customer_id, invoice_id, level, amount, reminded_on, created_at)
       VALUES ($1, $2, $3, 1, 119, (now() AT TIME ZONE 'Europe/Berlin')::date - $4::integer, now())`,
      [contract.organization, contract.customer, id, daysAgo],
    );
  };
  /* On a busy machine a check may have no answer in time. */
  const found = async () => (await doctor()).of('reminders');
  await reminded(0);
  await expect.poll(found).toMatchObject([{ level: 'ok', found: '1 wait for their mail' }]);
  await reminded(3);
  await expect.poll(found).toMatchObject([
    {
      level: 'warning',
      found: expect.stringMatching(
        /^2 wait for their mail, the first since 20\d\d-\d\d-\d\d: .*not given up$/,
      ),
      remedy: expect.stringContaining('SMTP_URL'),
    },
  ]);
});

test('movements of the bank that were imported and not booked are told, but for those of a suspended organization, whose jobs wait', async () => {
  const { organization } = await createTenant(api);
  const found = async () => (await doctor()).of('bank statements');
  await expect.poll(found).toMatchObject([{ level: 'ok' }]);
  await storedRows(
    api,
    `INSERT INTO bank_entries (organization_id, id, identity, provider, booked_on, amount, imported_at)
     VALUES ($1, 'bke_' || repeat('a', 24), 'one', 'bank_files', '2027-01-26', 12, now())`,
    [organization],
  );
  await expect
    .poll(found)
    .toMatchObject([{ level: 'warning', found: expect.stringContaining(`1 of ${organization}`) }]);
  await storedRows(api, `UPDATE organizations SET standing = 'suspended' WHERE id = $1`, [organization]);
  await expect.poll(found).toMatchObject([{ level: 'ok' }]);
});

test('another ENCRYPTION_KEY than that of the stored keys is a failure', async () => {
  const { of } = await doctor({ ENCRYPTION_KEY: 'x'.repeat(43) });
  expect(of('keys')).toMatchObject([
    { level: 'failure', found: expect.stringContaining('ENCRYPTION_KEY does not open the signing key') },
  ]);
});

test('secrets of receivers that no key of ENCRYPTION_KEY opens are a failure and named, beside a signing key that opens', async () => {
  const { organization } = await createTenant(api);
  const other = 'y'.repeat(43);
  const { stdout, stderr } = await runCommand(
    { ...environment, ENCRYPTION_KEY: other, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    ...['webhooks', 'create', '--url', 'http://127.0.0.1:9/events', '--organization', organization],
    ...['--reason', 'test', '--json'],
  );
  expect(stderr).toBe('');
  const { endpoint } = JSON.parse(stdout) as { endpoint: string };
  const keys = async (key: string) => (await doctor({ ENCRYPTION_KEY: key })).of('keys');
  const own = environment.ENCRYPTION_KEY ?? '';
  await expect
    .poll(() => keys(own))
    .toMatchObject([{ level: 'failure', found: `ENCRYPTION_KEY does not open the secrets of ${endpoint}` }]);
  await expect.poll(() => keys(`${own},${other}`)).toMatchObject([{ level: 'ok' }]);
});

test('connections of all roles count', async () => {
  const held = Array.from({ length: 8 }, () => new pg.Client({ connectionString: api.database.ownerUrl }));
  await Promise.all(held.map((client) => client.connect()));
  try {
    /* Others open and close theirs meanwhile. */
    const ofOthers = async () => {
      const [row] = await storedRows<{ own: number }>(
        api,
        "SELECT count(*)::integer AS own FROM pg_stat_activity WHERE usename = 'voltstream_app'",
      );
      const [line] = (await doctor()).of('connections');
      return Number(/^\d+/.exec(line?.found ?? '')?.[0]) - (row?.own ?? 0);
    };
    await expect.poll(ofOthers).toBeGreaterThanOrEqual(held.length);
  } finally {
    await Promise.all(held.map((client) => client.end()));
  }
});

test('a privileged role of the service is a failure, and so is one of maintenance that does not sign in', async () => {
  const { of } = await doctor({
    DATABASE_URL: api.database.ownerUrl,
    DATABASE_MAINTENANCE_URL: api.database.maintenanceUrl.replace(/:[^:@/]+@/, ':wrong@'),
  });
  expect(of('roles and rights')[0]).toMatchObject({
    level: 'failure',
    found: 'The role voltstream_owner may do more than a service should',
    remedy: 'DATABASE_URL has to name voltstream_app',
  });
  expect(of('maintenance role')).toMatchObject([
    { level: 'failure', found: expect.stringContaining('refuses the sign-in') },
  ]);
});

test('a wrong address of Redis or of another role is a failure, and hides none that is good', async () => {
  const { of } = await doctor({
    ...{ REDIS_URL: 'valkey://127.0.0.1:6379', DATABASE_OWNER_URL: 'postgre://owner@127.0.0.1/voltstream' },
    DATABASE_ADMIN_URL: '127.0.0.1',
  });
  expect(of('configuration').map(({ level, found }) => [level, found.split(':')[0]])).toEqual([
    ...[
      ['failure', 'DATABASE_ADMIN_URL'],
      ['failure', 'DATABASE_OWNER_URL'],
      ['failure', 'REDIS_URL'],
    ],
  ]);
  expect(of('maintenance role')).toMatchObject([{ level: 'ok' }]);
});

test('a certificate that this machine does not trust is told as that, and not as an API that is away', async () => {
  const credentials = testAuthority().issue({ host: 'localhost', days: [-1, 1], signer: 'itself' });
  const server = createHttpsServer(credentials).listen(0);
  try {
    const { port } = server.address() as AddressInfo;
    const { of } = await doctor({ BASE_URL: `https://localhost:${port}` });
    expect(of('api')).toMatchObject([
      { level: 'failure', remedy: expect.stringMatching(/^This machine does not trust the certificate: /) },
    ]);
  } finally {
    server.close();
  }
});

test('a configuration with mistakes is told one by one, and what needs none of it is looked at', async () => {
  const { of, checks } = await doctor({ SECRET_PEPPER: 'short', DATABASE_URL: 'mysql://nowhere' });
  expect(of('configuration').map(({ found }) => found)).toEqual([
    expect.stringMatching(/^DATABASE_URL: /),
    expect.stringMatching(/^SECRET_PEPPER: /),
  ]);
  expect(of('redis')).toHaveLength(1);
  expect(of('api').map(({ found }) => found)).not.toContain('not looked at: BASE_URL is not set here');
  expect(checks.map(({ check }) => check)).not.toContain('versions');
});

/** Takes connections and says nothing. */
async function silentServer(): Promise<{ port: number; server: Server }> {
  const server = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return { port: address.port, server };
}

test.runIf(isLongTier)(
  'servers that hang cost the time of one check, and the database is asked nothing more',
  async () => {
    const { port, server } = await silentServer();
    const at = (url: string) => {
      const address = new URL(url);
      address.port = String(port);
      return address.href;
    };
    const began = performance.now();
    const { of, checks } = await doctor({
      DATABASE_URL: at(api.database.appUrl),
      REDIS_URL: at(api.deps.config.REDIS_URL),
      BASE_URL: `http://127.0.0.1:${port}`,
    });
    expect(performance.now() - began).toBeLessThan(9_000);
    server.close();
    expect(of('database')).toMatchObject([
      { level: 'failure', remedy: expect.stringContaining('PostgreSQL') },
    ]);
    expect(of('redis')).toMatchObject([{ level: 'failure', found: 'No answer within 5 s' }]);
    expect(of('api')).toMatchObject([{ level: 'failure' }]);
    expect(checks.map(({ check }) => check)).not.toContain('versions');
  },
);

test('a write-ahead log that was archived once is no backup: only one that was within a week, and still is', () => {
  const now = Date.parse('2026-11-28T12:00:00Z');
  const [old, recent] = ['2026-11-20T11:00:00Z', '2026-11-27T11:00:00Z'];
  const level = (takenAt: string | null, archiving: string, archivedAt: string | null) =>
    [judgeBackups({ takenAt, archiving, archivedAt }, now)].flat().map((finding) => finding.level)[0];
  expect(level(null, 'off', null)).toBe('warning');
  expect(level(null, 'on', old)).toBe('warning');
  expect(level(old, 'always', old)).toBe('warning');
  expect(level(old, 'off', recent)).toBe('warning');
  expect(level(null, 'on', recent)).toBe('ok');
  expect(level(old, 'on', recent)).toBe('ok');
  expect(level(recent, 'off', null)).toBe('ok');
});
