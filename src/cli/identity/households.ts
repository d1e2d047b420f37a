import { Command, InvalidArgumentError } from 'commander';
import { createHousehold, newestHouseholds } from '../../identity/households/service.ts';
import {
  type ChangeOptions,
  type OrganizationOptions,
  ofOrganization,
  withOrganization,
} from '../of-organization.ts';
import { printObject, printTable } from '../output.ts';
import { staffAct, withActOptions } from '../session.ts';

interface CreateOptions extends ChangeOptions {
  customer?: string;
  customerFirstName?: string;
  customerLastName?: string;
  customerCompanyName?: string;
  customerEmail?: string;
  customerVatId?: string;
  addressStreet?: string;
  addressHouseNumber?: string;
  addressZip?: string;
  addressCity?: string;
  displayName?: string;
}

const LIST_ROWS_MAX = 10_000;

export function householdsCommand(): Command {
  return new Command('households').addCommand(create()).addCommand(list());
}

function create(): Command {
  return ofOrganization(withActOptions(new Command('create')))
    .description('a new household, of a known customer (--customer) or of a new one (--customer-…)')
    .option('--customer <id>', 'cus_… of a customer that exists')
    .option('--customer-first-name <text>', 'of a new customer')
    .option('--customer-last-name <text>', 'of a new customer')
    .option('--customer-company-name <text>', 'makes the new customer a company')
    .option('--customer-email <address>', 'of a new customer; one customer per address')
    .option('--customer-vat-id <text>', 'of a new customer')
    .option('--address-street <text>', 'delivery address; without --address-… there is none yet')
    .option('--address-house-number <text>')
    .option('--address-zip <text>', 'five digits')
    .option('--address-city <text>')
    .option('--display-name <text>', 'to tell the households of a customer apart')
    .action((options: CreateOptions) =>
      withOrganization(options, async (session, organization) => {
        const input = {
          customer: customerOf(options),
          address: addressOf(options),
          display_name: options.displayName ?? null,
        };
        const act = staffAct(session, options, 'households create');
        printObject({ ...(await createHousehold(session.database, organization, input, act)) }, options);
      }),
    );
}

function list(): Command {
  return ofOrganization(new Command('list'))
    .description('households of an organization, newest first')
    .option('--limit <number>', 'at most so many', rowsMax, 100)
    .action((options: OrganizationOptions & { limit: number }) =>
      withOrganization(options, async ({ database }, organization) => {
        const rows = await newestHouseholds(database, organization, options.limit);
        const shown = rows.map((row) => ({ ...row }));
        printTable(shown, ['id', 'customer_id', 'address_id', 'created_at', 'display_name'], options);
      }),
    );
}

function rowsMax(text: string): number {
  const rows = Number(text);
  if (Number.isInteger(rows) && rows >= 1 && rows <= LIST_ROWS_MAX) return rows;
  throw new InvalidArgumentError(`A whole number from 1 to ${LIST_ROWS_MAX}.`);
}

function customerOf(options: CreateOptions) {
  const names = {
    first_name: options.customerFirstName ?? '',
    last_name: options.customerLastName ?? '',
    email: options.customerEmail ?? '',
    vat_id: options.customerVatId ?? null,
  };
  const company_name = options.customerCompanyName;
  const isNew = Object.values({ ...names, company_name }).some(
    (value) => value !== '' && (value ?? null) !== null,
  );
  if (options.customer !== undefined) {
    if (isNew) throw new Error('Give either --customer or the --customer-… options of a new one');
    return options.customer;
  }
  return company_name === undefined
    ? { type: 'person' as const, ...names }
    : { type: 'company' as const, company_name, ...names };
}

function addressOf(options: CreateOptions) {
  const address = {
    street: options.addressStreet ?? '',
    house_number: options.addressHouseNumber ?? '',
    zip: options.addressZip ?? '',
    city: options.addressCity ?? '',
  };
  return Object.values(address).every((value) => value === '') ? null : address;
}
