import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { freePort, startApi } from '../setup/api.ts';
import { createTenant } from '../setup/factories.ts';

const load = (...words: string[]) => loadWith('', ...words);

/** With this at its standard input. */
async function loadWith(typed: string, ...words: string[]) {
  const child = spawn(process.execPath, ['load/main.ts', ...words], { stdio: 'pipe' });
  child.stdin.end(typed);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { out, err, code };
}

describe('npm run load', () => {
  test.each([
    ['no such scenario', ['nothing']],
    ['an unknown option', ['ingest', '--fast']],
    ['a number out of range', ['ingest', '--rows', '10001']],
    ['rows that are no multiple of the assets', ['small-batches', '--rows', '15']],
    ['one of several numbers out of range', ['small-batches', '--gateways', '32,1001']],
    ['a cluster without workers', ['scale-out', '--citus-admin-url', 'postgres://a:b@127.0.0.1:1/postgres']],
    ['kills in no cluster', ['scale-out-faults', '--nodes', '/no/such/file']],
    ['a way to write that is none', ['scale-out-faults', '--nodes', 'x', '--writes-to', 'node']],
    ['assets that do not fill their households', ['growth', '--assets', '15']],
    ['no minutes between checkpoints', ['growth', '--checkpoint-minutes', '5,0']],
    ['some of the addresses only', ['ingest', '--base-url', 'http://127.0.0.1:1']],
  ])('wrong use ends with 2 and says why: %s', async (_what, words) => {
    const { code, err } = await load(...words);
    expect(code).toBe(2);
    expect(err).toMatch(/\S/);
    expect(err).not.toContain('    at ');
  });

  test('a database or service that does not answer ends with 3 and one sentence', async () => {
    const port = await freePort();
    const given = (databaseUrl: string) =>
      loadWith(
        'x',
        'ingest',
        ...['--base-url', `http://127.0.0.1:${port}`, '--database-url', databaseUrl],
        ...['--client-id', 'oac_x', '--secret-stdin'],
      );
    const { code, err } = await given(`postgres://nobody@127.0.0.1:${port}/nothing`);
    expect(code).toBe(3);
    expect(err).toContain('The database does not answer');
    expect(err).toContain('Exit code 3: the service or the database could not be reached');
  });

  test('the help names the exit codes', async () => {
    const { code, out } = await load('--help');
    expect(code).toBe(0);
    expect(out).toMatch(
      /0 +every promised figure held, where there is one\n +1 +a promised figure was missed.*\n +2 +wrong use\n +3 .*\n +4 +.*not judged/,
    );
  });

  test('a run counts, sums and compares what it stored, and takes it out again at a given address', async () => {
    const api = await startApi();
    try {
      const { client } = await createTenant(api);
      const { code, out, err } = await loadWith(
        client.client_secret,
        'ingest',
        ...['--base-url', api.baseUrl, '--database-url', api.database.adminUrl],
        ...['--client-id', client.client_id, '--secret-stdin'],
        ...['--households', '2', '--rows', '100', '--batches', '6', '--rounds', '2', '--connections', '2'],
        ...['--minutes', '0.01', '--open-loop', '20', '--gzip', '--quiet-seconds', '0', '--json'],
      );
      /* Whether the figures hold depends on the machine: no promise is made for a run as small as this. */
      expect([0, 1, 4], err).toContain(code);
      const result = JSON.parse(out) as { problems: string[]; legs: { name: string }[]; exit_code: number };
      expect(result.problems).toEqual([]);
      expect(result.exit_code).toBe(code);
      expect(new Set(result.legs.map((leg) => leg.name))).toEqual(
        new Set([
          'service',
          'psql \\copy',
          'service, sent again',
          'service, sent again, sparse',
          'service, gzip',
          'service, sustained',
          'service, open loop',
        ]),
      );
      expect(out).not.toContain(client.client_secret);
      const left = await withDatabaseClient(api.database.adminUrl, (database) =>
        database.query<{ left: number }>(
          "SELECT (SELECT count(*) FROM asset_snapshots) + (SELECT count(*) FROM households) + (SELECT count(*) FROM pg_class WHERE relname LIKE 'load%' AND relname !~ '^load_(profiles|forecasts)') AS left",
        ),
      );
      expect(Number(left.rows[0]?.left)).toBe(0);
    } finally {
      await api.close();
    }
  });
});
