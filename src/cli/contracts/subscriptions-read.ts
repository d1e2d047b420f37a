import { Command, Option } from 'commander';
import { SUBSCRIPTION_STATUSES } from '../../contracts/subscriptions/schema.ts';
import { newestSubscriptions, subscriptionForStaff } from '../../contracts/subscriptions/staff-read.ts';
import {
  type ListOptions,
  listing,
  type OrganizationOptions,
  ofOrganization,
  withOne,
  withOrganization,
} from '../of-organization.ts';
import { printTable } from '../output.ts';

interface Wanted extends ListOptions {
  status?: string;
  customer?: string;
  household?: string;
}

export function listSubscriptionsCommand(): Command {
  return listing('list')
    .description('contracts of an organization, newest first')
    .addOption(new Option('--status <status>', 'in this state only').choices(SUBSCRIPTION_STATUSES))
    .option('--customer <id>', 'cus_…: of this customer only')
    .option('--household <id>', 'dom_…: of this household only')
    .action((options: Wanted) =>
      withOrganization(options, async ({ database }, organization) => {
        const { status, customer, household, limit } = options;
        const rows = await newestSubscriptions(
          database,
          organization,
          { status, customer, household },
          limit,
        );
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
  return ofOrganization(new Command('show'))
    .description('one contract with its meter order and its grid fee reductions')
    .argument('<subscription>', 'sub_…')
    .action((id: string, options: OrganizationOptions) =>
      withOne(`subscription ${id}`, options, async ({ database }, organization) => {
        const {
          metadata: _metadata,
          meter_orders,
          grid_fee_reductions,
          ...row
        } = await subscriptionForStaff(database, organization, id);
        if (options.json === true) return { ...row, meter_orders, grid_fee_reductions };
        return {
          ...row,
          meter_orders: meter_orders.map((order) => `${order.id} ${order.product} ${order.status}`),
          grid_fee_reductions: grid_fee_reductions.map((one) => `${one.id} ${one.type} ${one.status}`),
        };
      }),
    );
}
