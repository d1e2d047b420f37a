import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandLineEnvironment } from '../../src/cli/environment.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'environment-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('the environment of commands', () => {
  test('what the shell leaves out comes from the last local start; an empty variable counts as left out', async () => {
    const file = join(folder, 'local.env');
    await writeFile(
      file,
      '# made by a start\nDATABASE_URL=postgres://a:b@c/d?x=1\nLOG_LEVEL=info\n\nAPP_ENV=local\n',
    );
    expect(commandLineEnvironment({ LOG_LEVEL: 'debug', APP_ENV: '', HOME: undefined }, file)).toEqual({
      DATABASE_URL: 'postgres://a:b@c/d?x=1',
      LOG_LEVEL: 'debug',
      APP_ENV: 'local',
    });
  });

  const started =
    'APP_ENV=local\nDATABASE_URL=postgres://demo/d\nDATABASE_OWNER_URL=postgres://demo/o\nSECRET_PEPPER=demo\n';

  test('nothing comes from the local start where the shell names the database of another service', async () => {
    const file = join(folder, 'other.env');
    await writeFile(file, started);
    for (const name of [
      ...['DATABASE_URL', 'DATABASE_OWNER_URL', 'DATABASE_MAINTENANCE_URL', 'DATABASE_ADMIN_URL'],
      'DATABASE_WORKER_ADMIN_URLS',
    ]) {
      const shell = { [name]: 'postgres://production/d', LOG_LEVEL: 'info' };
      expect(commandLineEnvironment(shell, file)).toEqual(shell);
    }
  });

  test('a shell that names the database of the local start itself gets the rest from it', async () => {
    const file = join(folder, 'same.env');
    await writeFile(file, started);
    const shell = { DATABASE_URL: 'postgres://demo/d', DATABASE_OWNER_URL: '' };
    expect(commandLineEnvironment(shell, file)).toMatchObject({ APP_ENV: 'local', SECRET_PEPPER: 'demo' });
  });

  test('without a local start only the shell counts', () => {
    expect(commandLineEnvironment({ A: '1' }, join(folder, 'none.env'))).toEqual({ A: '1' });
  });
});
