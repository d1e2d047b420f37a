import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  assignEntry,
  setEntryAside,
  type UnassignedEntry,
  unassignEntry,
} from '../../billing/payments/assign.ts';
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
import { suggestionsFor } from '../../billing/payments/suggest.ts';
import { withdrawFile } from '../../billing/payments/withdraw.ts';
import type { StaffAct } from '../../platform/staff-act.ts';
import { command } from '../engine/command.ts';
import {
  act,
  argument,
  CHANGE,
  calendarDay,
  choice,
  idOption,
  instant,
  LISTING,
  LOOK,
  needed,
  OF_ORGANIZATION,
  option,
  or,
} from '../engine/fields.ts';
import { commandIo } from '../engine/io.ts';
import { fields, table } from '../engine/output.ts';
import type { Session } from '../engine/session.ts';
import { known } from '../organization.ts';

const COLUMNS: Readonly<Record<PaymentList, readonly string[]>> = {
  payments: [
    ...['id', 'invoice_number', 'way', 'amount', 'status', 'execute_on', 'booked_on', 'return_reason'],
    'bank_entry_id',
  ],
  returned: ['id', 'invoice_number', 'invoice_status', 'amount', 'booked_on', 'return_reason'],
  overpaid: ['invoice_id', 'invoice_number', 'status', 'total', 'received', 'overpaid'],
  new: ['id', 'booked_on', 'amount', 'end_to_end_id', 'name', 'text'],
  unmatched: ['id', 'booked_on', 'amount', 'note', 'end_to_end_id', 'name', 'text'],
  set_aside: ['id', 'booked_on', 'amount', 'end_to_end_id', 'name', 'text'],
  files: ['id', 'kind', 'provider', 'execute_on', 'payments', 'sum', 'created_at'],
};

const MOVEMENT = { arguments: { movement: 'bke_…' }, thing: 'movement' } as const;

export const commands = {
  'debit-file': fileCommand('direct debits (SEPA, pain.008) of all bills that are due', makeDebitFile),
  'refund-file': fileCommand(
    'transfers (SEPA, pain.001) of all amounts in favour of customers',
    makeRefundFile,
  ),
  'withdraw-file': command({
    words: 'the bank never had the file, or refused it as a whole: the next file has its bills',
    examples: ["pfl_… --reason 'lost on the way to the bank'", "pfl_… --reason 'the bank refused it' --json"],
    arguments: { file: argument(idOption('pfl_…')) },
    thing: 'payment file',
    options: CHANGE,
    work: ({ organization, act, ...session }, { file }) => withdrawFile(session, organization, file, act),
  }),
  import: command({
    words: 'takes in what the bank reports, all of it or nothing; the same file twice changes nothing',
    examples: ['statement.xml', 'statement.csv --organization org_… --json'],
    arguments: { file: 'camt.054 or camt.053, or CSV with the columns of docs/payments.md' },
    options: { ...act('import of a statement of the bank'), ...OF_ORGANIZATION },
    work: async ({ organization, act, ...session }, { file: path }) => {
      /* Opened here, so that a file that is not there is told before anything is asked. */
      const file = await open(path);
      const statement = { name: basename(path), source: file.createReadStream() };
      return { ...(await importStatement(session, organization, statement, bankFiles, act)) };
    },
    print: (imported) => [
      fields({ ...imported, known: imported.known.length }),
      ...knownLines(imported.known),
    ],
  }),
  suggest: command({
    words: 'bills that an unmatched movement may be for, with what speaks for each',
    examples: ['bke_…', 'bke_… --json'],
    ...MOVEMENT,
    options: { ...OF_ORGANIZATION, ...LOOK },
    work: ({ database, organization, act }, { movement }) =>
      suggestionsFor(database, organization, movement, act),
    columns: ['invoice_number', 'customer_name', 'status', 'total', 'missing', 'reasons'],
  }),
  assign: command({
    words: 'books an unmatched movement: on a bill, or on the open bills of a contract',
    examples: [
      "bke_… KONSOLE1-001 --reason 'he wrote a wrong number'",
      "bke_… KONSOLE1 --reason 'call of the customer'",
    ],
    thing: MOVEMENT.thing,
    arguments: { ...MOVEMENT.arguments, to: argument(option('', 'number or id of a bill or contract')) },
    options: CHANGE,
    work: ({ organization, act, ...session }, { movement, to }) =>
      assignEntry(to, session, organization, movement, act),
    print: ({ entry, parts }) => [fields({ entry }), table(parts, ['invoice', 'amount'])],
  }),
  unassign: command({
    words: 'a movement was for another bill: it is unmatched again, and its bills miss it',
    examples: ["bke_… --reason 'it was for another contract'", "bke_… --reason 'mistyped' --json"],
    ...MOVEMENT,
    options: CHANGE,
    work: ({ organization, act, ...session }, { movement }) =>
      unassignEntry(session, organization, movement, act),
    print: ({ entry, parts }) => [
      fields({ entry }),
      table(parts, ['invoice', 'amount', 'status', 'missing']),
      ...parts.flatMap(stillPaid),
    ],
  }),
  'set-aside': command({
    words: 'a movement is for no bill: a fee of the bank, or money that goes back by hand',
    examples: ["bke_… --reason 'fee of the account'", "bke_… --reason 'sent back' --json"],
    ...MOVEMENT,
    options: CHANGE,
    work: ({ organization, act, ...session }, { movement }) =>
      setEntryAside(session, organization, movement, act),
  }),
  list: command({
    words: 'payments, newest first',
    examples: ['--what returned', '--what unmatched --limit 20 --json'],
    options: {
      ...LISTING,
      ...LOOK,
      what: or(
        choice(
          '<list>',
          'all payments; what came back; what came in or went out too much; movements that are not booked yet; that nobody knows; those set aside; files',
          PAYMENT_LISTS,
        ),
        'payments',
      ),
      before: option('<instant>', 'with overpaid: goes on where an earlier look ended', instant),
    },
    check: ({ what, before }) => {
      if (before !== undefined && what !== 'overpaid') throw new Error('--before belongs to --what overpaid');
    },
    work: ({ database, organization, act }, { what, limit, before }) =>
      listOfPayments(database, organization, what, limit, {
        ...{ act, before },
        lookedBackTo: (until) =>
          void commandIo().stderr.write(`Looked back to ${until}; --before ${until} goes on.\n`),
      }),
    print: (rows, { what }) => [table(rows, COLUMNS[what])],
  }),
};

