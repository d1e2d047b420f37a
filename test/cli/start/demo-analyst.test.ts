import { afterAll, beforeAll, expect, test } from 'vitest';
import { findOrMakeDemoAnalyst } from '../../../src/cli/demo/start/demo-analyst.ts';
import { revokeAnalyst } from '../../../src/governance/analysts/service.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { Accounts, act } from '../../governance/analysts/account.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createOrganization } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';

let api: TestApi;
let accounts: Accounts;
let organization: string;

beforeAll(async () => {
  api = await startApi();
  accounts = new Accounts(api.database);
  organization = await createOrganization(api.deps);
});
afterAll(async () => {
  const name = `demo_${organization.slice(4, 14)}`;
  await revokeAnalyst({ database: accounts.owner, ownerUrl: api.database.ownerUrl }, name, act).catch(
    () => {},
  );
  await accounts.close();
  await api.close();
});

const find = (known: string | null) =>
  findOrMakeDemoAnalyst({ ownerUrl: api.database.ownerUrl, known }, organization, act);

const opens = (address: string | null) =>
  withDatabaseClient(address ?? '', (client) => client.query('SELECT 1 FROM households')).then(
    () => true,
    () => false,
  );

test('a given database in which everybody may fill the disk gets no account, and a sentence why', async () => {
  await storedRows(api, `GRANT TEMPORARY ON DATABASE ${api.database.name} TO PUBLIC`);
  expect(await find(null)).toEqual({
    address: null,
    problem: expect.stringContaining('run npm run db -- init once more'),
  });
  await storedRows(api, `REVOKE TEMPORARY ON DATABASE ${api.database.name} FROM PUBLIC`);
});

test('the address stays from start to start while it opens; a lost one is made anew', async () => {
  const first = await find(null);
  expect(await opens(first.address)).toBe(true);
  expect(await find(first.address)).toEqual(first);
  const second = await find(null);
  expect(second.address).not.toBe(first.address);
  expect(await opens(first.address)).toBe(false);
  expect(await find(first.address)).toMatchObject({
    problem: null,
    address: expect.not.stringContaining(second.address ?? ''),
  });
});
