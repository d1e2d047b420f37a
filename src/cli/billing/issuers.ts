import { Command } from 'commander';
import type { Issuer } from '../../billing/issuers/schema.ts';
import { issuerOf, setIssuer } from '../../billing/issuers/service.ts';
import { wholeNumber } from '../identity/client-options.ts';
import { month } from '../month.ts';
import {
  type ChangeOptions,
  type OrganizationOptions,
  ofOrganization,
  withOne,
  withOrganization,
} from '../of-organization.ts';
import { printObject } from '../output.ts';
import { staffAct, withActOptions } from '../session.ts';

export function issuersCommand(): Command {
  return new Command('issuers').addCommand(set()).addCommand(show());
}

/** `set --house-number 7` of each field; an empty text removes what may be absent. */
const FIELDS = {
  name: ['text', 'company with its legal form'],
  street: ['text', 'without number'],
  house_number: ['text', 'of the street'],
  zip: ['digits', 'postal code'],
  city: ['text', 'town'],
  register_court: ['text', 'court of the commercial register'],
  register_number: ['text', 'HRB 12345'],
  represented_by: ['names', 'who manages the company'],
  contact_name: ['text', 'the customer service'],
  email: ['address', 'of the customer service'],
  phone: ['number', 'of the customer service'],
  website: ['url', 'https://…'],
  vat_id: ['id', 'DE123456788; it or the tax number is needed'],
  tax_number: ['number', 'as the tax office gave it'],
  supplier_code: ['digits', 'BDEW code, 13 digits'],
  iban: ['iban', 'account to which customers pay'],
  bic: ['bic', 'its bank'],
  account_holder: ['text', 'holder of the account'],
  creditor_id: ['id', 'SEPA creditor identifier (DE98ZZZ09999999999)'],
  language: ['de|en', 'of the documents'],
} as const satisfies Partial<Record<keyof Issuer, readonly [value: string, what: string]>>;

const DAYS = {
  due_days: 'from the issue until a document is due, at least 14',
  first_reminder_days: 'after the due day until the first reminder',
  second_reminder_days: 'after the due day until the second one',
  uncollectible_days: 'after the due day until no payment is expected any more',
} as const satisfies Partial<Record<keyof Issuer, string>>;

/** An empty text in these options means: none. */
const REMOVABLE: readonly string[] = [
  'register_court',
  'register_number',
  'represented_by',
  'website',
  'vat_id',
  'tax_number',
  'bic',
];

type SetOptions = ChangeOptions & Readonly<Record<string, string | number | undefined>>;

function set(): Command {
  const command = withActOptions(ofOrganization(new Command('set'))).description(
    'enters who bills, or changes what is given of it; documents that were issued keep what they say',
  );
  for (const [field, [value, what]] of Object.entries(FIELDS)) {
    command.option(`--${option(field)} <${value}>`, what);
  }
  for (const [field, what] of Object.entries(DAYS))
    command.option(`--${option(field)} <days>`, what, wholeNumber);
  command.option(
    '--bills-from <month>',
    'YYYY-MM: the first month that is billed, the present one where absent at the first entry; stays once there are documents',
    month,
  );
  return command.action((options: SetOptions) =>
    withOrganization(options, async (session, organization) => {
      const act = staffAct(session, options, 'issuers set');
      printObject({ ...(await setIssuer(session.database, organization, givenIn(options), act)) }, options);
    }),
  );
}

const option = (field: string) => field.replaceAll('_', '-');
const property = (field: string) =>
  field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function givenIn(options: SetOptions): Partial<Issuer> {
  const given = [...Object.keys(FIELDS), ...Object.keys(DAYS), 'bills_from'].flatMap((field) => {
    const value = options[property(field)];
    if (value === undefined) return [];
    return [[field, value === '' && REMOVABLE.includes(field) ? null : value]];
  });
  return Object.fromEntries(given) as Partial<Issuer>;
}

function show(): Command {
  return ofOrganization(new Command('show'))
    .description('who bills for an organization')
    .action((options: OrganizationOptions) =>
      withOne('issuer', options, ({ database }, organization) => issuerOf(database, organization)),
    );
}
