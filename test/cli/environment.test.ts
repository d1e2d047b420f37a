import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { CommandIo } from '../../src/cli/engine/io.ts';
import { commandLineEnvironment } from '../../src/cli/environment.ts';
import { collectingIo } from './command-line.ts';

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

describe('commands that a text names', () => {
  const said = async (words: string[], startedBy?: CommandIo['startedBy'], environment = {}) => {
    const shell = { DATABASE_OWNER_URL: 'postgres://production/d', ...environment };
    const io = collectingIo(shell);
    await runCommandLine(words, { ...io, startedBy });
    return io.stdout.text + io.stderr.text;
  };

  test('are those by which the command itself was started', async () => {
    expect(await said(['--help'])).toContain('npm run cli -- organizations list');
    expect(await said(['--help'], 'run')).toMatch(
      /^Usage: run src\/cli\/main\.ts [\s\S]* run src\/cli\/main\.ts prices/,
    );
    const doctor = await said(['doctor'], 'node', { DATABASE_MAINTENANCE_URL: 'nowhere' });
    expect(doctor).not.toContain('npm run');
  });

  test('are not npm start where variables are missing in production, or the command was not started by npm', async () => {
    expect(await said(['organizations', 'list'])).toMatch(/DATABASE_URL is missing[\s\S]*npm start/);
    for (const answer of [
      await said(['organizations', 'list'], undefined, { APP_ENV: 'production' }),
      await said(['organizations', 'list'], 'run'),
    ]) {
      expect(answer).toMatch(/DATABASE_URL is missing[\s\S]*docs\/deployment\.md/);
      expect(answer).not.toContain('npm start');
    }
  });
});
