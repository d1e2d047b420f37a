import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExportName } from '../../../src/config/export-names.ts';
import { manifestPath, readManifest } from '../../../src/governance/exports/manifest.ts';
import { writeDataSets } from '../../../src/governance/exports/write-nightly.ts';
import { setForecasts } from '../../../src/identity/organizations/service.ts';
import { fakeClock } from '../../setup/clock.ts';
import { Accounts } from '../analysts/account.ts';
import { act, type ExportWorld, exportWorld } from './fixture.ts';

/* What becomes of the nightly data sets where accounts fail. How they are read and written: data-set.test.ts. */

let world: ExportWorld;
let accounts: Accounts;
beforeAll(async () => {
  world = await exportWorld();
  accounts = new Accounts(world.database);
});
afterAll(async () => {
  await accounts?.close();
  await world?.close();
});

async function newFolder(name: string): Promise<string> {
  const folder = join(world.folder, name);
  await mkdir(folder, { mode: 0o750 });
  return folder;
}

/** Two months of snapshots and prices, by these accounts. */
function nightly(DATA_SETS_FOLDER: string, ...DATA_SETS_ACCOUNTS: string[]) {
  return nightlyOf(['snapshots', 'prices'], DATA_SETS_FOLDER, DATA_SETS_ACCOUNTS);
}

function nightlyOf(DATA_SETS_WHAT: ExportName[], DATA_SETS_FOLDER: string, DATA_SETS_ACCOUNTS: string[]) {
  const never = new AbortController().signal;
  const config = {
    ...{ DATA_SETS_FOLDER, DATA_SETS_ACCOUNTS, DATA_SETS_MONTHS: 2 },
    DATA_SETS_WHAT,
  };
  return writeDataSets(
    { config, database: world.owner, clock: fakeClock('2026-10-26T12:00:00Z') },
    { signal: never, closing: never, log: pino({ level: 'silent' }) },
  );
}

test('an account whose connections are all in use fails the job, which says why, and is not passed over', async () => {
  const folder = await newFolder('full');
  const { role, address } = await accounts.make(world.a.organization);
  const limit = 'SELECT rolconnlimit AS connections FROM pg_roles WHERE rolname = $1';
  const [row] = await world.rows<{ connections: number }>(limit, [role]);
  const sessions = await Promise.all(
    Array.from({ length: row?.connections ?? 0 }, () => accounts.connect(address)),
  );
  await expect(nightly(folder, address)).rejects.toMatchObject({
    message: 'For 1 accounts data sets were not written',
    errors: [{ cause: { message: expect.stringContaining('too many connections') } }],
  });
  await Promise.all(sessions.map((session) => session.end()));
});

test('prices are written by the next account where the rows of the first one fail', async () => {
  const folder = await newFolder('failed');
  const [a, b] = [await accounts.make(world.a.organization), await accounts.make(world.b.organization)];
  await mkdir(join(folder, 'snapshots'));
  await writeFile(join(folder, 'snapshots', `organization=${world.a.organization}`), 'in the way');
  await expect(nightly(folder, a.address, b.address)).rejects.toThrow('For 1 accounts');
  expect((await readManifest(manifestPath(folder, 'prices')))?.files).toHaveLength(2);
});

test('forecasts are written by the account of an organization that they are enabled for, and by no other', async () => {
  const folder = await newFolder('forecasts');
  const [a, b] = [await accounts.make(world.a.organization), await accounts.make(world.b.organization)];
  const written = async () => {
    await nightlyOf(['price_forecasts'], folder, [a.address, b.address]);
    return (await readManifest(manifestPath(folder, 'price_forecasts')))?.files.length ?? 0;
  };
  expect(await written()).toBe(0);
  await setForecasts(world.owner, world.b.organization, true, { ...act, reason: 'ordered forecasts' });
  expect(await written()).toBe(2);
});
