import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { sentencesOf } from '../../../src/cli/engine/sentences.ts';
import { type Database, openDatabase } from '../../../src/platform/database/db.ts';
import { SQLSTATE, sqlState } from '../../../src/platform/database/pg-errors.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { Failure } from '../../../src/platform/errors.ts';
import { newId } from '../../../src/platform/ids.ts';
import { persistently } from '../../setup/busy.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { isLongTier, runs } from '../../setup/tier.ts';

let testDatabase: TestDatabase;
const opened: Database[] = [];
const errors: Error[] = [];
const A = { organization: newId('org') };
const B = { organization: newId('org') };

function open(options: Partial<Parameters<typeof openDatabase>[0]> = {}): Database {
  const database = openDatabase({
    url: testDatabase.appUrl,
    applicationName: 'test',
    connectionsMax: 1,
    onError: (error) => errors.push(error),
    ...options,
  });
  opened.push(database);
  return database;
}

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const database = open();
  for (const { organization } of [A, B]) {
    await database.inOrganization({ organization }, (connection) =>
      connection.insertInto('organizations').values({ id: organization, name: organization }).execute(),
    );
  }
});

afterEach(async () => {
  errors.length = 0;
  await Promise.all(opened.splice(0).map((database) => database.close()));
});

afterAll(() => testDatabase?.drop());

const backendOf = async (database: Database) =>
  await database.withClient(async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return rows[0]?.pid;
  });

const terminate = (pid: number | undefined) =>
  withDatabaseClient(testDatabase.adminUrl, (client) =>
    client.query('SELECT pg_terminate_backend($1::integer, 5000)', [pid]),
  );

const REQUESTS = runs(1_000);

test(`I10 ${REQUESTS.toLocaleString('en')} alternating requests of two organizations on one connection, with errors between, see no foreign row`, async () => {
  const database = open();
  const seen = { foreign: 0, own: 0, failed: 0, settings: new Set<string>() };
  const work = async (index: number): Promise<void> => {
    const tenant = index % 2 === 0 ? A : B;
    try {
      await database.inOrganization(tenant, async (connection) => {
        const rows = await connection.selectFrom('organizations').select('id').execute();
        for (const row of rows) seen[row.id === tenant.organization ? 'own' : 'foreign'] += 1;
        if (index % 7 === 0) await sql`SELECT 1 / 0`.execute(connection);
        if (index % 11 === 0) throw new Error('a rule says no');
      });
    } catch (error) {
      /* On a busy machine one may wait longer than it may: whoever asked asks again. */
      if (!/division by zero|a rule says no/.test(String(error))) return await work(index);
      seen.failed += 1;
    }
    if (index % 50 !== 0) return;
    const found = () =>
      database.withClient((client) =>
        client.query<{ found: string | null }>(
          "SELECT current_setting('app.organization', true) || current_setting('app.customer', true) AS found",
        ),
      );
    seen.settings.add((await persistently(found)).rows[0]?.found ?? '');
  };
  /* Few enough at once that none waits as long for the connection as a request may. */
  for (let start = 0; start < REQUESTS; start += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, offset) => work(start + offset)));
  }
  expect(seen.foreign).toBe(0);
  expect(seen.own).toBe(REQUESTS);
  expect(seen.failed).toBeGreaterThan(REQUESTS / 5);
  expect([...seen.settings]).toEqual(['']);
  expect(database.pool.totalCount).toBe(1);
});

test('F04 a connection that the server ends while its transaction is idle fails that request and no other', async () => {
  const database = open();
  const work = database.inOrganization(A, async (connection) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(connection);
    await terminate(rows[0]?.pid);
    await sql`SELECT 1`.execute(connection);
  });
  await expect(work).rejects.toThrow(/terminat|connection error|not queryable/);
  expect(await database.asService(async () => 'next')).toBe('next');
});

test('an idle connection that the server ends is reported once and replaced', async () => {
  const database = open();
  const before = await backendOf(database);
  await terminate(before);
  const after = await backendOf(database).catch(() => backendOf(database));
  expect(after).not.toBe(before);
  expect(errors).toHaveLength(1);
});

test('a connection outlasts the minute between two pushes of a gateway', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const database = open();
    const pid = () =>
      database.withClient(async (client) => {
        const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        return rows[0]?.pid;
      });
    const before = await pid();
    vi.advanceTimersByTime(61_000);
    expect(await pid()).toBe(before);
  } finally {
    vi.useRealTimers();
  }
});

test('F09 who gets no connection within the time is turned away, and 200 may wait', async () => {
  const database = open({ connectTimeoutMilliseconds: 60_000 });
  /* Only waiting is short: to open a connection takes a busy machine longer. */
  await database.asService(async () => {});
  database.pool.options.connectionTimeoutMillis = 300;
  const gate = Promise.withResolvers<void>();
  const holder = database.asService(() => gate.promise);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 250 }, () => database.asService(async () => 1)),
  );
  gate.resolve();
  await holder;
  for (const outcome of outcomes) {
    const reason = outcome.status === 'rejected' ? outcome.reason : undefined;
    expect(reason).toBeInstanceOf(Failure);
    expect((reason as Failure).status).toBe(503);
  }
  expect(database.pool.waitingCount).toBe(0);
  expect(await database.asService(async () => 'free again')).toBe('free again');
});

test('a swallowed error of a statement does not look like a stored transaction', async () => {
  const database = open();
  const work = database.inOrganization(A, async (connection) => {
    await connection.updateTable('organizations').set({ name: 'lost' }).execute();
    await sql`SELECT 1 / 0`.execute(connection).catch(() => undefined);
  });
  await expect(work).rejects.toThrow('nothing of it was stored');
  const [row] = await database.inOrganization(A, (connection) =>
    connection.selectFrom('organizations').select('name').execute(),
  );
  expect(row?.name).toBe(A.organization);
});

