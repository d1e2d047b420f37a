import { expect, test } from 'vitest';
import { readServiceConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { createShutdown } from '../../../src/platform/process/shutdown.ts';
import { testEnvironment } from '../../setup/api.ts';

const log = createLogger({ level: 'silent', name: 'shutdown-test' });

function recorded(killAfterMilliseconds?: number) {
  const exits: number[] = [];
  const shutdown = createShutdown({
    log,
    exit: (code) => void exits.push(code),
    ...(killAfterMilliseconds === undefined ? {} : { killAfterMilliseconds }),
  });
  return { exits, shutdown };
}

test('steps run one after the other, the last one added first', async () => {
  const { exits, shutdown } = recorded();
  const order: string[] = [];
  for (const name of ['pool', 'requests', 'readiness']) {
    shutdown.add(name, async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
    });
  }
  await shutdown.begin('test');
  expect(order.filter((step) => step.endsWith('begins'))).toEqual([
    'readiness begins',
    'requests begins',
    'pool begins',
  ]);
  expect(order.indexOf('readiness ends')).toBeLessThan(order.indexOf('requests begins'));
  expect(exits).toEqual([0]);
});

test('a failing step does not keep the others from running, and shows in the exit code', async () => {
  const { exits, shutdown } = recorded();
  let closed = false;
  shutdown.add('pool', () => {
    closed = true;
  });
  shutdown.add('requests', () => Promise.reject(new Error('stuck')));
  await shutdown.begin('test');
  expect(closed).toBe(true);
  expect(exits).toEqual([1]);
});

test('F27 asked a second time it exits at once', async () => {
  const { exits, shutdown } = recorded();
  const stuck = Promise.withResolvers<void>();
  shutdown.add('requests', () => stuck.promise);
  const first = shutdown.begin('SIGTERM');
  await shutdown.begin('SIGTERM');
  expect(exits).toEqual([130]);
  stuck.resolve();
  await first;
});

test('the wait for balancers leaves ten of the 25 seconds for requests', () => {
  const urls = { appUrl: 'postgres://localhost/x', maintenanceUrl: 'postgres://localhost/x' };
  const all = { ...testEnvironment(urls, 'redis://localhost'), BASE_URL: 'http://127.0.0.1:4300' };
  const delayed = (SHUTDOWN_DELAY_SECONDS: string) => readServiceConfig({ ...all, SHUTDOWN_DELAY_SECONDS });
  expect(delayed('15').SHUTDOWN_DELAY_SECONDS).toBe(15);
  expect(() => delayed('16')).toThrow(/SHUTDOWN_DELAY_SECONDS: .*15/);
});

test('a shutdown that takes too long is cut off', async () => {
  const exited = Promise.withResolvers<number>();
  const shutdown = createShutdown({ log, exit: exited.resolve, killAfterMilliseconds: 20 });
  const stuck = Promise.withResolvers<void>();
  shutdown.add('requests', () => stuck.promise);
  const ending = shutdown.begin('SIGTERM');
  expect(await exited.promise).toBe(1);
  stuck.resolve();
  await ending;
});
