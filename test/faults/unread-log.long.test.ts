import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { projectFolder } from '../../scripts/data-folder.mjs';
import { nodeEnvironment } from '../setup/node-environment.ts';

const KEY = 'k'.repeat(43);
const begun: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of begun.splice(0)) await end();
});

/** A pipe that is full, with its reading end open: what is written into it waits until somebody reads. */
async function fullPipe(): Promise<{ writing: number; reading: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'voltstream-pipe-'));
  const path = join(folder, 'log');
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const filling = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  const writing = openSync(path, constants.O_WRONLY);
  begun.push(async () => {
    for (const each of [reading, filling, writing]) closeSync(each);
    await rm(folder, { recursive: true });
  });
  try {
    for (;;) writeSync(filling, 'x'.repeat(512));
  } catch (error) {
    expect(error).toMatchObject({ code: 'EAGAIN' });
  }
  return { writing, reading };
}

function run(parameters: string[], environment: Record<string, string>, output: number): ChildProcess {
  const child = spawn(process.execPath, parameters, {
    cwd: projectFolder,
    env: { ...nodeEnvironment(), ...environment },
    stdio: ['ignore', output, 'pipe'],
  });
  begun.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

/** The API in the state in which it waits for its database: its second attempt shows that the first one was logged. */
async function waitingApi(output: number): Promise<ChildProcess> {
  const attempted = Promise.withResolvers<void>();
  let attempts = 0;
  const database = createServer((socket) => {
    socket.destroy();
    attempts += 1;
    if (attempts === 2) attempted.resolve();
  }).listen(0, '127.0.0.1');
  await once(database, 'listening');
  begun.push(async () => void database.close());
  const { port } = database.address() as AddressInfo;
  const api = run(
    ['src/main.ts'],
    {
      APP_ENV: 'test',
      BASE_URL: 'http://127.0.0.1:4300',
      PORT: '0',
      DATABASE_URL: `postgres://voltstream_app:secret@127.0.0.1:${port}/none`,
      REDIS_URL: 'redis://127.0.0.1:1',
      SECRET_PEPPER: KEY,
      ENCRYPTION_KEY: KEY,
      CURSOR_KEY: KEY,
    },
    output,
  );
  await attempted.promise;
  return api;
}

test('a full disk under the log does not keep it from ending', async () => {
  const full = openSync('/dev/full', 'w');
  begun.push(async () => closeSync(full));
  const api = await waitingApi(full);
  api.kill('SIGTERM');
  expect(await ended(api)).toEqual({ code: 0, signal: null });
});

const ended = (child: ChildProcess) =>
  Promise.race([
    once(child, 'exit').then(([code, signal]) => ({ code, signal })),
    wait(60_000, 'still there'),
  ]);

test('F27 a log that nobody reads does not keep a waiting API from ending on the first SIGTERM', async () => {
  const { writing } = await fullPipe();
  const api = await waitingApi(writing);
  api.kill('SIGTERM');
  expect(await ended(api)).toEqual({ code: 0, signal: null });
});

test('a reader that has gone does not keep it from ending either', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'voltstream-pipe-'));
  const path = join(folder, 'log');
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(path, constants.O_WRONLY);
  closeSync(reading);
  begun.push(async () => {
    closeSync(writing);
    await rm(folder, { recursive: true });
  });
  const api = await waitingApi(writing);
  api.kill('SIGTERM');
  expect(await ended(api)).toEqual({ code: 0, signal: null });
});

const ENDLESS_LOG = `
  import { createLogger } from './src/platform/log/logger.ts';
  import { createShutdown, shutdownOnSignals } from './src/platform/process/shutdown.ts';
  const log = createLogger({ level: 'info', name: 'endless' });
  const line = 'x'.repeat(10_000);
  let written = 0;
  const round = () => {
    for (let each = 0; each < 100; each += 1) log.info(line);
    written += 1;
    if (written < 100) return setImmediate(round);
    process.stderr.write('written ' + process.memoryUsage().arrayBuffers + '\\n');
    shutdownOnSignals(createShutdown({ log }));
    setInterval(() => log.info('alive'), 50);
  };
  round();
`;

test('lines that nobody reads take bounded memory, and how many were lost is said when somebody reads', async () => {
  const { writing, reading } = await fullPipe();
  const child = run(['--input-type=module', '--eval', ENDLESS_LOG], {}, writing);
  if (child.stderr === null) throw new Error('no standard error');
  const errors = text(child.stderr);
  const [said] = (await once(child.stderr, 'data')) as [Buffer];
  /* 100 MB were logged. */
  expect(Number(String(said).split(' ')[1])).toBeLessThan(40 * 1024 * 1024);

  let log = '';
  const bytes = Buffer.alloc(65_536);
  const heard = (words: RegExp) => {
    try {
      for (;;) log = log.slice(-20_000) + bytes.toString('utf8', 0, readSync(reading, bytes));
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
    }
    return words.test(log);
  };
  const patience = { interval: 5 };
  await expect.poll(() => heard(/"lines":\d{4,},"msg":"log lines lost"/), patience).toBe(true);
  const end = once(child, 'exit');
  child.kill('SIGTERM');
  await expect.poll(() => heard(/shutdown complete/), patience).toBe(true);
  expect(await Promise.race([end, wait(60_000, 'still there')])).toEqual([0, null]);
  expect(await errors).not.toContain('Error');
});
