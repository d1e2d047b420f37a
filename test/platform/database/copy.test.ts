import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyIn, copyInBehind, driverProblem } from '../../../src/platform/database/copy.ts';
import { copyInStream } from '../../../src/platform/database/copy-in.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.adminUrl });
  await client.connect();
  await client.query('CREATE TABLE copied (number integer PRIMARY KEY, filling text)');
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

const COPY = 'COPY copied FROM STDIN';
const lines = (from: number, until: number, filling = '') =>
  Buffer.from(Array.from({ length: until - from }, (_, at) => `${from + at}\t${filling}\n`).join(''));
/** More than all buffers on the way hold. */
const many = lines(0, 50_000, 'x'.repeat(200));
const count = async () => Number((await client.query('SELECT count(*) FROM copied')).rows[0]?.count);

/** Stands before the database and takes nothing more from a client that has sent a COPY, until it is told to. */
async function startLine(url: string) {
  const target = new URL(url);
  const open: Socket[] = [];
  const server = createServer((socket) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port) });
    open.push(socket, upstream);
    for (const socket of open) socket.on('error', () => {});
    upstream.pipe(socket);
    socket.on('data', (bytes) => {
      upstream.write(bytes);
      if (bytes.includes('COPY slow')) socket.pause();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    moveOn() {
      for (const socket of open) socket.resume();
    },
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

test('the pg that is installed is the one that COPY was written for; of another one it says so', () => {
  expect(driverProblem()).toBeNull();
  for (const version of ['7.18.2', '9.0.0', '80.1.0']) {
    expect(driverProblem(version)).toMatch(`pg ${version} is installed`);
  }
});

test('a COPY behind a statement that is under way follows it at once, and each gets its own answer', async () => {
  await client.query('BEGIN');
  const committed = client.query('COMMIT');
  const copied = copyInBehind(client, `BEGIN; ${COPY}`, lines(0, 10));
  expect((await committed).command).toBe('COMMIT');
  expect(await copied).toBe(10);
  expect((await client.query('ROLLBACK')).command).toBe('ROLLBACK');
  expect(await count()).toBe(0);
});

describe.each([
  ['our own', copyIn],
  ['pg-copy-streams', copyInStream],
])('COPY by %s', (_name, copy) => {
  test('gives the number of rows that were stored', async () => {
    await client.query('TRUNCATE copied');
    expect(await copy(client, COPY, lines(0, 20_000))).toBe(20_000);
    expect(await count()).toBe(20_000);
  });

  test('F10 that is refused at its first row leaves the client usable', async () => {
    await client.query('TRUNCATE copied');
    await copy(client, COPY, lines(0, 1));
    for (let time = 0; time < 2; time += 1) {
      await expect(copy(client, `BEGIN; ${COPY}`, many)).rejects.toMatchObject({ code: '23505' });
      expect((await client.query('ROLLBACK')).command).toBe('ROLLBACK');
    }
    expect(await count()).toBe(1);
  });

  test('with a statement that is wrong is refused, and leaves the client usable', async () => {
    await expect(copy(client, 'COPY nowhere FROM STDIN', lines(0, 1))).rejects.toMatchObject({
      code: '42P01',
    });
    expect(await count()).toBe(1);
  });

  test('that takes too long is given up, also when the line moves again afterwards', async () => {
    const line = await startLine(database.adminUrl);
    const other = new pg.Client({ connectionString: line.url, query_timeout: 500 });
    other.on('error', () => {});
    await other.connect();
    await other.query('CREATE TEMPORARY TABLE slow (number integer, filling text)');
    await expect(copy(other, 'COPY slow FROM STDIN', many)).rejects.toThrow('Query read timeout');
    line.moveOn();
    await expect.poll(() => other.connection.stream.writableLength).toBe(0);
    await other.end();
    line.close();
  });

  test('ends with the connection', async () => {
    const other = new pg.Client({ connectionString: database.adminUrl });
    other.on('error', () => {});
    await other.connect();
    await other.query(
      'CREATE OR REPLACE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$',
    );
    await other.query('CREATE TABLE deadly (number integer, filling text)');
    await other.query('CREATE TRIGGER die BEFORE INSERT ON deadly FOR EACH ROW EXECUTE FUNCTION die()');
    await expect(copy(other, 'COPY deadly FROM STDIN', many)).rejects.toThrow();
    await other.end();
    await client.query('DROP TABLE deadly');
  });
});
