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

  test('without a local start only the shell counts', () => {
    expect(commandLineEnvironment({ A: '1' }, join(folder, 'none.env'))).toEqual({ A: '1' });
  });
});
