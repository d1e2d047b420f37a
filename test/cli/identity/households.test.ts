import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testEnvironment } from '../../setup/api.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { runCommand } from '../command-line.ts';

interface Created {
  household: string;
  customer: string;
  address: string | null;
}

let database: TestDatabase;
let environment: Record<string, string>;
let organization: string;

const why = ['--reason', 'ticket 17', '--staff', 'ada'];
const person = ['--customer-first-name', 'Jule', '--customer-last-name', 'Brandt', '--customer-email'];
const street = ['--address-street', 'Am Mühlgraben', '--address-house-number', '7a'];
const address = [...street, '--address-zip', '37073', '--address-city', 'Göttingen'];

beforeAll(async () => {
  database = await createTestDatabase();
  environment = testEnvironment(database, 'redis://127.0.0.1:1');
  const { stdout } = await runCommand(
    environment,
    'organizations',
    'create',
    '--name',
    'A',
    ...why,
    '--json',
  );
  organization = (JSON.parse(stdout) as { id: string }).id;
});
afterAll(() => database.drop());

const run = (command: string, ...args: string[]) =>
  runCommand(environment, 'households', command, '--organization', organization, ...args);

async function created(...args: string[]): Promise<Created> {
  const { stdout, stderr } = await run('create', ...args, ...why, '--json');
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout) as Created;
}

describe('households create', () => {
  test('creates customer, address and household in one step and leaves one audit line without their names', async () => {
    const made = await created(...person, 'jule@example.org', ...address, '--display-name', 'Haus am See');
    const rows = await storedRows(
      { database },
      `SELECT h.display_name, c.type, c.first_name, c.email, a.street, a.zip
       FROM households h
       JOIN customers c ON c.id = h.customer_id
       JOIN addresses a ON a.id = h.address_id AND a.customer_id = c.id
       WHERE h.id = $1 AND h.organization_id = $2`,
      [made.household, organization],
    );
    expect(rows).toEqual([
      {
        display_name: 'Haus am See',
        type: 'person',
        first_name: 'Jule',
        email: 'jule@example.org',
        street: 'Am Mühlgraben',
        zip: '37073',
      },
    ]);
    const lines = await auditRows({ database }, organization, 'household.');
    expect(lines).toEqual([
      expect.objectContaining({
        act: 'household.create',
        object_id: made.household,
        route: 'households create',
        staff: 'ada',
        reason: 'ticket 17',
        result: 'done',
      }),
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/jule|Brandt|Mühl/i);
  });

  test('gives a known customer another household, also without an address yet', async () => {
    const first = await created(...person, 'second.home@example.org', ...address);
    const second = await created('--customer', first.customer);
    expect(second).toEqual({
      household: expect.stringMatching(/^dom_/),
      customer: first.customer,
      address: null,
    });
  });

  test('a company has a name', async () => {
    const made = await created('--customer-company-name', 'Brandt GmbH', ...person, 'gmbh@example.org');
    const rows = await storedRows({ database }, 'SELECT type, company_name FROM customers WHERE id = $1', [
      made.customer,
    ]);
    expect(rows).toEqual([{ type: 'company', company_name: 'Brandt GmbH' }]);
  });

  test('every problem is said in a sentence of its own, and nothing is stored', async () => {
    const count = () => storedRows({ database }, 'SELECT count(*) FROM customers');
    const before = await count();
    const result = await run('create', '--customer-email', 'nonsense', '--address-zip', '123', ...why);
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    for (const field of [
      'customer.first_name',
      'customer.email',
      'address.street',
      'address.zip',
      'address.city',
    ]) {
      expect(result.stderr).toContain(`${field}: `);
    }
    expect(await count()).toEqual(before);
  });

  test.each([
    [['--customer', 'cus_000000000000000000000000'], 'customer: The customer is unknown'],
    [['--customer', 'x'], 'customer: The customer is unknown'],
    [['--customer', 'x', '--customer-email', 'y@example.org'], 'Give either --customer or'],
    [[...person, 'JULE@example.org'], 'A customer with this e-mail address exists'],
  ])('%j is refused', async (args, sentence) => {
    const result = await run('create', ...args, ...why);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain(sentence);
  });

  test('without a reason or for an unknown organization nothing happens', async () => {
    expect((await run('create', '--customer', 'x')).exitCode).toBe(2);
    const unknown = 'org_000000000000000000000000';
    const args = ['create', '--organization', unknown, ...person, 'z@example.org', ...why];
    const result = await runCommand(environment, 'households', ...args);
    expect(result).toMatchObject({ exitCode: 1, stderr: `There is no organization ${unknown}\n` });
  });
});

describe('households list', () => {
  test('shows the newest first, as many as asked for', async () => {
    const older = await created(...person, 'list.1@example.org');
    const newer = await created('--customer', older.customer);
    const { stdout } = await run('list', '--limit', '2', '--json');
    const listed = JSON.parse(stdout) as { id: string }[];
    expect(listed.map((row) => row.id)).toEqual([newer.household, older.household]);
    expect((await run('list')).stdout.split('\n')[0]).toMatch(/^id +customer_id/);
    expect((await run('list', '--limit', '0')).exitCode).toBe(2);
  });
});

test('households list leaves a line in the audit log with the ids of the customers of what it showed', async () => {
  const { customer } = await created(...person, 'looked@example.org');
  const { exitCode } = await run('list', '--limit', '1', '--staff', 'ada');
  expect(exitCode).toBe(0);
  expect((await auditRows({ database }, organization, 'personal_data.read')).at(-1)).toMatchObject({
    ...{ route: 'households list', staff: 'ada', reason: 'looked at by the back office', result: 'done' },
    object_id: customer,
  });
});

describe('households rename', () => {
  test('sets, changes and clears the name that the interface shows, with the instant of the change', async () => {
    const { household } = await created(...person, 'lea@example.org');
    const stored = () =>
      storedRows<{ display_name: string | null; is_moved: boolean }>(
        { database },
        'SELECT display_name, updated_at > created_at AS is_moved FROM households WHERE id = $1',
        [household],
      );
    expect(await stored()).toEqual([{ display_name: null, is_moved: false }]);
    for (const [given, display_name] of [
      ['Ferienwohnung', 'Ferienwohnung'],
      ['', null],
    ] as const) {
      const done = await run('rename', household, '--display-name', given, ...why, '--json');
      expect({ ...done, stdout: JSON.parse(done.stdout) }).toMatchObject({
        ...{ exitCode: 0, stderr: '', stdout: { household, display_name } },
      });
      expect(await stored()).toEqual([{ display_name, is_moved: true }]);
    }
    await run('rename', household, '--display-name', '', ...why);
    const lines = (await auditRows({ database }, organization, 'household.rename')).filter(
      ({ object_id }) => object_id === household,
    );
    expect(lines.map(({ result }) => result)).toEqual(['done', 'done', 'unchanged']);
    const long = await run('rename', household, '--display-name', 'x'.repeat(101), ...why);
    expect(long).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('display_name') });
    const unknown = await run('rename', 'dom_000000000000000000000000', '--display-name', 'x', ...why);
    expect(unknown.stderr).toContain('There is no household dom_000000000000000000000000');
  });
});

