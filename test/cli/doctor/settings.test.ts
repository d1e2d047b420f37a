import { expect, test } from 'vitest';
import { judgeSettings } from '../../../src/cli/doctor/database.ts';

test('settings that nobody set are warned of with what to set, and none that somebody set to the same value', async () => {
  const row = (name: string, source: string, file: string | null = null) => ({
    name,
    value: 'v',
    source,
    file,
  });
  const [main, own] = ['/etc/postgresql/17/main/postgresql.conf', '/etc/postgresql/17/main/conf.d/own.conf'];
  expect(
    judgeSettings([
      row('jit', 'default'),
      row('max_wal_size', 'configuration file', main),
      row('shared_buffers', 'configuration file', null),
      row('wal_compression', 'default'),
    ]),
  ).toEqual({
    level: 'warning',
    found: 'as the server brings them: jit v, shared_buffers v, max_wal_size v',
    remedy: expect.stringMatching(/jit to off, shared_buffers to .* max_wal_size to 4GB, and restart/),
  });
  const chosen = judgeSettings([
    row('jit', 'configuration file', main),
    row('checkpoint_timeout', 'configuration file', null),
    row('max_wal_size', 'configuration file', own),
    row('shared_buffers', 'configuration file', '/var/lib/postgresql/17/main/postgresql.auto.conf'),
    row('timescaledb.telemetry_level', 'command line'),
    row('max_notify_queue_pages', 'database'),
  ]);
  expect(chosen).toMatchObject({ level: 'ok' });
});
