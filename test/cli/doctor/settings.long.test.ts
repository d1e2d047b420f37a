import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { dataFolder, makeFolder } from '../../../scripts/data-folder.mjs';
import { postgresDirectory, startPostgres, stopPostgres } from '../../../scripts/local-services/postgres.ts';
import { postgresProgram } from '../../../scripts/local-services/server-packages.ts';
import { chooseServerUser } from '../../../scripts/local-services/server-user.ts';
import { examine } from '../../../src/cli/doctor/check.ts';
import { databaseChecks, withPatientDatabase } from '../../../src/cli/doctor/database.ts';

const folder = join(dataFolder, `test-settings-${process.pid}`);

afterAll(async () => {
  await stopPostgres(folder);
  await rm(folder, { recursive: true, force: true });
});

test.skipIf(!inject('servers').arePrivate)(
  'a setting that was given at the start is a choice, also where the server would have brought the same',
  async () => {
    await makeFolder(folder);
    const { service } = await startPostgres({
      ...{ folder, password: 'settings', rememberedPort: undefined },
      settings: { shared_buffers: '128MB' },
      ...{ report: (line) => console.log(line), onBegun: () => {} },
      user: await chooseServerUser(postgresProgram('postgres'), postgresDirectory(folder)),
    });
    const settings = await withPatientDatabase(service.adminUrl, async (database) => {
      const checks = databaseChecks(database, { maintenanceUrl: undefined });
      return await examine(checks.filter(({ name }) => name === 'settings'));
    });
    expect(settings).toMatchObject([{ level: 'ok' }]);
  },
);
