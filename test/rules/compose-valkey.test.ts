import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { valkeyProgram } from '../../scripts/local-services/server-packages.ts';
import { choosePort } from '../../scripts/local-services/server-processes.ts';
import { composeFileWith } from './compose-file.ts';

/*
 * The container's own command, run by a shell with the unpacked Valkey in the place of the image's programs. Only
 * address, port and data folder differ.
 */

const passwords = { VALKEY_PASSWORD: 'service-password-1', VALKEY_ADMIN_PASSWORD: 'admin-password-2' };
const { valkey } = composeFileWith({ POSTGRES_PASSWORD: 'any', ...passwords }).services;
const hasServer = existsSync(valkeyProgram('valkey-server'));

let folder: string;
let port: number;
let server: ChildProcess;
let environment: Record<string, string>;

beforeAll(async () => {
  if (!hasServer) return;
  folder = await mkdtemp(join(tmpdir(), 'voltstream-valkey-'));
  port = await choosePort(undefined);
  await mkdir(join(folder, 'data'));
  await program('docker-entrypoint.sh', 'exec "$@"');
  await program('valkey-server', `exec ${valkeyProgram('valkey-server')} "$@"`);
  await program('valkey-cli', `exec ${valkeyProgram('valkey-cli')} -p ${port} "$@"`);
  environment = { PATH: `${folder}:/usr/bin:/bin`, ...valkey.environment };
  const [shell = '', ...rest] = valkey.command.map((part) =>
    part
      .replace('port 6379', `port ${port}`)
      .replace('bind * -::*', 'bind 127.0.0.1')
      .replace('dir /data', `dir ${join(folder, 'data')}`),
  );
  server = spawn(shell, rest, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    server.stdout?.on('data', (part: Buffer) => {
      output += part.toString('utf8');
      if (output.includes('Ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(output)));
  });
});

afterAll(async () => {
  if (!hasServer) return;
  if (server.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit');
  await rm(folder, { recursive: true });
});

function program(name: string, line: string): Promise<void> {
  return writeFile(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

async function as<Result>(
  user: string,
  password: string,
  work: (redis: Redis) => Promise<Result>,
): Promise<Result> {
  const redis = new Redis(`redis://${user}:${password}@127.0.0.1:${port}`, { retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

test.skipIf(!hasServer)("the container's queue evicts nothing and keeps what it is told", async () => {
  await as('', passwords.VALKEY_PASSWORD, async (redis) => {
    expect(await redis.set('one', '1')).toBe('OK');
    expect(await redis.info('memory')).toContain('maxmemory_policy:noeviction');
    expect(await redis.info('persistence')).toContain('aof_enabled:1');
  });
});

test.skipIf(!hasServer)(
  'the service can neither empty the queue nor list its keys nor change its settings',
  async () => {
    await as('', passwords.VALKEY_PASSWORD, async (redis) => {
      for (const [command, ...rest] of [
        ['FLUSHALL'],
        ['FLUSHDB'],
        ['KEYS', '*'],
        ['CONFIG', 'GET', '*'],
        ['ACL', 'LIST'],
        ['SHUTDOWN'],
      ] as const) {
        await expect(redis.call(command, ...rest)).rejects.toThrow(/NOPERM/);
      }
    });
    await as('admin', passwords.VALKEY_ADMIN_PASSWORD, async (redis) => {
      expect(await redis.call('CONFIG', 'GET', 'appendfsync')).toEqual(['appendfsync', 'everysec']);
    });
  },
);

test.skipIf(!hasServer)('nobody enters without a password', async () => {
  await expect(as('', 'guessed', (redis) => redis.ping())).rejects.toThrow();
});

test.skipIf(!hasServer)('the list of processes shows no password', async () => {
  const arguments_ = await readFile(`/proc/${server.pid}/cmdline`, 'utf8');
  for (const password of Object.values(passwords)) expect(arguments_).not.toContain(password);
});

test.skipIf(!hasServer)('the health check passes, and fails with another password', () => {
  const [kind, command = ''] = valkey.healthcheck?.test ?? [];
  expect(kind).toBe('CMD-SHELL');
  const check = (password: string) =>
    spawnSync('/bin/sh', ['-c', command], { env: { ...environment, VALKEY_PASSWORD: password } }).status;
  expect(check(passwords.VALKEY_PASSWORD)).toBe(0);
  expect(check('another')).not.toBe(0);
});
