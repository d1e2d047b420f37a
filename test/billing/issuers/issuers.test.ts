import { afterAll, beforeAll, expect, test } from 'vitest';
import { isCreditorId } from '../../../src/billing/issuers/creditor-id.ts';
import { runCommand } from '../../cli/command-line.ts';
import { startApi, type TestApi, testEnvironment } from '../../setup/api.ts';
import { createOrganization } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';

let api: TestApi;
let environment: Record<string, string>;
beforeAll(async () => {
  api = await startApi();
  environment = testEnvironment(api.database, 'redis://127.0.0.1:1');
});
afterAll(() => api?.close());

const run = (verb: string, organization: string, given: Record<string, string> = {}) =>
  runCommand(
    environment,
    ...['issuers', verb, '--organization', organization, '--json'],
    ...Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]),
  );

const ACT = { staff: 'a.b', reason: 'first entry' };
const ALL = {
  name: 'Voltwerk GmbH',
  street: 'Lindenallee',
  'house-number': '7a',
  zip: '20354',
  city: 'Hamburg',
  'register-court': 'Amtsgericht Hamburg',
  'register-number': 'HRB 12345',
  'represented-by': 'Ada Beispiel',
  'contact-name': 'Kundenservice',
  email: 'service@voltwerk.example',
  phone: '+49 40 123456',
  website: 'https://voltwerk.example',
  'vat-id': 'DE136695976',
  'tax-number': '22/123/45678',
  'supplier-code': '9907248000001',
  iban: 'DE89 3704 0044 0532 0130 00',
  bic: 'COBADEFFXXX',
  'account-holder': 'Voltwerk GmbH',
  'creditor-id': 'DE98ZZZ09999999999',
};

test('who bills is entered whole, shown, and changed in parts; each change is audited with the account', async () => {
  const organization = await createOrganization(api.deps);
  expect(await run('show', organization)).toMatchObject({ exitCode: 1 });
  const set = await run('set', organization, { ...ALL, ...ACT });
  expect(set).toMatchObject({ exitCode: 0, stderr: '' });
  const first = JSON.parse(set.stdout);
  expect(first).toMatchObject({
    name: 'Voltwerk GmbH',
    house_number: '7a',
    country: 'DE',
    language: 'de',
    iban: 'DE89370400440532013000',
    due_days: 14,
    uncollectible_days: 49,
  });
  const changed = await run('set', organization, {
    ...ACT,
    iban: 'DE75512108001245126199',
    bic: '',
    'due-days': '21',
    language: 'en',
  });
  const after = {
    ...{ ...first, language: 'en', iban: 'DE75512108001245126199', bic: null, due_days: 21 },
    earlier_ibans: ['DE89370400440532013000'],
  };
  expect(JSON.parse(changed.stdout)).toEqual({ ...after, updated_at: expect.any(String) });
  expect(JSON.parse((await run('show', organization)).stdout)).toEqual(JSON.parse(changed.stdout));
  expect(await auditRows(api, organization, 'issuer.set')).toHaveLength(2);
  const [last] = await storedRows(
    api,
    `SELECT before, after, staff, reason FROM audit_log WHERE organization_id = $1 AND act = 'issuer.set' ORDER BY id DESC LIMIT 1`,
    [organization],
  );
  expect(last).toEqual({
    before: {
      iban: 'DE89370400440532013000',
      creditor_id: 'DE98ZZZ09999999999',
      bills_from: first.bills_from,
    },
    after: {
      iban: 'DE75512108001245126199',
      creditor_id: 'DE98ZZZ09999999999',
      bills_from: first.bills_from,
    },
    ...ACT,
  });
});

test('what is wrong or missing is told with field and rule, all of it, and nothing is written', async () => {
  const organization = await createOrganization(api.deps);
  const wrong = {
    ...ALL,
    iban: 'DE89370400440532013001',
    'creditor-id': 'DE97ZZZ09999999999',
    'vat-id': 'DE136695977',
    zip: '2035',
    email: 'nobody',
    website: 'http://voltwerk.example',
    'due-days': '13',
    language: 'fr',
    'second-reminder-days': '7',
  };
  const { name: _, ...nameless } = wrong;
  const refused = await run('set', organization, { ...nameless, ...ACT });
  expect(refused.exitCode).toBe(1);
  for (const field of [
    'name',
    'zip',
    'email',
    'website',
    'vat_id',
    'iban',
    'creditor_id',
    'language',
    'due_days',
  ]) {
    expect(refused.stderr).toContain(field);
  }
  for (const [field, days] of [
    ['second_reminder_days', { 'second-reminder-days': '7' }],
    ['uncollectible_days', { 'uncollectible-days': '21' }],
    ['vat_id', { 'vat-id': '', 'tax-number': '' }],
  ] as const) {
    const outcome = await run('set', organization, { ...ALL, ...ACT, ...days });
    expect([outcome.exitCode, outcome.stderr]).toEqual([1, expect.stringContaining(field)]);
  }
  expect(await storedRows(api, 'SELECT 1 FROM issuers WHERE organization_id = $1', [organization])).toEqual(
    [],
  );
  expect(await auditRows(api, organization, 'issuer.set')).toEqual([]);
});

test('check digits of creditor identifiers leave the line of business out and find every wrong digit', () => {
  expect(isCreditorId('DE98ZZZ09999999999')).toBe(true);
  expect(isCreditorId('DE98ABC09999999999')).toBe(true);
  expect(isCreditorId('AT61ZZZ01234567890')).toBe(true);
  const right = 'DE98ZZZ09999999999';
  for (const at of [2, 3, ...Array.from({ length: 11 }, (_, place) => place + 7)]) {
    const digit = (Number(right[at]) + 1) % 10;
    expect(isCreditorId(`${right.slice(0, at)}${digit}${right.slice(at + 1)}`)).toBe(false);
  }
  for (const text of [
    '',
    'DE98ZZZ',
    'de98zzz09999999999',
    'DE98ZZZ0999999999 ',
    `DE98ZZZ${'9'.repeat(29)}`,
  ]) {
    expect(isCreditorId(text)).toBe(false);
  }
});
