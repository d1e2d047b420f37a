import { Command, Option } from 'commander';
import { organization as findOrganization } from '../organizations/service.ts';
import { SUBSCRIPTION_STATUSES } from '../subscriptions/schema.ts';
import { newestSubscriptions, subscriptionForStaff } from '../subscriptions/staff-read.ts';
import { wholeNumber } from './client-options.ts';
import { printObject, printTable } from './output.ts';
import { known, withSession } from './session.ts';

interface ReadOptions {
  organization: string;
  json?: boolean;
}

interface ListOptions extends ReadOptions {
  status?: string;
  customer?: string;
  household?: string;
  limit: number;
}

const LIMIT = 100;

export function listSubscriptionsCommand(): Command {
  return new Command('list')
    .description('contracts of an organization, newest first')
    .requiredOption('--organization <id>', 'org_…')
    .addOption(new Option('--status <status>', 'in this state only').choices(SUBSCRIPTION_STATUSES))
    .option('--customer <id>', 'cus_…: of this customer only')
    .option('--household <id>', 'dom_…: of this household only')
    .option('--limit <number>', 'at most so many', wholeNumber, LIMIT)
    .option('--json', 'as a list of JSON objects')
    .action((options: ListOptions) =>
      withSession(async ({ database }) => {
        const { organization: id, status, customer, household, limit } = options;
        await known(`organization ${id}`, findOrganization(database, id));
        const rows = await newestSubscriptions(database, id, { status, customer, household }, limit);
        const columns = [
          'id',
          'number',
          'type',
          'status',
          'start_at',
          'end_at',
          'customer_id',
          'household_id',
        ];
        printTable(
          rows.map((row) => ({ ...row })),
          columns,
          options,
        );
      }),
    );
}

export function showSubscriptionCommand(): Command {
  return new Command('show')
    .description('one contract with its meter order and its grid fee reductions')
    .argument('<subscription>', 'sub_…')
    .requiredOption('--organization <id>', 'org_…')
    .option('--json', 'as one JSON object')
    .action((id: string, options: ReadOptions) =>
      withSession(async ({ database }) => {
        const { organization } = options;
        await known(`organization ${organization}`, findOrganization(database, organization));
        const found = subscriptionForStaff(database, organization, id);
        const {
          metadata: _metadata,
          meter_orders,
          grid_fee_reductions,
          ...row
        } = await known(`subscription ${id} in ${organization}`, found);
        const shown = options.json
          ? { ...row, meter_orders, grid_fee_reductions }
          : {
              ...row,
              meter_orders: meter_orders.map((order) => `${order.id} ${order.product} ${order.status}`),
              grid_fee_reductions: grid_fee_reductions.map((one) => `${one.id} ${one.type} ${one.status}`),
            };
        printObject(shown, options);
      }),
    );
}