test('customers list finds who has an address, in capitals or not', async () => {
  const list = async (...args: string[]) => {
    const all = ['customers', 'list', '--organization', organization, ...args, '--json'];
    const { exitCode, stdout, stderr } = await runCommand(environment, ...all);
    expect([exitCode, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as Record<string, unknown>[];
  };
  const { customer } = await created(...person, 'Hanne@example.org');
  expect(await list('--email', 'hANNE@example.org')).toMatchObject([
    { id: customer, first_name: 'Jule', last_name: 'Brandt', type: 'person', erased_at: null },
  ]);
  expect(await list('--email', 'nobody@example.org')).toEqual([]);
  const all = await list();
  expect([all[0]?.id, all.length > 1]).toEqual([customer, true]);
  const zero = await runCommand(
    environment,
    'customers',
    'list',
    '--organization',
    organization,
    '--limit',
    '0',
  );
  expect(zero).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('A whole number from 1 to 10000'),
  });
});

test('customers list leaves a line in the audit log with the ids of those whom it showed', async () => {
  const { customer } = await created(...person, 'line@example.org');
  const lines = async (...args: string[]) => {
    const before = await auditRows({ database }, organization, 'personal_data.read');
    const { exitCode } = await runCommand(
      environment,
      'customers',
      'list',
      '--organization',
      organization,
      ...args,
    );
    expect(exitCode).toBe(0);
    return (await auditRows({ database }, organization, 'personal_data.read')).slice(before.length);
  };
  const line = { route: 'customers list', result: 'done', reason: 'looked at by the back office' };
  expect(await lines('--limit', '1', '--staff', 'ada')).toEqual([
    expect.objectContaining({ ...line, object_id: customer, staff: 'ada' }),
  ]);
  expect(await lines('--email', 'nobody@example.org', '--reason', 'ticket 18')).toEqual([
    expect.objectContaining({ ...line, object_id: null, reason: 'ticket 18' }),
  ]);
});
