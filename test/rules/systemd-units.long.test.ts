import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePortFrom } from '../../src/cli/local/ports.ts';
import { VARIABLES_READ_BY } from '../../src/config/config.ts';
import { testEnvironment } from '../setup/api.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { feedConfig, takeFeed } from '../setup/feed.ts';
import { takeTestRedis } from '../setup/redis.ts';
import { projectFolder } from './project-files.ts';

/* What systemd gives a service; the pinned Node is not in it. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const hasNode = spawnSync('/usr/bin/env', ['node', '--version'], { env: { PATH } }).status === 0;
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

const UNITS = ['api', 'worker'] as const;
const pathOf = (unit: string) => join(projectFolder, `ops/voltstream-${unit}.service`);

/** The settings of a unit; one that stands twice keeps the last. */
function settingsOf(unit: string): Record<string, string> {
  const lines = readFileSync(pathOf(unit), 'utf8').split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^([A-Z]\w+)=(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value ?? '']];
    }),
  );
}

test.skipIf(!hasSystemd)('systemd understands both units, and finds them well protected', () => {
  for (const unit of UNITS) {
    const verified = spawnSync('systemd-analyze', ['verify', pathOf(unit)], { encoding: 'utf8' });
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    const rated = spawnSync('systemd-analyze', ['security', '--offline=true', pathOf(unit)], {
      encoding: 'utf8',
    });
    expect(Number(/exposure level[^:]*: ([\d.]+)/.exec(rated.stdout)?.[1])).toBeLessThan(4);
  }
});

test('a stop reaches the launcher once, and leaves the process its time', () => {
  for (const unit of UNITS) {
    const settings = settingsOf(unit);
    expect(settings).toMatchObject({ KillMode: 'mixed', TimeoutStopSec: '30', Restart: 'on-failure' });
    expect(settings.MemoryDenyWriteExecute).toBeUndefined();
  }
});

const feed = await takeFeed();

describe.skipIf(!hasNode)('with the Node of the machine, as systemd would run it', () => {
  const running: ChildProcess[] = [];
  let database: TestDatabase;
  let redisUrl: string;
  let cache: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    redisUrl = await takeTestRedis();
    cache = await mkdtemp(join(tmpdir(), 'voltstream-cache-'));
  });
  afterAll(async () => {
    for (const child of running) if (child.exitCode === null) child.kill('SIGKILL');
    await database.drop();
    await rm(cache, { recursive: true });
  });

  /** One line of the unit, word by word, in the project's folder. */
  function run(line: string, environment: Record<string, string>): ChildProcess {
    const [program = '', ...words] = line.split(' ');
    const child = spawn(program, words, {
      cwd: projectFolder,
      env: { PATH, ...environment },
      stdio: 'ignore',
    });
    running.push(child);
    return child;
  }

  async function environmentOf(unit: (typeof UNITS)[number], port: number) {
    const reads = VARIABLES_READ_BY[unit === 'api' ? 'service' : 'worker'];
    const all: Record<string, string> = {
      ...testEnvironment(database, redisUrl),
      ...feedConfig(feed),
      BASE_URL: `http://127.0.0.1:${port}`,
      SHUTDOWN_DELAY_SECONDS: '0',
    };
    const given = Object.entries(all).filter(([name]) => reads.includes(name));
    const own = (settingsOf(unit).Environment ?? '')
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]);
    return {
      ...Object.fromEntries([...own, ...given]),
      NODE_COMPILE_CACHE: cache,
      [unit === 'api' ? 'PORT' : 'WORKER_PORT']: String(port),
    };
  }

  /** The program that a process of the launcher runs. */
  function programBelow(pid: number | undefined): string {
    const child = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return readlinkSync(`/proc/${child}/exe`);
  }

  test.each(UNITS)(
    'the %s starts by its ExecStart, becomes ready for its ExecStartPost, and ends in order',
    async (unit) => {
      const { ExecStart = '', ExecStartPost = '' } = settingsOf(unit);
      const port = await freePortFrom(24_300);
      const environment = await environmentOf(unit, port);
      const service = run(ExecStart, environment);
      const ended = once(service, 'exit');
      const waiting = run(ExecStartPost.replace(/\d+$/, String(port)), environment);
      expect(await once(waiting, 'exit')).toEqual([0, null]);
      expect(programBelow(service.pid)).toBe(process.execPath);
      service.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
    },
  );
});
