import { type Command, Option } from 'commander';
import { INVOICE_TYPES, type InvoiceType } from '../../../billing/invoices/schema.ts';
import { newestInvoices, STAFF_STATUSES, type StaffStatus } from '../../../billing/invoices/staff-read.ts';
import { type ListOptions, listing, withOrganization } from '../../of-organization.ts';
import { printTable } from '../../output.ts';

interface InvoiceListOptions extends ListOptions {
  status?: StaffStatus;
  type?: InvoiceType;
  subscription?: string;
}

export function listCommand(): Command {
  return listing('list')
    .description('documents of an organization, newest first')
    .addOption(new Option('--status <status>', 'with this status only').choices(STAFF_STATUSES))
    .addOption(new Option('--type <type>', 'of this type only').choices(INVOICE_TYPES))
    .option('--subscription <id>', 'sub_…: of this contract only')
    .action((options: InvoiceListOptions) =>
      withOrganization(options, async ({ database }, organization) => {
        const { status, type, subscription } = options;
        const rows = await newestInvoices(
          database,
          organization,
          { status, type, subscription },
          options.limit,
        );
        const columns = ['id', 'invoice_number', 'type', 'status', 'from', 'until', 'total', 'due_on'];
        printTable(rows, [...columns, 'subscription_id'], options);
      }),
    );
}
