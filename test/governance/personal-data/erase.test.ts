import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listOfPayments } from '../../../src/billing/payments/list.ts';
import { places } from '../../../src/governance/personal-data/places.ts';
import { type CommandResult, runCommand } from '../../cli/command-line.ts';
import { createTenant } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type MadePerson, type Owner, startPersons } from './persons.ts';
import { filesWith, keysWith, tablesWith } from './search.ts';

type Started = Awaited<ReturnType<typeof startPersons>>;

let api: Started['api'];
let owner: Owner;
let token: string;
let erased: MadePerson;
let other: MadePerson;
const refused = new Map<string, { result: CommandResult; person: MadePerson; open: string[] }>();

const eraseAs = ({ organization, environment }: Owner, customer: string, ...args: string[]) =>
  runCommand(
    environment,
    ...['customers', 'erase', customer, '--organization', organization, '--reason', 'request of the person'],
    ...args,
  );

beforeAll(async () => {
  const people = [
    { word: 'Kolibri', iban: 'DE89370400440532013000' },
    { word: 'Zaunkoenig', iban: 'DE02500105170137075030' },
  ];
  const started = await startPersons(people, async (when, person, by) => {
    const result = await eraseAs(by, person.customer, '--yes');
    const open = await by.openInvoices(person.customer);
    refused.set(when, { result, person: { ...person }, open });
  });
  ({ api, owner } = started);
  token = await started.token();
  const [first, second] = started.people;
  if (first === undefined || second === undefined) throw new Error('Two were asked for');
  [erased, other] = [first, second];
}, 300_000);
afterAll(() => api?.close());

const run = (customer: string, ...args: string[]) => eraseAs(owner, customer, ...args);
const wordsOf = ({ word, iban }: MadePerson) => [word, iban];
const rowsOf = async (table: string, person: MadePerson): Promise<number> => {
  const [row] = await storedRows<{ rows: number }>(
    api,
    `SELECT count(*)::int AS rows FROM ${table} WHERE customer_id = $1`,
    [person.customer],
  );
  return row?.rows ?? 0;
};