/** The interface has no way back from paid, so that somebody has to say what becomes of it. */
function stillPaid({ invoice, status, missing }: UnassignedEntry['parts'][number]): string[] {
  if (status !== 'paid' || Number(missing) === 0) return [];
  return [
    missing.startsWith('-')
      ? `${invoice} stays paid: pay it out by hand and enter that (invoices refund)`
      : `${invoice} stays paid: assign its own money to it, or reverse it (invoices void), and the next run asks for it`,
  ];
}

function fileCommand(what: string, make: typeof makeDebitFile) {
  return command({
    words: `writes a file for the bank: ${what}`,
    examples: [
      "--out bank.xml --on 2026-12-01 --reason 'run of December'",
      "--out bank.xml --again pfl_… --reason 'the file was lost'",
    ],
    options: {
      ...CHANGE,
      out: needed(option('<file>', 'where it is written to; nothing is overwritten')),
      on: option('<day>', 'when the bank acts; the first possible day where absent', calendarDay),
      again: {
        ...idOption(
          'pfl_…: writes a file that was made before once more, the same bytes, while its day has not come',
        ),
        conflict: 'on',
      },
    },
    work: async ({ organization, act, ...session }, { out, again, ...day }) => {
      const made: Partial<MadeFile> =
        again === undefined
          ? await make(session, organization, { provider: bankFiles, ...day }, act)
          : { id: again };
      const id = made.id ?? null;
      if (id !== null) await writeOut(session, organization, id, out, act);
      return { ...made, file: id === null ? null : out };
    },
  });
}

/** For its owner alone: accounts and names stand in it. */
async function writeOut(
  session: Session,
  organization: string,
  id: string,
  out: string,
  act: StaffAct,
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

const KNOWN_LISTED_MAX = 1_000;

/** Skipped movements with their places in the file, so that a reader can check that they are the same. */
function knownLines(entries: readonly BankEntry[]): string[] {
  const lines = entries.slice(0, KNOWN_LISTED_MAX).map(({ path, bookedOn, amount, name, text }) => {
    const said = [bookedOn, amount, name, text].filter((part) => part !== null);
    return `known: ${path}  ${said.join('  ')}`;
  });
  const rest = entries.length - KNOWN_LISTED_MAX;
  return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])];
}
