import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { sendSignal, waitUntilGone } from '../../scripts/local-services/server-processes.ts';
import { isConnectionDoubtful, isDiskFull } from '../../src/platform/database/pg-errors.ts';
import { livingChildren } from '../measure/processor.ts';
import { connect as connectDatabase } from '../surroundings/connect.ts';
import { redisPidOf } from '../surroundings/redis-server.ts';
import type { Disk } from './disk.ts';
import { familyOf, killFamily, type Parts } from './parts.ts';

/* Each is over when `strike` returns: what died runs again, what was held goes on. */

export interface Fault {
  readonly name: string;
  /** Who may neither be refused nor lose an answer by it. */
  readonly unnoticedBy?: 'everybody' | 'readers';
  /** Fills the disk of PostgreSQL, which has to be the run's own. */
  readonly needsDisk?: true;
  strike(parts: Parts): Promise<void>;
}

const HELD_MILLISECONDS = 10_000;
const GONE_SECONDS_MAX = 60;
const HOUR_MILLISECONDS = 3_600_000;
/** Below what one address may have open at once. */
const IDLE_CALLERS = 200;
/** 64 MB: more than what others free meanwhile. */
const ROWS_WITHOUT_ROOM = 64_000;
const FILL_TRIES = 5;
const LOG_BYTES = 1_000_000;
/** Behind what is there to be used again. */
const LOG_BYTES_MAX = 200_000_000;

async function hold(pid: number): Promise<void> {
  const held = familyOf(pid);
  for (const each of held) sendSignal(each, 'SIGSTOP');
  await wait(HELD_MILLISECONDS);
  for (const each of held) sendSignal(each, 'SIGCONT');
}

async function disturb(parts: Parts, line: 'callersLine' | 'databaseLine', state: 'slow' | 'silent') {
  parts[line].state = state;
  await wait(HELD_MILLISECONDS);
  parts[line].state = 'open';
}

async function setClocks({ api, worker, clockFile }: Parts, milliseconds: number): Promise<void> {
  await writeFile(clockFile, String(milliseconds));
  for (const pid of [...familyOf(api.pid), ...familyOf(worker.pid)]) sendSignal(pid, 'SIGUSR2');
}

async function restartPostgres({ postgres }: Parts, end: (pid: number) => Promise<void>): Promise<void> {
  const pid = postgres.pid();
  await end(pid);
  await postgres.start();
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'kill -9 of one API process of two',
    strike: async ({ api }) => {
      const [child] = livingChildren(api.pid);
      if (child === undefined) throw new Error('The API has no process beside its primary');
      sendSignal(child, 'SIGKILL');
    },
  },
  {
    name: 'kill -9 of all API processes',
    strike: async (parts) => {
      await killFamily(parts.api.pid);
      parts.api = await parts.startApi();
    },
  },
  { name: 'API stopped for 10 s', strike: ({ api }) => hold(api.pid) },
  {
    name: 'kill -9 of the worker',
    unnoticedBy: 'everybody',
    strike: async (parts) => {
      await killFamily(parts.worker.pid);
      parts.worker = await parts.startWorker();
    },
  },
  {
    name: 'worker restarted',
    unnoticedBy: 'everybody',
    strike: async (parts) => {
      await parts.worker.stop();
      parts.worker = await parts.startWorker();
    },
  },
  { name: 'worker stopped for 10 s', unnoticedBy: 'everybody', strike: ({ worker }) => hold(worker.pid) },
  { name: 'PostgreSQL restarted', strike: (parts) => restartPostgres(parts, endFast) },
  { name: 'PostgreSQL stopped for 10 s', strike: ({ postgres }) => hold(postgres.pid()) },
  { name: 'kill -9 of PostgreSQL', strike: (parts) => restartPostgres(parts, killFamily) },
  {
    name: 'disk of the database full for 10 s',
    needsDisk: true,
    unnoticedBy: 'readers',
    strike: (parts) =>
      withFullDisk(parts, async (client) => {
        await wait(HELD_MILLISECONDS);
        await failToStore(client, parts.postgres.disk);
      }),
  },
  {
    name: 'disk of the database full, for its write-ahead log as well',
    needsDisk: true,
    strike: async (parts) => {
      /* Somebody has forgotten a replica: what it has not read is not used again, and the log grows until nothing is left. */
      await ask(parts, "SELECT pg_create_physical_replication_slot('load', true)");
      try {
        await withFullDisk(parts, useUpLog);
      } finally {
        await ask(parts, "SELECT pg_drop_replication_slot('load')");
      }
    },
  },
  {
    name: 'all connections of the database ended',
    strike: (parts) =>
      ask(
        parts,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      ),
  },
  {
    name: 'line to the database silent for 10 s',
    strike: (parts) => disturb(parts, 'databaseLine', 'silent'),
  },
  {
    name: 'line to the database slow for 10 s',
    strike: (parts) => disturb(parts, 'databaseLine', 'slow'),
  },
  { name: 'kill -9 of Redis', strike: async ({ redis }) => await redis.killAndStart?.() },
  {
    name: 'Redis gone for 10 s',
    strike: async ({ redis }) => await redis.killAndStart?.(HELD_MILLISECONDS),
  },
  {
    name: 'Redis stopped for 10 s',
    strike: async ({ redis }) => {
      const pid = await redisPidOf(redis.url);
      if (pid !== null) await hold(pid);
    },
  },
  { name: 'Redis emptied', unnoticedBy: 'everybody', strike: ({ redis }) => redis.empty() },
  { name: 'line of the callers slow for 10 s', strike: (parts) => disturb(parts, 'callersLine', 'slow') },
  {
    name: 'line of the callers silent for 10 s',
    strike: (parts) => disturb(parts, 'callersLine', 'silent'),
  },
  ...[1, -1].map((hours) => ({
    name: `clock of API and worker an hour ${hours > 0 ? 'ahead' : 'behind'} for 10 s`,
    unnoticedBy: 'everybody' as const,
    strike: async (parts: Parts) => {
      await setClocks(parts, hours * HOUR_MILLISECONDS);
      await wait(HELD_MILLISECONDS);
      await setClocks(parts, 0);
    },
  })),
  {
    name: `${IDLE_CALLERS} callers who stay silent in the middle of a request`,
    unnoticedBy: 'everybody',
    strike: stayHalfOpen,
  },
  {
    name: 'rolling restart',
    unnoticedBy: 'everybody',
    strike: async (parts) => {
      const old = parts.api;
      parts.api = await parts.startApi();
      process.kill(old.pid, 'SIGTERM');
      if (!(await waitUntilGone(familyOf(old.pid), GONE_SECONDS_MAX)))
        throw new Error('The old API does not end');
    },
  },
];

