import { Command } from 'commander';
import {
  documentForStaff,
  type InvoiceForStaff,
  type StoredLine,
} from '../../../billing/invoices/staff-read.ts';
import { type OrganizationOptions, ofOrganization, withOrganization } from '../../of-organization.ts';
import { printLines, printObject } from '../../output.ts';
import { known } from '../../session.ts';

export function showCommand(): Command {
  return ofOrganization(new Command('show'))
    .description('one document: its sums, each line with what its figure was made of, its files')
    .argument('<invoice>', 'inv_… or the printed number')
    .action((id: string, options: OrganizationOptions) =>
      withOrganization(options, async ({ database }, organization) => {
        const found = await known(
          `invoice ${id} in ${organization}`,
          documentForStaff(database, organization, id),
        );
        if (options.json === true) printObject({ ...found }, options);
        else printDocument(found);
      }),
    );
}

/** Taxes, facts, lines and files are no single values: they follow as lines of their own, the facts only with `--json`. */
function printDocument({ lines, files, taxes, facts: _, ...columns }: InvoiceForStaff): void {
  printObject(columns, {});
  printLines([
    '',
    ...taxes.map(({ rate, net, tax }) => `tax ${rate}: ${tax} of ${net}`),
    ...files.map(({ kind, bytes, made_at }) => `file ${kind}: ${bytes} bytes, ${made_at}`),
    '',
    ...lines.flatMap(textsOf),
  ]);
}

function textsOf(line: StoredLine): string[] {
  const { position, kind, period_from, period_until, band, quantity, unit, unit_price, net, figures } = line;
  const measured = quantity === null ? '' : `  ${quantity} ${unit} x ${unit_price ?? '-'}`;
  const head = `${position}. ${kind}${band === null ? '' : ` (${band})`}  ${period_from} to ${period_until}`;
  return [
    `${head}${measured}  = ${net}`,
    ...figures.map(({ name, value, unit: of, source, validFrom }) => {
      const since = validFrom === null ? '' : ` since ${validFrom}`;
      return `   ${name}: ${value} ${of} (${source}${since})`;
    }),
  ];
}
