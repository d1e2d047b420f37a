import { createHousehold, newestHouseholds, renameHousehold } from '../../identity/households/service.ts';
import { type ArgumentValues, command } from '../engine/command.ts';
import { CHANGE, LOOK, needed, OF_ORGANIZATION, option, or, wholeNumberFrom } from '../engine/fields.ts';

const OF_NEW = 'of a new customer';

const CUSTOMER = {
  customer: option('<id>', 'cus_… of a customer that exists'),
  customer_first_name: option('<text>', OF_NEW),
  customer_last_name: option('<text>', OF_NEW),
  customer_company_name: option('<text>', 'makes the new customer a company'),
  customer_email: option('<address>', `${OF_NEW}; one customer per address`),
  customer_vat_id: option('<text>', OF_NEW),
};

const ADDRESS = {
  address_street: option('<text>', 'delivery address; without --address-… there is none yet'),
  address_house_number: option('<text>', ''),
  address_zip: option('<text>', 'five digits'),
  address_city: option('<text>', ''),
};

export const commands = {
  create: command({
    words: 'a new household, of a known customer (--customer) or of a new one (--customer-…)',
    examples: [
      "--customer cus_… --display-name 'Ferienwohnung' --reason 'second home'",
      "--customer-first-name Eva --customer-last-name Beispiel --customer-email eva@example.org --reason 'trial'",
    ],
    options: {
      ...CHANGE,
      ...CUSTOMER,
      ...ADDRESS,
      display_name: option('<text>', 'to tell the households of a customer apart'),
    },
    work: ({ database, organization, act }, given) => {
      const customer = customerOf(given);
      const input = { customer, address: addressOf(given), display_name: given.display_name ?? null };
      return createHousehold(database, organization, input, act);
    },
  }),
  rename: command({
    words: 'what a household is called, to tell those of a customer apart',
    examples: [
      "dom_… --display-name 'Ferienwohnung' --reason 'wish of the customer'",
      "dom_… --display-name '' --reason 'no name any more'",
    ],
    arguments: { household: 'dom_…' },
    thing: 'household',
    options: { ...CHANGE, display_name: needed(option('<text>', 'empty: none')) },
    work: ({ database, organization, act }, { household, display_name }) =>
      renameHousehold(database, organization, household, display_name === '' ? null : display_name, act),
  }),
  list: command({
    words: 'households of an organization, newest first',
    examples: ['', '--limit 1000 --json'],
    options: {
      ...OF_ORGANIZATION,
      limit: or(option('<number>', 'at most so many', wholeNumberFrom(1, 10_000)), 100),
      ...LOOK,
    },
    work: ({ database, organization, act }, { limit }) =>
      newestHouseholds(database, organization, limit, act),
    columns: ['id', 'customer_id', 'address_id', 'created_at', 'display_name'],
    least: ['created_at', 'address_id'],
  }),
};

function customerOf(given: ArgumentValues<typeof CUSTOMER>) {
  const { customer, customer_company_name: company_name } = given;
  const names = {
    first_name: given.customer_first_name ?? '',
    last_name: given.customer_last_name ?? '',
    email: given.customer_email ?? '',
    vat_id: given.customer_vat_id ?? null,
  };
  if (customer !== undefined) {
    const isNew = Object.values({ ...names, company_name }).some((value) => (value ?? '') !== '');
    if (isNew) throw new Error('Give either --customer or the --customer-… options of a new one');
    return customer;
  }
  return company_name === undefined
    ? { type: 'person' as const, ...names }
    : { type: 'company' as const, company_name, ...names };
}

function addressOf(given: ArgumentValues<typeof ADDRESS>) {
  const address = {
    street: given.address_street ?? '',
    house_number: given.address_house_number ?? '',
    zip: given.address_zip ?? '',
    city: given.address_city ?? '',
  };
  return Object.values(address).every((value) => value === '') ? null : address;
}