describe('customers erase', () => {
  test.each([
    [
      'supplied',
      (person: MadePerson) =>
        [person.analog, person.smart].map((id) => `running_contract: contract ${id} has not ended`),
    ],
    [
      'ended',
      (person: MadePerson) =>
        [person.analog, person.smart].map(
          (id) => `final_bill_missing: contract ${id} was supplied and has no final bill`,
        ),
    ],
    [
      'billed',
      (_person: MadePerson, open: string[]) => open.map((id) => `open_invoice: invoice ${id} is not settled`),
    ],
  ])('is refused to somebody who is %s, with the reasons', (when, expected) => {
    const found = refused.get(when);
    if (found === undefined) throw new Error(`Not tried when ${when}`);
    const { result, person, open } = found;
    expect([result.exitCode, result.stdout]).toEqual([1, '']);
    const [head, ...reasons] = result.stderr.trimEnd().split('\n');
    expect(head).toBe(`Customer ${person.customer} cannot be erased:`);
    expect(reasons).toEqual(expected(person, open).toSorted());
    expect(reasons.length).toBeGreaterThan(1);
  });

  test('finds a row in every place that a customer can have one in, names it, asks, and without an answer does nothing', async () => {
    const before = await tablesWith(api, wordsOf(erased));
    const refusal = await run(erased.customer);
    expect(refusal.exitCode).toBe(1);
    const named = [...refusal.stdout.matchAll(/^(\w+) +(deleted|restricted|blanked|kept) +[1-9]\d*$/gm)].map(
      ([, table]) => table,
    );
    /* Causes of missing bills are gone when the bills are there; advance payment was not agreed. */
    const without = ['asset_quarter_hours', 'billing_terms', 'billing_refusals'];
    expect(places.map(({ table }) => table).filter((table) => !named.includes(table))).toEqual(without);
    expect(refusal.stderr).toContain(`Type ${erased.customer} to go on`);
    expect(refusal.stderr).toContain('Nothing was erased');
    expect(await tablesWith(api, wordsOf(erased))).toEqual(before);
    expect((await auditRows(api, owner.organization, 'customer.erase')).length).toBe(0);
  });

  test('leaves what the person wrote in restricted rows only, wherever it is looked for', async () => {
    const words = wordsOf(erased);
    expect(await tablesWith(api, words)).toEqual(
      expect.arrayContaining([
        ...['addresses', 'assets', 'auth_clients', 'authorization_requests', 'bank_entries', 'customers'],
        ...['idempotency_keys', 'invoices', 'leads', 'meter_changes', 'meter_readings', 'meters'],
        ...['payment_files', 'payment_methods', 'subscriptions'],
      ]),
    );
    const ofOther = await tablesWith(api, wordsOf(other));
    const mails = await filesWith(api.mailFolder, words);
    expect(mails.length).toBeGreaterThan(2);
    const done = await run(erased.customer, '--yes');
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    expect(await tablesWith(api, words)).toEqual([
      ...['bank_entries restricted', 'invoices restricted', 'payment_files restricted'],
    ]);
    expect(await keysWith(api.deps.config.REDIS_URL, words)).toEqual([]);
    expect(await tablesWith(api, wordsOf(other))).toEqual(
      ofOther.map((table) => (table === 'payment_files' ? 'payment_files restricted' : table)),
    );
    /* Files are out of its reach, and it says so. */
    expect(await filesWith(api.mailFolder, words)).toEqual(mails);
    expect(done.stdout).toMatch(/^Not reached: .*mails.*exports.*payment files/m);
  });

  test('finds the leads of other addresses of mail, and leaves those of the neighbours', async () => {
    const [row] = await storedRows(
      api,
      'SELECT (SELECT count(*)::int FROM leads WHERE details::text ~* $1) AS erased, count(*)::int AS others FROM leads',
      [erased.word],
    );
    expect(row).toEqual({ erased: 0, others: 3 });
    const [home] = await storedRows<{ plan: string; street: string; meter: string }>(
      api,
      `SELECT plan_id AS plan, street, meters.number AS meter
         FROM subscriptions JOIN addresses ON addresses.id = address_id JOIN meters ON meters.id = meter_id
        WHERE subscriptions.id = $1`,
      [other.analog],
    );
    const asks = async (fields: Record<string, unknown>) => {
      const lead = {
        plan: home?.plan,
        address: { zip: '10115' },
        meter: { estimated_usage: 2_000 },
        ...fields,
      };
      expect((await api.client(token).post('/leads', lead)).status).toBe(200);
    };
    const meter = { estimated_usage: 2_000, number: home?.meter };
    /* Somebody who lives in the same house, and the next tenant. */
    const address = { zip: '10115', street: home?.street, house_number: '7' };
    await asks({ address, customer: { last_name: 'Nachbar', email: 'nachbar@example.net' } });
    await asks({ meter, customer: { email: 'danach@example.net' } });
    expect((await run(other.customer)).stdout).toMatch(/^leads +deleted +3$/m);
    /* Nobody else is named. */
    await asks({ meter: { ...meter, number: ` ${home?.meter.toLowerCase()}` } });
    expect((await run(other.customer)).stdout).toMatch(/^leads +deleted +4$/m);
  });

  test('leaves no value of a meter and of a device, no session and no token, and ends every asset', async () => {
    const tables = places.filter(
      ({ onErasure, table }) =>
        onErasure === 'deleted' && !/^(asset_|one_time|refresh|leads|auth|idem)/.test(table),
    );
    for (const { table } of tables) expect([table, await rowsOf(table, erased)]).toEqual([table, 0]);
    for (const table of ['usage_quarter_hours', 'meter_readings', 'load_forecasts', 'portal_sessions'])
      expect([table, await rowsOf(table, other)]).not.toEqual([table, 0]);
    const [left] = await storedRows(
      api,
      `SELECT (SELECT count(*)::int FROM grants WHERE customer_id = $1 AND revoked_at IS NULL) AS grants,
              (SELECT count(*)::int FROM assets WHERE customer_id = $1 AND decommissioned_at IS NULL) AS assets,
              (SELECT count(*)::int FROM asset_snapshots WHERE asset_id IN (SELECT key FROM assets WHERE customer_id = $1)) AS rows,
              (SELECT count(*)::int FROM asset_snapshots) AS of_others`,
      [erased.customer],
    );
    expect(left).toEqual({ grants: 0, assets: 0, rows: 0, of_others: 12 });
    const [net] = await storedRows<{ household: string; asset: string }>(
      api,
      "SELECT household_id AS household, id AS asset FROM assets WHERE customer_id = $1 AND type = 'household_net'",
      [erased.customer],
    );
    const snapshots = [{ asset: net?.asset, timestamp: api.deps.clock.now().toISOString(), power_kw: 1 }];
    const sent = await api.client(token).post('/asset-snapshots', { household: net?.household, snapshots });
    expect([sent.status, sent.text]).toEqual([400, expect.stringContaining('decommissioned')]);
  });

  test('hides bills, payments and the files of the bank from the service, and leaves them to the finance role', async () => {
    const client = api.client(token);
    expect((await client.get(`/invoices/${erased.invoices[0]}`)).status).toBe(404);
    expect((await client.get(`/invoices/${other.invoices[0]}`)).status).toBe(200);
    for (const table of ['invoices', 'invoice_lines', 'invoice_files', 'payments']) {
      const [row] = await storedRows<{ rows: number; open: number }>(
        api,
        `SELECT count(*)::int AS rows, (count(*) FILTER (WHERE restricted_at IS NULL))::int AS open
           FROM ${table} WHERE customer_id = $1`,
        [erased.customer],
      );
      expect([table, row?.open]).toEqual([table, 0]);
      expect([table, row?.rows]).not.toEqual([table, 0]);
    }
    const { database } = api.deps;
    expect(await listOfPayments(database, owner.organization, 'files', 10)).toEqual([]);
    expect(await storedRows(api, 'SELECT FROM payment_files')).not.toEqual([]);
  });

  test('leaves a customer without a name, and one line in the audit log', async () => {
    const { body } = await api.client(token).get(`/customers/${erased.customer}`);
    expect(body).toMatchObject({
      first_name: 'erased',
      last_name: 'erased',
      email: `${erased.customer}@erased.invalid`,
      vat_id: null,
    });
    expect(await auditRows(api, owner.organization, 'customer.erase')).toEqual([
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
      await eraseAs({ ...owner, organization: stranger.organization }, other.customer, '--yes'),
    ];
    for (const { exitCode, stderr } of answers) {
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^There is no customer cus_/)]);
    }
    expect(await tablesWith(api, wordsOf(other))).toContain('customers');
  });
});
