import type { Issuer } from '../../billing/issuers/schema.ts';
import { issuerOf, setIssuer } from '../../billing/issuers/service.ts';
import { command } from '../engine/command.ts';
import { ACT, month, OF_ORGANIZATION, option, wholeNumber } from '../engine/fields.ts';

/** An empty text removes what may be absent. */
const FIELDS = {
  name: option('<text>', 'company with its legal form'),
  street: option('<text>', 'without number'),
  house_number: option('<text>', 'of the street'),
  zip: option('<digits>', 'postal code'),
  city: option('<text>', 'town'),
  register_court: option('<text>', 'court of the commercial register'),
  register_number: option('<text>', 'HRB 12345'),
  represented_by: option('<names>', 'who manages the company'),
  contact_name: option('<text>', 'the customer service'),
  email: option('<address>', 'of the customer service'),
  phone: option('<number>', 'of the customer service'),
  website: option('<url>', 'https://…'),
  vat_id: option('<id>', 'DE123456788; it or the tax number is needed'),
  tax_number: option('<number>', 'as the tax office gave it'),
  supplier_code: option('<digits>', 'BDEW code, 13 digits'),
  iban: option('<iban>', 'account to which customers pay'),
  bic: option('<bic>', 'its bank'),
  account_holder: option('<text>', 'holder of the account'),
  creditor_id: option('<id>', 'SEPA creditor identifier (DE98ZZZ09999999999)'),
  language: option('<de|en>', 'of the documents'),
  due_days: option('<days>', 'from the issue until a document is due, at least 14', wholeNumber),
  first_reminder_days: option('<days>', 'after the due day until the first reminder', wholeNumber),
  second_reminder_days: option('<days>', 'after the due day until the second one', wholeNumber),
  uncollectible_days: option(
    '<days>',
    'after the due day until no payment is expected any more',
    wholeNumber,
  ),
  bills_from: option(
    '<month>',
    'YYYY-MM: the first month that is billed, the present one where absent at the first entry; stays once there are documents',
    month,
  ),
} satisfies Partial<Record<keyof Issuer, unknown>>;

/** An empty text in these options means: none. */
const REMOVABLE: readonly string[] = [
  ...['register_court', 'register_number', 'represented_by', 'website', 'vat_id', 'tax_number', 'bic'],
];

export const commands = {
  set: command({
    words: 'enters who bills, or changes what is given of it; documents that were issued keep what they say',
    examples: [
      "--iban DE02120300000000202051 --bic BYLADEM1001 --reason 'another bank'",
      "--due-days 21 --website '' --reason 'new terms'",
    ],
    options: { ...OF_ORGANIZATION, ...ACT, ...FIELDS },
    work: ({ database, organization, act }, given) => {
      const entered = Object.entries(given).map(([field, value]) => [
        field,
        value === '' && REMOVABLE.includes(field) ? null : value,
      ]);
      return setIssuer(database, organization, Object.fromEntries(entered) as Partial<Issuer>, act);
    },
  }),
  show: command({
    words: 'who bills for an organization',
    examples: ['', '--organization org_… --json'],
    options: OF_ORGANIZATION,
    thing: 'issuer',
    work: ({ database, organization }) => issuerOf(database, organization),
  }),
};
