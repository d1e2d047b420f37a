import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { postgresProgram, serversFolder } from './server-packages.ts';
import {
  choosePort,
  hasExited,
  isFree,
  rotateLog,
  sendSignal,
  serverProcessesIn,
  waitUntilGone,
  waitUntilReady,
  worksIn,
} from './server-processes.ts';
import { handOver, runAs, type ServerUser, spawnAs } from './server-user.ts';

const portTries = 3;

export interface PostgresService {
  /** The superuser's address. */
  adminUrl: string;
  port: number;
  /** Of a private server only. */
  dataDirectory: string | undefined;
  pid: number | undefined;
  logFile: string | undefined;
}

export const postgresDirectory = (folder: string): string => join(folder, 'postgres');
export const postgresLogFile = (folder: string): string => join(folder, 'postgres.log');

export const postgresUrl = (password: string, port: number): string =>
  `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;

interface Postmaster {
  pid: number;
  port: number | undefined;
}

/** The server at work in this data directory, by its own file, if that file does not speak of the past. */
export async function runningPostmaster(dataDirectory: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  if (!(pid > 0) || !(await worksIn(pid, dataDirectory))) return undefined;
  const port = Number.parseInt(lines[3] ?? '', 10);
  return { pid, port: port > 0 ? port : undefined };
}

/** What a server of docker-compose.yml and docs/deployment.md is given as well. */
export const SHARED_SETTINGS: Readonly<Record<string, string>> = {
  'timescaledb.telemetry_level': 'off',
  // LLVM is not unpacked: with `jit` on, the first costly query would fail.
  jit: 'off',
  max_connections: '100',
  /*
   * The first change of a page behind a checkpoint writes the whole page into the log. Each asset has a page of its own in the
   * index of snapshots: 10,000 assets that send once a minute wrote 1,590 bytes a row with a checkpoint every 5 minutes, 500
   * with one every 30. The log of 30 minutes must be less than max_wal_size / 1.9, or checkpoints come earlier.
   */
  checkpoint_timeout: '30min',
  max_wal_size: '4GB',
  /*
   * Everybody may NOTIFY, and one idle listener keeps the queue: with the default of 8 GB an analyst fills the disk. The
   * service uses none, so 64 pages, 512 kB, are enough: no less is possible.
   */
  max_notify_queue_pages: '64',
  synchronous_commit: 'on',
  fsync: 'on',
  full_page_writes: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_lock_waits: 'on',
};

function settings(port: number, given: Record<string, string>): string[] {
  const limit = process.constrainedMemory?.() || Number.POSITIVE_INFINITY;
  const megabytes = Math.floor(Math.min(totalmem(), limit) / 1024 ** 2);
  const all: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    // The compiled-in folder of the socket belongs to the system.
    unix_socket_directories: '',
    shared_preload_libraries: 'timescaledb',
    shared_buffers: `${Math.max(32, Math.min(1024, Math.floor(megabytes / 4)))}MB`,
    log_line_prefix: '%m [%p] ',
    ...SHARED_SETTINGS,
    ...given,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Undefined while nobody answers; an error when whoever answers is not the server of this folder. */
async function connectTo(port: number, password: string, dataDirectory: string): Promise<true | undefined> {
  const client = new pg.Client({
    connectionString: postgresUrl(password, port),
    connectionTimeoutMillis: 5000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    const reached = rows[0]?.data_directory ?? '';
    if ((await realpath(reached).catch(() => reached)) === (await realpath(dataDirectory))) return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== '28P01') return undefined;
  } finally {
    await client.end().catch(() => {});
  }
  throw new Error(`The PostgreSQL on port ${port} is not the one of ${dataDirectory}.`);
}

/**
 * Makes room for a new server. Children that outlived a killed one still hold its shared memory: PostgreSQL
 * itself refuses to start beside them. The process id left behind may by now belong to something else, or
 * to a dead process nobody has collected yet: PostgreSQL cannot tell these from a server and would refuse.
 */
async function clearRemains(dataDirectory: string): Promise<void> {
  const remains = await serverProcessesIn(dataDirectory, serversFolder);
  if (!(await waitUntilGone(remains, 10))) {
    for (const pid of remains) sendSignal(pid, 'SIGQUIT');
    if (!(await waitUntilGone(remains, 10))) {
      throw new Error(
        `Processes ${remains.join(', ')} of an earlier PostgreSQL in ${dataDirectory} do not end.`,
      );
    }
  }
  const pidFile = join(dataDirectory, 'postmaster.pid');
  const stalePid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  if (stalePid > 0 && existsSync(`/proc/${stalePid}`)) await rm(pidFile, { force: true });
}

/** Under another name until it is complete: an interrupted first start leaves nothing half made. */
async function initialize(
  folder: string,
  user: ServerUser,
  password: string,
  program: typeof postgresProgram,
): Promise<void> {
  const unfinished = join(folder, 'postgres.new');
  const passwordFile = join(folder, 'postgres.password');
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  try {
    await handOver(user, unfinished);
    await handOver(user, passwordFile);
    await runAs(user, program('initdb'), [
      ...['--pgdata', unfinished, '--username=postgres', '--encoding=UTF8', '--locale=C'],
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'],
      ...['--auth=scram-sha-256', '--pwfile', passwordFile],
    ]);
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    await writeFile(postgresLogFile(folder), output, { mode: 0o600 });
    const reason = output.split('\n').find((line) => line.includes('error:')) ?? 'initdb failed';
    throw new Error(
      `PostgreSQL's data folder could not be made: ${reason} (log: ${postgresLogFile(folder)})`,
    );
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(unfinished, postgresDirectory(folder));
}

