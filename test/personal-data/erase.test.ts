import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runCommand } from '../cli/command-line.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import { createTenant } from '../setup/factories.ts';
import { nodeEnvironment } from '../setup/node-environment.ts';
import { auditRows, storedRows } from '../setup/stored-rows.ts';
import { addPerson, type CanaryPerson } from './canary.ts';

let api: TestApi;
let organization: string;
let token: string;
let erased: CanaryPerson;
let other: CanaryPerson;
beforeAll(async () => {
  api = await startApi();
  ({ organization, token } = await createTenant(api));
  erased = await addPerson(api, organization, 'Kolibri', 'DE02120300000000202051');
  other = await addPerson(api, organization, 'Zaunkoenig', 'DE02500105170137075030');
});
afterAll(() => api?.close());

const run = (customer: string, ...args: string[]) =>
  runCommand(
    { DATABASE_OWNER_URL: api.database.ownerUrl },
    ...['customers', 'erase', customer, '--organization', organization, '--reason', 'request of the person'],
    ...args,
  );

/** The tables of a dump whose rows hold one of the words, as text or as bytes. */
async function tablesWith(words: readonly string[]): Promise<string[]> {
  const { databaseAdminUrl, dump } = inject('servers');
  const url = new URL(databaseAdminUrl);
  const [program = 'pg_dump', ...before] = dump.command;
  const place = dump.inContainer
    ? []
    : [`--host=${url.hostname}`, `--port=${url.port}`, `--username=${decodeURIComponent(url.username)}`];
  const { stdout } = await promisify(execFile)(
    program,
    [...before, ...place, '--no-password', '--data-only', `--dbname=${api.database.name}`],
    {
      env: { ...nodeEnvironment(), PGPASSWORD: decodeURIComponent(url.password) },
      maxBuffer: 256 * 1024 * 1024,
    },
  );
  const found = new Set<string>();
  let table = '';
  const wanted = words.flatMap((word) => [
    word.toLowerCase(),
    Buffer.from(word).toString('hex'),
    JSON.stringify(word).slice(1, -1).toLowerCase(),
  ]);
  for (const line of stdout.split('\n')) {
    table = /^COPY (\S+) /.exec(line)?.[1] ?? table;
    const lower = line.toLowerCase();
    if (wanted.some((word) => lower.includes(word))) found.add(table);
  }
  return [...found].sort();
}

