import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { serversFolder, valkeyProgram } from './server-packages.ts';
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
import { handOver, type ServerUser, spawnAs } from './server-user.ts';

const portTries = 3;

export interface RedisService {
  /** The service's address: it may not empty the server, list its keys or change its settings. */
  url: string;
  /** The address without limits, for tests. */
  adminUrl: string;
  port: number;
  /** Of a private server only. */
  pid: number | undefined;
  logFile: string | undefined;
}

export interface RedisPasswords {
  password: string;
  adminPassword: string;
}

export const valkeyFolder = (folder: string): string => join(folder, 'valkey');
export const valkeyLogFile = (folder: string): string => join(folder, 'valkey.log');
const configurationFile = (folder: string): string => join(valkeyFolder(folder), 'valkey.conf');

export const redisUrls = (passwords: RedisPasswords, port: number) => ({
  url: `redis://:${passwords.password}@127.0.0.1:${port}`,
  adminUrl: `redis://admin:${passwords.adminPassword}@127.0.0.1:${port}`,
});

/** A file rather than arguments, which would show the passwords to everybody in the list of processes. */
function configuration(folder: string, port: number, passwords: RedisPasswords): string {
  const denied = ['flushall', 'flushdb', 'keys', 'config', 'acl', 'debug', 'module', 'replicaof', 'shutdown'];
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    'protected-mode yes',
    'daemonize no',
    `dir "${valkeyFolder(folder)}"`,
    // The append-only file is the one copy on disk; a snapshot beside it would only cost memory.
    'save ""',
    'appendonly yes',
    'appendfsync everysec',
    // Eviction would delete queue keys without a word.
    'maxmemory 1gb',
    'maxmemory-policy noeviction',
    `user default on >${passwords.password} ~* &* +@all ${denied.map((name) => `-${name}`).join(' ')}`,
    `user admin on >${passwords.adminPassword} ~* &* +@all`,
    '',
  ].join('\n');
}

const field = (information: string, name: string): string =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(information)?.[1] ?? '';

/** Undefined while nobody answers; an error when whoever answers is not the server of this folder. */
async function connectTo(
  folder: string,
  port: number,
  passwords: RedisPasswords,
): Promise<number | undefined> {
  const client = new Redis(redisUrls(passwords, port).adminUrl, {
    lazyConnect: true,
    connectTimeout: 5000,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let refused = false;
  client.on('error', (error: Error) => {
    refused ||= /WRONGPASS|NOAUTH/.test(error.message);
  });
  try {
    await client.connect();
    const information = await client.info();
    const reached = field(information, 'config_file');
    if ((await realpath(reached).catch(() => reached)) === (await realpath(configurationFile(folder)))) {
      return field(information, 'loading') === '0' ? Number(field(information, 'process_id')) : undefined;
    }
  } catch (error) {
    refused ||= error instanceof Error && /WRONGPASS|NOAUTH/.test(error.message);
    if (!refused) return undefined;
  } finally {
    client.disconnect();
  }
  throw new Error(`The Valkey on port ${port} is not the one of ${valkeyFolder(folder)}.`);
}

/** The server at work in this folder. */
export async function runningValkey(folder: string): Promise<number | undefined> {
  return (await serverProcessesIn(valkeyFolder(folder), serversFolder))[0];
}

export async function startValkey(options: {
  folder: string;
  user: ServerUser;
  passwords: RedisPasswords;
  rememberedPort: number | undefined;
  report: (line: string) => void;
}): Promise<{ service: RedisService; started: boolean }> {
  const { folder, user, passwords, report } = options;
  const logFile = valkeyLogFile(folder);

  const ready = async (port: number, isRunning: () => Promise<boolean>, started: boolean) => {
    const connect = () => connectTo(folder, port, passwords);
    const pid = await waitUntilReady({ name: 'Valkey', logFile, isRunning, connect, report });
    return { service: { ...redisUrls(passwords, port), port, pid, logFile }, started };
  };

  const running = await runningValkey(folder);
  if (running !== undefined && options.rememberedPort !== undefined) {
    return ready(options.rememberedPort, () => worksIn(running, valkeyFolder(folder)), false);
  }
  await mkdir(valkeyFolder(folder), { recursive: true, mode: 0o700 });
  await handOver(user, valkeyFolder(folder));
  await rotateLog(logFile);

  let remembered = options.rememberedPort;
  for (let tries = 1; ; tries += 1) {
    const port = await choosePort(remembered);
    const file = configurationFile(folder);
    await writeFile(file, configuration(folder, port, passwords), { mode: 0o600 });
    await handOver(user, file);
    const child = await spawnAs(user, valkeyProgram('valkey-server'), [file], logFile);
    try {
      return await ready(port, async () => !hasExited(child), true);
    } catch (error) {
      // Somebody else took the port between the look and the start.
      if (tries >= portTries || !hasExited(child) || (await isFree(port))) throw error;
      remembered = undefined;
    }
  }
}

export async function stopValkey(folder: string): Promise<boolean> {
  const pids = await serverProcessesIn(valkeyFolder(folder), serversFolder);
  for (const pid of pids) sendSignal(pid, 'SIGTERM');
  if (!(await waitUntilGone(pids, 60))) {
    throw new Error(`Valkey (process ${pids.join(', ')}) does not stop (log: ${valkeyLogFile(folder)})`);
  }
  return pids.length > 0;
}
