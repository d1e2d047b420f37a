import { resolve } from 'node:path';
import { readPepper } from '../../config/config.ts';
import { eraseCustomer, erasureOf } from '../../governance/personal-data/erase.ts';
import { exportCustomer } from '../../governance/personal-data/export.ts';
import { listCustomers } from '../../identity/customers/queries.ts';
import { setRestriction } from '../../identity/customers/restrict.ts';
import type { ListFilter } from '../../platform/interface/filters.ts';
import { auditLook } from '../../platform/staff-act.ts';
import { confirm } from '../engine/ask.ts';
import { command } from '../engine/command.ts';
import {
  CHANGE,
  flag,
  LOOK,
  needed,
  OF_ORGANIZATION,
  option,
  or,
  wholeNumberFrom,
} from '../engine/fields.ts';
import { print, table } from '../engine/output.ts';
import { withOwnerSession } from '../engine/session.ts';
import { commandLineEnvironment } from '../environment.ts';

/** Files that left the database. */
const NOT_REACHED =
  'Not reached: mails that were sent, exports and payment files that were written, months of data sets until they are compared again, logs, and backups of the last 35 days.';

const NOTES = `Deleted is what no duty keeps; bills are restricted to the finance role until their eight years are over; rows that others
point to lose what they say of the person. Repeat it after a restore of an older backup.
Refused while a contract runs, an invoice is not settled, or a contract that was supplied since bills are made has no final bill
or may still be corrected by what came in within six weeks of its end.
${NOT_REACHED}`;

const RESTRICTED = `Devices go on sending, bills go on, and the back office and the customer see everything.
Deliveries of webhooks about the customer are cancelled meanwhile. Links to bills that a program made before are good for their hour.`;

const CUSTOMER = { arguments: { customer: 'cus_…' }, thing: 'customer', session: withOwnerSession } as const;

export const commands = {
  list: command({
    words: 'customers of an organization, newest first',
    examples: ['--email eva@example.org', '--limit 1000 --json'],
    options: {
      ...OF_ORGANIZATION,
      limit: or(option('<number>', 'at most so many', wholeNumberFrom(1, 10_000)), 100),
      email: option('<address>', 'of this address only, in capitals or not'),
      ...LOOK,
    },
    work: ({ database, organization, act }, { limit, email: value }) => {
      const filters: ListFilter[] =
        value === undefined
          ? []
          : [{ field: 'email', operator: 'eq', type: 'string', ignoreCase: true, value }];
      return database.inOrganization({ organization }, async (connection) => {
        const customers = await listCustomers(connection, organization, { limit, after: null, filters });
        /* One of them says only that there are more. */
        const shown = customers.slice(0, limit - 1).map(({ id }) => id);
        await auditLook(connection, act, organization, shown);
        return customers;
      });
    },
    columns: [
      ...(['id', 'first_name', 'last_name', 'company_name', 'email', 'type', 'created_at'] as const),
      ...(['restricted_at', 'erased_at'] as const),
    ],
    least: ['created_at', 'type', 'erased_at', 'restricted_at'],
  }),
  export: command({
    words: 'everything about a person as JSON and CSV, with purposes, periods, recipients and sources',
    examples: [
      "cus_… --output ./person --reason 'asked for it (Art. 15 GDPR)'",
      "cus_… --output ./person --reason 'asked for it by letter' --json",
    ],
    ...CUSTOMER,
    options: { ...CHANGE, output: needed(option('<path>', 'a new folder')) },
    work: async ({ database, organization, act }, { customer, output }) => {
      const tables = await exportCustomer(database, { organization, customer }, resolve(output), act);
      return tables.map(({ table: name, rows, source }) => ({ table: name, rows, source }));
    },
    columns: ['table', 'rows', 'source'],
  }),
  erase: command({
    words: 'deletes a person (Art. 17 GDPR), but for what the law wants to be kept',
    examples: [
      "cus_… --reason 'asked for it (Art. 17 GDPR)'",
      "cus_… --yes --reason 'again, after a restore' --json",
    ],
    notes: NOTES,
    ...CUSTOMER,
    options: { ...CHANGE, yes: flag('without being asked') },
    work: async ({ database, clock, organization, act }, { customer, yes }) => {
      const person = { organization, customer };
      const pepper = readPepper(commandLineEnvironment());
      if (yes === undefined) {
        const planned = await erasureOf(database, person, act.now);
        await print(planned, [table(planned, COLUMNS)]);
        await confirm(customer, 'Nothing was erased', 'Nothing brings it back. ');
      }
      return await eraseCustomer(database, person, act, { clock, pepper });
    },
    print: (done) => [table(done, COLUMNS), NOT_REACHED],
  }),
  restrict: command({
    words: "hides a customer's data from programs, receivers of webhooks and analysts (Art. 18 GDPR)",
    examples: [
      "cus_… --reason 'disputes the readings (Art. 18 GDPR)'",
      "cus_… --reason 'asked for it by letter' --json",
    ],
    notes: RESTRICTED,
    arguments: { customer: 'cus_…' },
    thing: 'customer',
    options: CHANGE,
    work: ({ database, organization, act }, { customer }) =>
      setRestriction(database, { organization, customer }, true, act),
  }),
  'lift-restriction': command({
    words: 'ends a restriction: everything is shown again, also what was stored meanwhile',
    examples: ["cus_… --reason 'the readings were corrected'", "cus_… --reason 'withdrawn by letter' --json"],
    arguments: { customer: 'cus_…' },
    thing: 'customer',
    options: CHANGE,
    work: ({ database, organization, act }, { customer }) =>
      setRestriction(database, { organization, customer }, false, act),
  }),
};

const COLUMNS = ['table', 'what', 'rows'] as const;