describe('customers erase', () => {
  test('is refused while a contract runs or a bill is open, with the reasons', async () => {
    const { customer, subscription, invoice } = erased;
    const set = (table: string, change: string, id: string) =>
      storedRows(api, `UPDATE ${table} SET ${change} WHERE id = $1`, [id]);
    await set('subscriptions', "status = 'active'", subscription);
    await set('invoices', "status = 'open', paid_at = NULL", invoice);
    const before = await tablesWith(Object.values(erased.canaries));
    const refused = await run(customer, '--yes');
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toBe(
      `Customer ${customer} cannot be erased:\nopen_invoice: invoice ${invoice} is not settled\n` +
        `running_contract: contract ${subscription} has not ended\n`,
    );
    expect(await tablesWith(Object.values(erased.canaries))).toEqual(before);
    await set('subscriptions', "status = 'ended'", subscription);
    await set('invoices', "status = 'paid', paid_at = now()", invoice);
    expect((await auditRows(api, organization, 'customer.erase')).length).toBe(0);
  });

  test('is refused while a contract that was supplied since bills are made has no final bill', async () => {
    const unbilled = 'sub_000000000000000000000000';
    await storedRows(
      api,
      `INSERT INTO subscriptions
       SELECT (jsonb_populate_record(contract, jsonb_build_object('id', $2::text, 'number', 'ANDERER1', 'start_at', '2020-01-01T00:00Z', 'end_at',
                                                               '2020-01-31T23:00Z'))).*
         FROM subscriptions AS contract WHERE id = $1`,
      [erased.subscription, unbilled],
    );
    await storedRows(
      api,
      `INSERT INTO issuers (organization_id, name, street, house_number, zip, city, contact_name, email, phone, vat_id,
                            supplier_code, iban, account_holder, creditor_id, bills_from)
       VALUES ($1, 'Strom GmbH', 'Weg', '1', '20354', 'Hamburg', 'Service', 'service@example.org', '040', 'DE123456788',
               '9900000000001', 'DE89370400440532013000', 'Strom GmbH', 'DE98ZZZ09999999999', '2000-01-01')`,
      [organization],
    );
    const refused = await run(erased.customer, '--yes');
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      `Customer ${erased.customer} cannot be erased:\n` +
        `final_bill_missing: contract ${unbilled} was supplied and has no final bill\n`,
    ]);
    /* From the end of its supply on: another system has billed it. */
    await storedRows(api, `UPDATE issuers SET bills_from = '2020-02-01' WHERE organization_id = $1`, [
      organization,
    ]);
    expect((await run(erased.customer)).stdout).toMatch(/customers +blanked +1/);
    await storedRows(api, 'DELETE FROM subscriptions WHERE id = $1', [unbilled]);
  });

  test('names what it would do, asks, and without an answer does nothing', async () => {
    const asked = await run(erased.customer);
    expect(asked.exitCode).toBe(1);
    expect(asked.stdout).toMatch(/asset_snapshots +deleted +1441/);
    expect(asked.stdout).toMatch(/invoices +restricted +1/);
    expect(asked.stdout).toMatch(/customers +blanked +1/);
    expect(asked.stderr).toContain(`Type ${erased.customer} to go on`);
    expect(asked.stderr).toContain('Nothing was erased');
    expect(await tablesWith([erased.canaries.email])).toContain('public.customers');
  });

  test('leaves name, e-mail, address, IBAN and meter number in restricted tables of a dump only', async () => {
    const words = Object.values(erased.canaries);
    expect(await tablesWith(words)).toEqual(
      expect.arrayContaining([
        'public.addresses',
        'public.customers',
        'public.leads',
        'public.payment_methods',
      ]),
    );
    const ofOther = await tablesWith(Object.values(other.canaries));
    const done = await run(erased.customer, '--yes');
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    expect(await tablesWith(words)).toEqual(['public.invoice_files', 'public.invoices']);
    expect(await tablesWith(Object.values(other.canaries))).toEqual(ofOther);
  });

  test('leaves no value of the meter, no snapshot and no session, and ends what the person consented to', async () => {
    const { customer } = erased;
    const [left] = await storedRows(
      api,
      `SELECT (SELECT count(*) FROM usage_quarter_hours WHERE customer_id = $1)
            + (SELECT count(*) FROM meter_readings WHERE customer_id = $1)
            + (SELECT count(*) FROM load_forecasts WHERE customer_id = $1)
            + (SELECT count(*) FROM portal_sessions WHERE customer_id = $1)
            + (SELECT count(*) FROM grants WHERE customer_id = $1 AND revoked_at IS NULL)
            + (SELECT count(*) FROM asset_snapshots WHERE asset_id IN (SELECT key FROM assets WHERE customer_id = $1)) AS rows,
              (SELECT count(*) FROM asset_snapshots) AS of_others`,
      [customer],
    );
    expect(left).toEqual({ rows: '0', of_others: '1441' });
  });

  test('hides the bills from the service, and leaves them to the finance role', async () => {
    const client = api.client(token);
    expect((await client.get(`/invoices/${erased.invoice}`)).status).toBe(404);
    expect((await client.get(`/invoices/${other.invoice}`)).status).toBe(200);
    const rows = await storedRows<{ parts: number }>(
      api,
      `SELECT count(*)::int AS parts FROM invoices JOIN invoice_files ON invoice_id = id
        WHERE id = $1 AND invoices.restricted_at IS NOT NULL AND invoice_files.restricted_at IS NOT NULL`,
      [erased.invoice],
    );
    expect(rows).toEqual([{ parts: 1 }]);
  });

  test('leaves a customer without a name, and one line in the audit log', async () => {
    const { body } = await api.client(token).get(`/customers/${erased.customer}`);
    expect(body).toMatchObject({
      first_name: 'erased',
      last_name: 'erased',
      email: `${erased.customer}@erased.invalid`,
      vat_id: null,
    });
    expect(await auditRows(api, organization, 'customer.erase')).toEqual([
      expect.objectContaining({
        object_id: erased.customer,
        route: 'customers erase',
        reason: 'request of the person',
        result: 'done',
      }),
    ]);
  });

  test('may be repeated, as after the restore of an older backup', async () => {
    const again = await run(erased.customer, '--yes', '--json');
    expect(again.exitCode).toBe(0);
    const rows = JSON.parse(again.stdout) as { what: string }[];
    expect(rows.filter(({ what }) => what === 'deleted' || what === 'restricted')).toEqual([]);
  });

  test('knows neither a stranger nor a customer of another organization', async () => {
    const stranger = await createTenant(api);
    const answers = [
      await run('cus_000000000000000000000000', '--yes'),
      await runCommand(
        { DATABASE_OWNER_URL: api.database.ownerUrl },
        ...[
          'customers',
          'erase',
          other.customer,
          '--organization',
          stranger.organization,
          '--reason',
          'x',
          '--yes',
        ],
      ),
    ];
    for (const { exitCode, stderr } of answers) {
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^There is no customer cus_/)]);
    }
    expect(await tablesWith([other.canaries.email])).toContain('public.customers');
  });
});
