import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueInvoices } from '../../../src/billing/invoices/issue/issue.ts';
import { issuerToBill, setIssuer } from '../../../src/billing/issuers/service.ts';
import type { Failure } from '../../../src/platform/errors.ts';
import { runCommand } from '../../cli/command-line.ts';
import { startApi, type TestApi, testEnvironment } from '../../setup/api.ts';
import { createOrganization } from '../../setup/factories.ts';
import { createBilledContract, draftOf, issueDocument } from '../../setup/invoices.ts';
import { storedRows } from '../../setup/stored-rows.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.close());

const ISSUER = {
  name: 'Voltwerk GmbH',
  ...{ street: 'Lindenallee', house_number: '7a', zip: '20354', city: 'Hamburg' },
  ...{ contact_name: 'Kundenservice', email: 'service@voltwerk.example', phone: '+49 40 123456' },
  ...{ vat_id: 'DE136695976', supplier_code: '9907248000001', iban: 'DE89370400440532013000' },
  ...{ account_holder: 'Voltwerk GmbH', creditor_id: 'DE98ZZZ09999999999' },
};

const set = (
  organization: string,
  given: Parameters<typeof setIssuer>[2],
  now = '2026-11-30T22:59:59.000Z',
) => {
  const act = { staff: 'a.b', reason: 'first entry', command: 'issuers set', now };
  return setIssuer(api.deps.database, organization, given, act);
};

const run = (verb: string, organization: string, ...given: string[]) =>
  runCommand(
    testEnvironment(api.database, 'redis://127.0.0.1:1'),
    ...['issuers', verb, '--organization', organization, '--json'],
    ...(verb === 'set' ? ['--staff', 'a.b', '--reason', 'month'] : []),
    ...given,
  );

test('bills begin with the present month in Berlin where no other is entered', async () => {
  const november = await createOrganization(api.deps);
  expect(await set(november, ISSUER)).toMatchObject({ bills_from: '2026-11-01' });
  const december = await createOrganization(api.deps);
  expect(await set(december, ISSUER, '2026-11-30T23:00:00.000Z')).toMatchObject({ bills_from: '2026-12-01' });
  /* Later entries without a month leave it. */
  const changed = await set(november, { name: 'Voltwerk AG' }, '2027-02-03T09:00:00.000Z');
  expect(changed).toMatchObject({ name: 'Voltwerk AG', bills_from: '2026-11-01' });
});

test('the command takes a month, shows its first day, and refuses what is none', async () => {
  const organization = await createOrganization(api.deps);
  await set(organization, ISSUER);
  const changed = await run('set', organization, '--bills-from', '2026-03');
  expect(JSON.parse(changed.stdout)).toMatchObject({ bills_from: '2026-03-01' });
  expect(JSON.parse((await run('show', organization)).stdout)).toMatchObject({ bills_from: '2026-03-01' });
  const lines = await storedRows(
    api,
    `SELECT before ->> 'bills_from' AS before, after ->> 'bills_from' AS after FROM audit_log
      WHERE organization_id = $1 AND act = 'issuer.set' ORDER BY id`,
    [organization],
  );
  expect(lines).toEqual([
    { before: null, after: '2026-11-01' },
    { before: '2026-11-01', after: '2026-03-01' },
  ]);
  for (const wrong of ['2026-13', '2026-03-02', 'now']) {
    const refused = await run('set', organization, '--bills-from', wrong);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('bills-from');
  }
  await expect(set(organization, { bills_from: '2026-03-02' })).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    entries: [{ field: 'bills_from', message: 'Not the first day of a month' }],
  });
});

test('once there are documents the first month stays, and everything else may change', async () => {
  const organization = await createOrganization(api.deps);
  await set(organization, { ...ISSUER, bills_from: '2026-10-01' });
  await set(organization, { bills_from: '2026-01-01' });
  const contract = await createBilledContract(api.deps, { organization });
  await issueDocument(api.deps, contract);
  const refused = await run('set', organization, '--bills-from', '2026-02');
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    'bills_from: Documents were numbered and periods counted from 2026-01-01 on: once there are documents it stays, ' +
      'and cannot become 2026-02-01\n',
  ]);
  /* Those of a person who was erased count, too: the service does not see them any more. */
  await storedRows(api, 'UPDATE invoices SET restricted_at = now() WHERE organization_id = $1', [
    organization,
  ]);
  await expect(set(organization, { bills_from: '2026-02-01' })).rejects.toMatchObject({ code: 'CONFLICT' });
  const kept = await set(organization, { bills_from: '2026-01-01', due_days: 21 });
  expect(kept).toMatchObject({ bills_from: '2026-01-01', due_days: 21 });
});

test('while the first documents are made, the first month does not change', async () => {
  const organization = await createOrganization(api.deps);
  await set(organization, ISSUER);
  const contract = await createBilledContract(api.deps, { organization });
  const { database, clock } = api.deps;
  const outcome = await database.inOrganization({ organization }, async (connection) => {
    expect(await issuerToBill(connection, organization)).toMatchObject({ bills_from: '2026-11-01' });
    const changed = set(organization, { bills_from: '2026-12-01' }).then(
      () => 'changed',
      (error: Failure) => error.code,
    );
    expect(await Promise.race([changed, waiting()])).toBe('waits');
    await issueInvoices(connection, organization, [draftOf(contract)], clock);
    return { changed };
  });
  expect(await outcome.changed).toBe('CONFLICT');
});

/** Until a session of this database waits for a row. */
async function waiting(): Promise<'waits'> {
  const held = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                   AND query LIKE '%issuers%for no key update%'`;
  while ((await storedRows(api, held)).length === 0);
  return 'waits';
}

test('of two first entries at once the second one changes what the first one entered', async () => {
  const organization = await createOrganization(api.deps);
  await Promise.all([set(organization, ISSUER), set(organization, { ...ISSUER, bills_from: '2026-05-01' })]);
  const [first, second] = await storedRows<{ before: object | null; after: object }>(
    api,
    `SELECT before, after FROM audit_log WHERE organization_id = $1 AND act = 'issuer.set' ORDER BY id`,
    [organization],
  );
  expect([first?.before, second?.before]).toEqual([null, first?.after]);
});
