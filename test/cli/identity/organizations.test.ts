import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { testEnvironment } from '../../setup/api.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { runCommand } from '../command-line.ts';

let database: TestDatabase;
let environment: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  environment = testEnvironment(database, 'redis://127.0.0.1:1');
});
afterAll(() => database.drop());

const run = (...args: string[]) => runCommand(environment, ...args);
const why = ['--reason', 'ticket 17', '--staff', 'ada'];

async function created(name: string): Promise<{ id: string }> {
  const { stdout } = await run('organizations', 'create', '--name', name, ...why, '--json');
  return JSON.parse(stdout) as { id: string };
}

async function auditOf(organization: string) {
  const { rows } = await withDatabaseClient(database.adminUrl, (admin) =>
    admin.query(
      'SELECT act, route, staff, reason, result, object_id, before, after FROM audit_log WHERE organization_id = $1 ORDER BY id',
      [organization],
    ),
  );
  return rows;
}

describe('organizations', () => {
  test('create, show, set-standing and set-forecasts change what they say and leave one audit line each', async () => {
    const organization = await created('Example Energy');
    expect(organization).toMatchObject({
      id: expect.stringMatching(/^org_[0-9a-z]{24}$/),
      name: 'Example Energy',
      standing: 'in_order',
      forecast_enabled: false,
    });
    const standing = await run(
      'organizations',
      'set-standing',
      organization.id,
      'past_due',
      ...why,
      '--json',
    );
    expect(JSON.parse(standing.stdout)).toMatchObject({ standing: 'past_due' });
    const forecasts = await run('organizations', 'set-forecasts', organization.id, 'on', ...why);
    expect(forecasts).toMatchObject({ exitCode: 0, stderr: '' });
    expect(forecasts.stdout).toMatch(/forecast_enabled +yes/);
    const shown = await run('organizations', 'show', organization.id, '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ standing: 'past_due', forecast_enabled: true });

    const line = { staff: 'ada', reason: 'ticket 17', result: 'done', object_id: organization.id };
    expect(await auditOf(organization.id)).toEqual([
      { ...line, act: 'organization.create', route: 'organizations create', before: null, after: null },
      {
        ...line,
        act: 'organization.set_standing',
        route: 'organizations set-standing',
        before: { standing: 'in_order', forecast_enabled: false },
        after: { standing: 'past_due', forecast_enabled: false },
      },
      {
        ...line,
        act: 'organization.set_forecasts',
        route: 'organizations set-forecasts',
        before: { standing: 'past_due', forecast_enabled: false },
        after: { standing: 'past_due', forecast_enabled: true },
      },
    ]);
  });

  test('list shows every organization, newest first', async () => {
    const first = await created('First');
    const second = await created('Second');
    const listed = JSON.parse((await run('organizations', 'list', '--json')).stdout) as { id: string }[];
    const ids = listed.map((organization) => organization.id);
    expect(ids.indexOf(second.id)).toBeLessThan(ids.indexOf(first.id));
    const table = (await run('organizations', 'list')).stdout.split('\n');
    expect(table[0]).toMatch(/^id +standing/);
    expect(table.join('\n')).toContain(second.id);
  });

  test('what is unknown or not allowed is refused with one sentence and exit code 1', async () => {
    const unknown = 'org_000000000000000000000000';
    for (const args of [
      ['show', unknown],
      ['show', "x'; DROP TABLE organizations"],
      ['set-standing', unknown, 'suspended', ...why],
    ]) {
      const { exitCode, stdout, stderr } = await run('organizations', ...args);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(/^There is no organization .+\n$/);
    }
    const named = await run('organizations', 'create', '--name', 'x\u202ey', ...why);
    expect(named).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^name: .+\n$/) });
  });

  test('what is not understood ends with exit code 2 and changes nothing', async () => {
    for (const args of [
      ['organizations', 'create', '--name', 'Nobody'],
      ['organizations', 'create', '--reason', 'x'],
      ['organizations', 'create', '--name', 'Nobody', '--reason', ' '],
      ['organizations', 'set-standing', 'org_000000000000000000000000', 'rich', ...why],
      ['organizations', 'dissolve'],
      ['nothing'],
    ]) {
      const { exitCode, stderr } = await run(...args);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^error: /);
    }
    const names = (
      JSON.parse((await run('organizations', 'list', '--json')).stdout) as { name: string }[]
    ).map((organization) => organization.name);
    expect(names).not.toContain('Nobody');
  });

  test('help ends with exit code 0', async () => {
    expect(await run('--help')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('organizations'),
    });
    expect(await run('organizations', 'create', '--help')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('--reason'),
    });
  });

  test('every problem of the configuration is listed; an unreachable database is one sentence', async () => {
    const misconfigured = await runCommand(
      { ...environment, DATABASE_URL: 'mysql://x', SECRET_PEPPER: 'short', WEBHOOK_PROTS: '1' },
      'organizations',
      'list',
    );
    expect(misconfigured.exitCode).toBe(1);
    for (const name of ['DATABASE_URL', 'SECRET_PEPPER', 'WEBHOOK_PROTS']) {
      expect(misconfigured.stderr).toContain(name);
    }
    const away = await runCommand(
      { ...environment, DATABASE_URL: 'postgres://voltstream_app:x@127.0.0.1:1/nowhere' },
      'organizations',
      'list',
    );
    expect(away.exitCode).toBe(1);
    expect(away.stderr).toMatch(/^The database cannot be reached: .+\n$/);
    expect(away.stderr).not.toContain('voltstream_app:x');
  });
});
