import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Command, Option } from 'commander';
import { bankFiles } from '../../billing/payments/bank-files.ts';
import { importStatement } from '../../billing/payments/import.ts';
import { listOfPayments, PAYMENT_LISTS, type PaymentList } from '../../billing/payments/list.ts';
import {
  type MadeFile,
  makeDebitFile,
  makeRefundFile,
  paymentFile,
} from '../../billing/payments/make-file.ts';
import type { BankEntry } from '../../billing/payments/statements/entry.ts';
import { calendarDay } from '../calendar-day.ts';
import {
  type ChangeOptions,
  type ListOptions,
  listing,
  ofOrganization,
  withOrganization,
} from '../of-organization.ts';
import { printObject, printTable } from '../output.ts';
import { known, type Session, staffAct, withActOptions } from '../session.ts';

export function paymentsCommand(): Command {
  return new Command('payments')
    .addCommand(
      fileCommand('debit-file', 'direct debits (SEPA, pain.008) of all bills that are due', makeDebitFile),
    )
    .addCommand(
      fileCommand(
        'refund-file',
        'transfers (SEPA, pain.001) of all amounts in favour of customers',
        makeRefundFile,
      ),
    )
    .addCommand(importCommand())
    .addCommand(list());
}

interface FileOptions extends ChangeOptions {
  out: string;
  on?: string;
  again?: string;
}

function fileCommand(name: string, what: string, make: typeof makeDebitFile): Command {
  return ofOrganization(withActOptions(new Command(name)))
    .description(`writes a file for the bank: ${what}`)
    .requiredOption('--out <file>', 'where it is written to; nothing is overwritten')
    .option('--on <day>', 'when the bank acts; the first possible day where absent', calendarDay)
    .addOption(
      new Option(
        '--again <id>',
        'pfl_…: writes a file that was made before once more, the same bytes',
      ).conflicts('on'),
    )
    .action((options: FileOptions) =>
      withOrganization(options, async (session, organization) => {
        const act = staffAct(session, options, `payments ${name}`);
        const again = options.again;
        const made: Partial<MadeFile> =
          again === undefined
            ? await make(session, organization, { provider: bankFiles, ...dayOf(options) }, act)
            : { id: again };
        const id = made.id ?? null;
        if (id !== null) await writeOut(session, organization, id, options, act);
        printObject({ ...made, file: id === null ? null : options.out }, options);
      }),
    );
}

function dayOf({ on }: FileOptions) {
  return on === undefined ? {} : { on };
}

/** For its owner alone: accounts and names stand in it. */
async function writeOut(
  session: Session,
  organization: string,
  id: string,
  { out }: FileOptions,
  act: Parameters<typeof paymentFile>[3],
): Promise<void> {
  const { content } = await known(`payment file ${id}`, paymentFile(session, organization, id, act));
  try {
    const file = await open(out, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`Payment file ${id} is stored and was not written: ${problem}\nOnce more: --again ${id}`);
  }
}

function importCommand(): Command {
  return ofOrganization(withActOptions(new Command('import'), 'import of a statement of the bank'))
    .description('takes in what the bank reports, all of it or nothing; the same file twice changes nothing')
    .argument('<file>', 'camt.054 or camt.053, or CSV with the columns of docs/payments.md')
    .action((path: string, options: ChangeOptions) =>
      withOrganization(options, async (session, organization) => {
        const act = staffAct(session, options, 'payments import');
        /* Opened here, so that a file that is not there is told before anything is asked. */
        const file = await open(path);
        const statement = { name: basename(path), source: file.createReadStream() };
        const imported = await importStatement(session, organization, statement, bankFiles, act);
        if (options.json === true) printObject({ ...imported }, options);
        else printObject({ ...imported, known: imported.known.length }, options, knownLines(imported.known));
      }),
    );
}

const KNOWN_LISTED_MAX = 1_000;

/** Skipped movements with their places in the file, so that a reader can check that they are the same. */
function knownLines(known: readonly BankEntry[]): string[] {
  const lines = known.slice(0, KNOWN_LISTED_MAX).map(({ path, bookedOn, amount, name, text }) => {
    const said = [bookedOn, amount, name, text].filter((part) => part !== null);
    return `known: ${path}  ${said.join('  ')}`;
  });
  const rest = known.length - KNOWN_LISTED_MAX;
  return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])];
}

const COLUMNS: Readonly<Record<PaymentList, readonly string[]>> = {
  payments: ['id', 'invoice_number', 'way', 'amount', 'status', 'execute_on', 'booked_on', 'return_reason'],
  returned: ['id', 'invoice_number', 'invoice_status', 'amount', 'booked_on', 'return_reason'],
  overpaid: ['invoice_id', 'invoice_number', 'status', 'total', 'received', 'overpaid'],
  unmatched: ['id', 'booked_on', 'amount', 'note', 'end_to_end_id', 'name', 'text'],
  files: ['id', 'kind', 'provider', 'execute_on', 'payments', 'sum', 'created_at'],
};

function list(): Command {
  return listing('list')
    .description('payments, newest first')
    .addOption(
      new Option('--what <list>', 'all payments; what came back; what came in too much or for no bill; files')
        .choices(PAYMENT_LISTS)
        .default('payments'),
    )
    .action((options: ListOptions & { what: PaymentList }) =>
      withOrganization(options, async ({ database }, organization) => {
        const rows = await listOfPayments(database, organization, options.what, options.limit);
        printTable(rows, COLUMNS[options.what], options);
      }),
    );
}
