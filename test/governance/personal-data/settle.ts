import { expect } from 'vitest';
import { runDunning } from '../../../src/billing/dunning/run.ts';
import { stopDunning } from '../../../src/billing/dunning/staff.ts';
import { runBilling } from '../../../src/billing/invoices/runs/run.ts';
import { bankFiles } from '../../../src/billing/payments/bank-files.ts';
import { importStatement } from '../../../src/billing/payments/import.ts';
import { makeDebitFile } from '../../../src/billing/payments/make-file.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import type { StaffAct } from '../../../src/platform/staff-act.ts';
import { jobWorkers } from '../../../workers/index.ts';
import { camt, chunks } from '../../billing/payments/bank.ts';
import { runCommand } from '../../cli/command-line.ts';
import { type TestApi, testEnvironment } from '../../setup/api.ts';
import type { FakeClock } from '../../setup/clock.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { workJobs } from '../../setup/work-jobs.ts';

const OWN_IBAN = 'DE02120300000000202051';
const DAY = 86_400_000;

interface Books {
  api: TestApi;
  clock: FakeClock;
  organization: string;
  act(): StaffAct;
  people: readonly { customer: string; word: string; iban: string }[];
}

/** An issuer, and prices of February and March 2026. */
export async function prepareBilling({ database }: TestApi, organization: string): Promise<void> {
  await insertPrices(database.adminUrl);
  await enterIssuer(testEnvironment(database, 'redis://127.0.0.1:1'), organization);
}

/** Bills, reminders, debits, what the bank reports of them, and the weeks in which a debit can come back. */
export async function billAndSettle(books: Books, billed: () => Promise<void>): Promise<void> {
  const { api, clock, organization, act, people } = books;
  const { deps } = api;
  const run = { signal: new AbortController().signal, log: deps.log, organization };
  clock.set('2026-04-20T05:30:00.000Z');
  await runBilling(deps, { dueAt: clock.now().toISOString(), ...run });
  await workJobs(api, jobWorkers);
  await billed();
  clock.advance(25 * DAY);
  await runDunning(deps, run);
  await makeDebitFile(deps, organization, { provider: bankFiles }, act());
  for (const { customer } of people) {
    const [open] = await storedRows<{ id: string }>(
      api,
      "SELECT id FROM invoices WHERE customer_id = $1 AND status = 'open'",
      [customer],
    );
    await stopDunning('disputed', deps, organization, open?.id ?? '', act());
  }
  clock.advance(5 * DAY);
  await report(books);
  clock.advance(70 * DAY);
  await runBilling(deps, { dueAt: clock.now().toISOString(), ...run });
  await workJobs(api, jobWorkers);
  await runDunning(deps, run);
}

interface Requested {
  end_to_end_id: string;
  amount: string;
  customer_id: string;
}

/** Each debit was booked. */
async function report({ api, clock, organization, act, people }: Books): Promise<void> {
  const rows = await storedRows<Requested>(
    api,
    "SELECT end_to_end_id, amount::text, customer_id FROM payments WHERE status = 'requested'",
  );
  const movements = rows.map(({ end_to_end_id, amount, customer_id }) => {
    const { word = '', iban = '' } = people.find(({ customer }) => customer === customer_id) ?? {};
    const on = clock.now().toISOString().slice(0, 10);
    return { amount, on, endToEndId: end_to_end_id, text: `von ${word}`, iban };
  });
  const statement = { name: 'camt', source: chunks(camt(movements, { iban: OWN_IBAN })) };
  await importStatement(api.deps, organization, statement, bankFiles, act());
}

export async function enterIssuer(environment: Record<string, string>, organization: string): Promise<void> {
  const given = {
    ...{ name: 'Strom GmbH', street: 'Weg', 'house-number': '1', zip: '20354', city: 'Hamburg' },
    ...{
      'contact-name': 'Service',
      email: 'service@strom.example',
      phone: '+49 40 1',
      'vat-id': 'DE136695976',
    },
    ...{ 'supplier-code': '9907248000001', iban: OWN_IBAN, 'account-holder': 'Strom GmbH' },
    ...{ 'creditor-id': 'DE98ZZZ09999999999', 'bills-from': '2026-01', reason: 'test', organization },
  };
  const options = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
  const { exitCode, stderr } = await runCommand(environment, 'issuers', 'set', ...options);
  expect([exitCode, stderr]).toEqual([0, '']);
}

/** The same in all quarter hours, without the revisions of a source behind them. */
async function insertPrices(adminUrl: string): Promise<void> {
  await withDatabaseClient(adminUrl, async (admin) => {
    await admin.query('SET session_replication_role = replica');
    await admin.query(
      `INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
       SELECT 'DE-LU', at, 15, (at AT TIME ZONE 'Europe/Berlin')::date, 80, 'smard', 1
         FROM generate_series('2026-01-31T23:00Z'::timestamptz, '2026-03-31T21:45Z', '15 minutes') AS at`,
    );
  });
}