export async function startPostgres(options: {
  folder: string;
  user: ServerUser;
  password: string;
  rememberedPort: number | undefined;
  settings: Record<string, string>;
  report: (line: string) => void;
  onBegun: () => void;
  /** Those of another version; else of the servers of this project. */
  program?: typeof postgresProgram;
}): Promise<{ service: PostgresService; started: boolean }> {
  const { folder, user, password, report, program = postgresProgram } = options;
  const dataDirectory = postgresDirectory(folder);
  const logFile = postgresLogFile(folder);

  const ready = async (port: number, isRunning: () => Promise<boolean>, started: boolean) => {
    const connect = () => connectTo(port, password, dataDirectory);
    await waitUntilReady({ name: 'PostgreSQL', logFile, isRunning, connect, report });
    const pid = (await runningPostmaster(dataDirectory))?.pid;
    return { service: { adminUrl: postgresUrl(password, port), port, dataDirectory, pid, logFile }, started };
  };

  const running = await runningPostmaster(dataDirectory);
  if (running) {
    // A server in its first moments has not written its port yet; it was given the remembered one.
    const port = running.port ?? options.rememberedPort;
    const isRunning = () => worksIn(running.pid, dataDirectory);
    if (port !== undefined) {
      try {
        return await ready(port, isRunning, false);
      } catch (error) {
        // One that was killed just now is still there for a moment, and ends while it is waited for.
        if (await isRunning()) throw error;
      }
    }
  }
  if (existsSync(dataDirectory)) await clearRemains(dataDirectory);
  else await initialize(folder, user, password, program);
  await rotateLog(logFile);

  let remembered = options.rememberedPort;
  for (let tries = 1; ; tries += 1) {
    const port = await choosePort(remembered);
    const parameters = ['-D', dataDirectory, ...settings(port, options.settings)];
    const child = await spawnAs(user, program('postgres'), parameters, logFile);
    options.onBegun();
    try {
      return await ready(port, async () => !hasExited(child), true);
    } catch (error) {
      // Somebody else took the port between the look and the start.
      if (tries >= portTries || !hasExited(child) || (await isFree(port))) throw error;
      remembered = undefined;
    }
  }
}

/** Open connections are ended, what is committed stays. */
export async function stopPostgres(folder: string): Promise<boolean> {
  const dataDirectory = postgresDirectory(folder);
  const running = await runningPostmaster(dataDirectory);
  if (!running) return false;
  sendSignal(running.pid, 'SIGINT');
  if (!(await waitUntilGone([running.pid], 120))) {
    throw new Error(`PostgreSQL (process ${running.pid}) does not stop (log: ${postgresLogFile(folder)})`);
  }
  return true;
}
