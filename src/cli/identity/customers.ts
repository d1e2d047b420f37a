import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { type ErasedRows, eraseCustomer, erasureOf } from '../../governance/personal-data/erase.ts';
import { exportCustomer } from '../../governance/personal-data/export.ts';
import { commandIo } from '../io.ts';
import { acting, type ChangeOptions, ownOrganization } from '../of-organization.ts';
import { printLines, printTable } from '../output.ts';
import { known, staffAct, withOwnerSession } from '../session.ts';

export function customersCommand(): Command {
  return new Command('customers').addCommand(exported()).addCommand(erased());
}

function exported(): Command {
  return acting('export', '<customer>', 'cus_…')
    .description('everything about a person as JSON and CSV, with purposes, periods, recipients and sources')
    .requiredOption('--output <path>', 'a new folder')
    .action((customer: string, options: ChangeOptions & { output: string }) =>
      withOwnerSession(async (session) => {
        const { database } = session;
        const organization = await ownOrganization(database, options);
        const act = staffAct(session, options, 'customers export');
        const work = exportCustomer(database, { organization, customer }, resolve(options.output), act);
        const tables = await known(`customer ${customer} in ${organization}`, work);
        const rows = tables.map(({ table, rows: count, source }) => ({ table, rows: count, source }));
        printTable(rows, ['table', 'rows', 'source'], options);
      }),
    );
}

/** Files that left the database. */
const NOT_REACHED =
  'Not reached: mails that were sent, exports and payment files that were written, logs, and backups of the last 35 days.';

const NOTES = `
Deleted is what no duty keeps; bills are restricted to the finance role until their eight years are over; rows that others
point to lose what they say of the person. Repeat it after a restore of an older backup.
Refused while a contract runs, an invoice is not settled, or a contract that was supplied since bills are made has no final bill.
${NOT_REACHED}`;

function erased(): Command {
  return acting('erase', '<customer>', 'cus_…')
    .description('deletes a person (Art. 17 GDPR), but for what the law wants to be kept')
    .option('--yes', 'without being asked')
    .addHelpText('after', NOTES)
    .action((customer: string, options: ChangeOptions & { yes?: boolean }) =>
      withOwnerSession(async (session) => {
        const { database } = session;
        const organization = await ownOrganization(database, options);
        const person = { organization, customer };
        const what = `customer ${customer} in ${organization}`;
        if (options.yes !== true) await confirm(customer, await known(what, erasureOf(database, person)));
        const act = staffAct(session, options, 'customers erase');
        const done = await known(what, eraseCustomer(database, person, act));
        printTable(
          done.map((row) => ({ ...row })),
          COLUMNS,
          options,
        );
        if (options.json !== true) printLines([NOT_REACHED]);
      }),
    );
}

const COLUMNS = ['table', 'what', 'rows'];

/** Nothing brings it back: the id has to be typed again. */
async function confirm(customer: string, planned: readonly ErasedRows[]): Promise<void> {
  printTable(
    planned.map((row) => ({ ...row })),
    COLUMNS,
    {},
  );
  const { stdin, stderr } = commandIo();
  const asking = createInterface({ input: stdin, output: stderr });
  try {
    const closed = new Promise<string>((done) => {
      asking.once('close', () => done(''));
    });
    const answer = asking.question(`Nothing brings it back. Type ${customer} to go on: `);
    if ((await Promise.race([answer, closed])).trim() === customer) return;
  } finally {
    asking.close();
  }
  throw new Error('Nothing was erased');
}