/** As an operator stops it: whoever is connected is sent away. */
async function endFast(pid: number): Promise<void> {
  const all = familyOf(pid);
  sendSignal(pid, 'SIGINT');
  if (!(await waitUntilGone(all, GONE_SECONDS_MAX))) throw new Error('PostgreSQL does not end');
}

async function ask({ surroundings }: Parts, query: string): Promise<void> {
  const client = await connectDatabase(surroundings.databaseUrl, 'The database does not answer');
  try {
    await client.query(query);
  } finally {
    await client.end();
  }
}

async function withFullDisk(
  { postgres, surroundings }: Parts,
  meanwhile: (client: pg.Client) => Promise<void>,
) {
  const client = await connectDatabase(surroundings.databaseUrl, 'The database does not answer');
  /* As in a server that has run for long, some files of the log are there to be used again. */
  await client.query('CHECKPOINT');
  await postgres.disk?.fill();
  try {
    await failToStore(client, postgres.disk);
    await meanwhile(client);
  } finally {
    await postgres.disk?.empty();
    await client.end().catch(() => {});
  }
  /* The operator's part, where it ended. */
  await postgres.start();
}

/** The proof that the disk is full: PostgreSQL says so. What others have freed is filled again. */
async function failToStore(client: pg.Client, disk: Disk | undefined): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const storing = client.query(
      'CREATE TABLE load_without_room AS SELECT repeat(md5(i::text), 30) FROM generate_series(1, $1) AS i',
      [ROWS_WITHOUT_ROOM],
    );
    const error = await storing.then(
      () => undefined,
      (refused: unknown) => refused,
    );
    if (isDiskFull(error)) return;
    if (error !== undefined || tries >= FILL_TRIES)
      throw new Error(`The disk was not full: ${error ?? 'PostgreSQL found room'}`);
    await client.query('DROP TABLE load_without_room');
    await disk?.fill();
  }
}

/** Until PostgreSQL ends its processes, because its log has no room. */
async function useUpLog(client: pg.Client): Promise<void> {
  const over = wait(HELD_MILLISECONDS);
  /* Files that are there to be used again are room. After hours of load they are more than a gigabyte. */
  const { rows } = await client.query<{ bytes: number }>(
    'SELECT sum(size)::float8 AS bytes FROM pg_ls_waldir()',
  );
  const bytesMax = LOG_BYTES_MAX + (rows[0]?.bytes ?? 0);
  for (let bytes = 0; bytes < bytesMax; bytes += LOG_BYTES) {
    try {
      await client.query("SELECT pg_logical_emit_message(false, 'load', repeat('x', $1))", [LOG_BYTES]);
    } catch (error) {
      if (!isConnectionDoubtful(error)) throw error;
      return await over;
    }
  }
  throw new Error('The log always had room');
}

async function stayHalfOpen({ callersLine }: Parts): Promise<void> {
  const head = 'POST /asset-snapshots HTTP/1.1\r\nHost: voltstream\r\nContent-Length: 1000\r\n';
  const sockets = Array.from({ length: IDLE_CALLERS }, (_, index) => {
    const socket = connect({ host: '127.0.0.1', port: callersLine.port });
    socket.on('error', () => {});
    /* Some in the middle of the head, some in the middle of the body. */
    socket.write(index % 2 === 0 ? head : `${head}\r\n{"household":`);
    return socket;
  });
  await wait(HELD_MILLISECONDS);
  for (const socket of sockets) socket.destroy();
}
