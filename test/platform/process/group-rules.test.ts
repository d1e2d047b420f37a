import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { ConfigurationError, readServiceConfig } from '../../../src/config/config.ts';
import { processesByDefault, shareOfProcess } from '../../../src/config/processes.ts';
import { connectionsOfPrimary } from '../../../src/platform/http/connections-together.ts';
import { type Line, openChannel } from '../../../src/platform/process/group/channel.ts';
import { createRestarts } from '../../../src/platform/process/group/restarts.ts';
import { signalOfGroup, signalsOfPrimary } from '../../../src/platform/process/group/shared-signals.ts';
import { createSignal } from '../../../src/platform/process/signals.ts';
import { createTokenAdvances } from '../../../src/platform/rate-limit/token-advances.ts';
import { testEnvironment } from '../../setup/environment.ts';

const NEEDS = { DATABASE_CONNECTIONS_MAX: 16, OVERLOAD_RESIDENT_MEBIBYTES: 768 };

/** Two ends of one line, each message as it is after a pipe. */
function channels() {
  const [first, second] = [new EventEmitter(), new EventEmitter()];
  const line = (here: EventEmitter, there: EventEmitter): Line => ({
    connected: true,
    send: (message) => there.emit('message', JSON.parse(JSON.stringify(message))),
    on: (event, listener) => here.on(event, listener),
  });
  return [openChannel(line(first, second)), openChannel(line(second, first))] as const;
}

test('a signal of one process is heard by each other one of its group, and once by itself', () => {
  const lines = [channels(), channels(), channels()];
  const members = lines.map(([, channel], pid) => ({ pid, channel }));
  const primary = signalsOfPrimary();
  for (const member of members) primary.join(member, () => members);
  const heard: string[] = [];
  const signals = lines.map(([channel], index) => {
    const own = createSignal<string>();
    own.subscribe((value) => heard.push(`${index} ${value}`));
    return signalOfGroup({ size: 3, channel, missing: () => [] }, 'changed', own);
  });
  signals[1]?.emit('roof');
  expect(heard.sort()).toEqual(['0 roof', '1 roof', '2 roof']);
});

describe('API_PROCESSES', () => {
  test.each([
    [1, 8_000, 1],
    [2, 8_000, 1],
    [4, 8_000, 3],
    [16, 64_000, 4],
    [16, 2_000, 2],
    [16, 512, 1],
  ])('where it is absent: %i cores and %i MiB of memory make %i', (cores, memoryMebibytes, processes) => {
    expect(processesByDefault(NEEDS, { cores, memoryMebibytes })).toBe(processes);
  });

  test('with connections enough there are eight at most', () => {
    const needs = { ...NEEDS, DATABASE_CONNECTIONS_MAX: 100 };
    expect(processesByDefault(needs, { cores: 64, memoryMebibytes: 256_000 })).toBe(8);
  });

  test('connections and groups are shared out; alone a process has all of them', () => {
    const config = { DATABASE_CONNECTIONS_MAX: 17, INGEST_GROUPS_MAX: 4 };
    expect(shareOfProcess({ ...config, processes: 1 })).toMatchObject(config);
    expect(shareOfProcess({ ...config, processes: 3 })).toMatchObject({
      DATABASE_CONNECTIONS_MAX: 5,
      INGEST_GROUPS_MAX: 2,
    });
  });

  test('more processes than there are connections for: refused, with the numbers', () => {
    const roles = { appUrl: 'postgres://app@127.0.0.1/db', maintenanceUrl: 'postgres://m@127.0.0.1/db' };
    const read = (processes: string) =>
      readServiceConfig({
        ...testEnvironment(roles, 'redis://127.0.0.1:1'),
        BASE_URL: 'http://127.0.0.1:4300',
        API_PROCESSES: processes,
        DATABASE_CONNECTIONS_MAX: '8',
      });
    expect(read('2').processes).toBe(2);
    expect(() => read('two')).toThrow(new ConfigurationError('API_PROCESSES: needs a number'));
    expect(() => read('3')).toThrow(
      new ConfigurationError(
        'DATABASE_CONNECTIONS_MAX: 3 API processes need at least 12 connections together, it is 8',
      ),
    );
    expect(() => read('0')).toThrow(/^API_PROCESSES: /);
  });
});

test('processes that end at once are replaced after growing pauses, five times in a row; one that lived begins anew', () => {
  const restarts = createRestarts();
  const pauses = Array.from({ length: 6 }, () => restarts.pauseAfter(null));
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, null]);
  expect(restarts.pauseAfter(60_000)).toBe(500);
  expect(restarts.pauseAfter(100)).toBe(500);
  expect(restarts.pauseAfter(100)).toBe(1_000);
});

test('who asks over a channel hears the answer, and nothing where the other end has none', async () => {
  const [here, there] = channels();
  there.answer<number>('double', async (number) => number * 2);
  expect(await Promise.all([here.ask('double', 4), here.ask('double', 5)])).toEqual([8, 10]);
  const silent = openChannel({ connected: false, on: () => {} });
  expect(await silent.ask('double', 1, 10)).toBeUndefined();
});

test('connections of an address: the sum of all processes never passes the limit, and a process that ends gives back its own', async () => {
  const part = connectionsOfPrimary(10);
  const members = [1, 2].map((pid) => {
    const [member, primary] = channels();
    part.join({ pid, channel: primary }, () => []);
    return (count: number) => member.ask('connections', [['192.0.2.1', count]]);
  });
  const [first, second] = members;
  expect(await first?.(8)).toEqual([]);
  expect(await second?.(5)).toEqual([['192.0.2.1', 3]]);
  expect(await second?.(2)).toEqual([]);
  expect(await first?.(9)).toEqual([['192.0.2.1', 1]]);
  expect(await first?.(4)).toEqual([]);
  expect(await second?.(6)).toEqual([]);
  part.leave?.({ pid: 1, channel: channels()[0] });
  expect(await second?.(11)).toEqual([['192.0.2.1', 1]]);
});

test('many processes together give no more tokens on credit than a bucket holds', async () => {
  const numbers = { perSecond: 1, burst: 2_000 };
  const full = { granted: 1, remaining: 2_000, secondsUntilFull: 0, secondsUntilNext: 1 };
  const given = Array.from({ length: 64 }, () => {
    const advances = createTokenAdvances(
      async () => undefined,
      () => 0,
      64,
    );
    advances.learn('bucket', numbers, full);
    let count = 0;
    while (advances.take('bucket', numbers) !== undefined) count += 1;
    return count;
  });
  const all = given.reduce((sum, count) => sum + count, 0);
  expect(all).toBeGreaterThan(0);
  expect(all).toBeLessThanOrEqual(1_000);
});