test('a connection that comes back with a transaction open is destroyed', async () => {
  const database = open();
  const before = await backendOf(database);
  await database.withClient((client) =>
    client.query(`BEGIN; SELECT set_config('app.organization', '${A.organization}', true)`),
  );
  expect(await backendOf(database)).not.toBe(before);
});

test('an error of a rule, or of a statement, leaves the connection in use', async () => {
  const database = open();
  const before = await backendOf(database);
  await expect(database.asService(() => Promise.reject(new Error('rule')))).rejects.toThrow('rule');
  await expect(database.asService((connection) => sql`SELECT 1 / 0`.execute(connection))).rejects.toThrow(
    'zero',
  );
  expect(await backendOf(database)).toBe(before);
});

test('an error that wraps a lost connection destroys the connection', async () => {
  const database = open();
  const before = await backendOf(database);
  const cause = new Error('Query read timeout');
  await expect(
    database.withClient(() => Promise.reject(new Error('outcome unknown', { cause }))),
  ).rejects.toThrow('outcome unknown');
  expect(await backendOf(database)).not.toBe(before);
});

test('only ids become part of a statement', async () => {
  const database = open();
  for (const organization of [
    "org_x'; DROP TABLE organizations; --",
    '',
    'org_short',
    `${A.organization}\n`,
  ]) {
    await expect(database.inOrganization({ organization }, async () => 1)).rejects.toThrow(TypeError);
    await expect(database.inOrganization({ ...A, customer: organization }, async () => 1)).rejects.toThrow(
      TypeError,
    );
  }
  expect(database.pool.totalCount).toBe(0);
});

test('instants keep their microseconds, dates their day, integers and decimals their digits', async () => {
  await withDatabaseClient(testDatabase.adminUrl, (client) =>
    client.query(`
      ALTER DATABASE ${testDatabase.name} SET TimeZone = 'Asia/Kathmandu';
      ALTER DATABASE ${testDatabase.name} SET DateStyle = 'German';
      ALTER DATABASE ${testDatabase.name} SET extra_float_digits = -5`),
  );
  const database = open();
  const row = await database.asService(async (connection) => {
    const { rows } = await sql`
      SELECT timestamptz '2026-10-25 02:30:00.123456+02' AS micros, timestamptz '2026-10-25 00:30:00Z' AS whole,
             date '2026-03-29' AS day, 9007199254740991::bigint AS large, 0.10::numeric AS exact,
             0.1::float8 + 0.2::float8 AS float`.execute(connection);
    return rows[0];
  });
  expect(row).toEqual({
    micros: '2026-10-25T00:30:00.123456Z',
    whole: '2026-10-25T00:30:00.000Z',
    day: '2026-03-29',
    large: Number.MAX_SAFE_INTEGER,
    exact: '0.10',
    float: 0.1 + 0.2,
  });
  await expect(
    database.asService((connection) => sql`SELECT 9007199254740993::bigint AS x`.execute(connection)),
  ).rejects.toThrow(RangeError);
});

/** A server in between that can stop passing bytes on, as a network does that drops every packet. */
async function startTunnel(target: URL): Promise<{ url: string; freeze(): void; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let frozen = false;
  const server: Server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
      from.on('data', (bytes) => {
        if (!frozen) to.write(bytes);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(target);
  if (address !== null && typeof address === 'object') url.port = String(address.port);
  return {
    url: url.href,
    freeze: () => {
      frozen = true;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

test('F06 a server that no longer answers holds a request for 18 s at most, and its connection is not used again', async () => {
  const tunnel = await startTunnel(new URL(testDatabase.appUrl));
  const database = open({ url: tunnel.url });
  const { options } = database.pool;
  expect(options.query_timeout).toBe(18_000);
  /* A twelfth of it in `npm test`. */
  const limit = isLongTier ? 18_000 : 1_500;
  options.query_timeout = limit;
  await backendOf(database);
  tunnel.freeze();
  const startedAt = performance.now();
  await expect(database.asService(async () => 1)).rejects.toThrow('Query read timeout');
  const milliseconds = performance.now() - startedAt;
  expect(milliseconds).toBeGreaterThan(limit - 100);
  /* Without a limit it would never end. */
  expect(milliseconds).toBeLessThan(limit + 22_000);
  expect(database.pool.totalCount).toBe(0);
  await tunnel.close();
});

test('a connection outside of pools is given up after the limit that its caller gave', async () => {
  const tunnel = await startTunnel(new URL(testDatabase.appUrl));
  tunnel.freeze();
  const startedAt = performance.now();
  const connecting = withDatabaseClient(tunnel.url, async () => 1, { connectTimeoutMilliseconds: 200 });
  await expect(connecting).rejects.toThrow('timeout expired');
  expect(performance.now() - startedAt).toBeLessThan(9_000);
  await tunnel.close();
});

test('a connection that the server ends between two statements fails the next one with the reason', async () => {
  const database = open();
  const failure: unknown = await database
    .asService(async (connection) => {
      await sql`SET LOCAL idle_in_transaction_session_timeout = '20ms'`.execute(connection);
      /* The end of the socket is reported too, at once or later. */
      await vi.waitFor(() => expect(errors).not.toHaveLength(0), { timeout: 20_000 });
      await sql`SELECT 1`.execute(connection);
    })
    .catch((error: unknown) => error);
  expect(sqlState(failure)).toBe(SQLSTATE.idleInTransaction);
  expect(sentencesOf(failure)).toMatch(/^The command computed for more than 10 s inside a transaction/);
});
