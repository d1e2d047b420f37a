import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueInvoices } from '../../../../src/billing/invoices/issue/issue.ts';
import { voidInvoice } from '../../../../src/billing/invoices/issue/void.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import {
  type BilledContract,
  createBilledContract,
  draftOf,
  issue,
  outcomeOf,
} from '../../../setup/invoices.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { isLongTier } from '../../../setup/tier.ts';

let api: TestApi;
let admin: pg.Client;
beforeAll(async () => {
  api = await startApi();
  admin = new pg.Client({ connectionString: api.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin?.end();
  await api?.close();
});

async function contractsTogether(count: number): Promise<BilledContract[]> {
  const first = await createBilledContract(api.deps);
  const contracts = [first];
  while (contracts.length < count) {
    contracts.push(await createBilledContract(api.deps, { organization: first.organization }));
  }
  return contracts;
}

/** Gaps and doubles of both counts, and numbers that are younger than a later one. */
async function faultsOf(organization: string) {
  const [faults] = await storedRows<Record<string, number>>(
    api,
    `SELECT count(*)::int AS documents, (max(ledger_number) - count(*))::int AS missing_in_ledger,
            (count(*) - count(DISTINCT ledger_number))::int AS doubles,
            (SELECT (last_number - (SELECT max(ledger_number) FROM invoices WHERE organization_id = $1))::int
               FROM invoice_ledgers WHERE organization_id = $1) AS ahead,
            (SELECT count(*)::int FROM (
               SELECT max(running_number) - count(*) AS missing FROM invoices WHERE organization_id = $1
                GROUP BY subscription_id) AS of_contract WHERE missing <> 0) AS contracts_with_gaps,
            (SELECT count(*)::int FROM (
               SELECT issued_at < max(issued_at) OVER (ORDER BY ledger_number) AS is_late FROM invoices
                WHERE organization_id = $1) AS ordered WHERE is_late) AS out_of_order,
            (SELECT count(*)::int FROM invoices AS i WHERE organization_id = $1
               AND NOT EXISTS (SELECT FROM invoice_lines AS l WHERE l.organization_id = $1 AND l.invoice_id = i.id)) AS without_lines,
            (SELECT count(*)::int FROM events WHERE organization_id = $1 AND topic = 'invoice.created') - count(*)::int AS events_off
       FROM invoices WHERE organization_id = $1`,
    [organization],
  );
  return faults;
}

const NO_FAULT = {
  missing_in_ledger: 0,
  doubles: 0,
  ahead: 0,
  contracts_with_gaps: 0,
  out_of_order: 0,
  without_lines: 0,
  events_off: 0,
};

/** Fewer at once than would wait for the row longer than the service lets anybody wait. */
const AT_ONCE = 8;

const TRANSACTIONS = isLongTier ? 60 : 24;

test(`${TRANSACTIONS} transactions, eight at once, a third of which fails or is killed, leave no gap and no double`, async () => {
  const contracts = await contractsTogether(4);
  const organization = contracts[0]?.organization ?? '';
  const transaction = (at: number) =>
    api.deps.database.inOrganization({ organization }, async (connection) => {
      const drafts = contracts.map((contract) => draftOf(contract, { month: at }));
      await issueInvoices(connection, organization, drafts, api.deps.clock);
      if (at % 6 === 0) throw new Error('changed its mind');
      if (at % 6 === 3) {
        /* As when the process dies: the server ends the transaction. */
        const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(connection);
        await admin.query('SELECT pg_terminate_backend($1::integer)', [rows[0]?.pid]);
      }
    });
  const outcomes: PromiseSettledResult<void>[] = [];
  const turns = Array.from({ length: TRANSACTIONS }, (_, at) => at);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let at = turns.shift(); at !== undefined; at = turns.shift()) {
        const [outcome] = await Promise.allSettled([transaction(at)]);
        /* On a busy machine one may have waited for the row longer than it may: whoever sent it sends it again. */
        if (outcome.status === 'rejected' && at % 3 !== 0) turns.push(at);
        else outcomes.push(outcome);
      }
    }),
  );
  const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
  expect(done).toBe((TRANSACTIONS * 2) / 3);
  expect(await faultsOf(organization)).toEqual({ ...NO_FAULT, documents: done * contracts.length });
});

test('of 40 callers with the same draft one issues it, the others are told which document it is', async () => {
  const [contract] = await contractsTogether(1);
  if (contract === undefined) throw new Error('No contract');
  const { organization } = contract;
  const all = await Promise.all(
    Array.from({ length: 40 }, () => issue(api.deps, organization, [draftOf(contract)])),
  );
  const answers = all.flat();
  expect(answers.filter((answer) => outcomeOf(answer) === 'issued')).toHaveLength(1);
  expect(answers.filter((answer) => outcomeOf(answer) === 'already_billed')).toHaveLength(39);
  const ids = answers.flatMap((answer) =>
    'existing' in answer ? [answer.existing] : 'id' in answer ? [answer.id] : [],
  );
  expect([ids.length, new Set(ids).size]).toEqual([40, 1]);
  expect(await faultsOf(organization)).toEqual({ ...NO_FAULT, documents: 1 });
});

test('reversals and new documents at once keep both counts, and no document is reversed twice', async () => {
  const contracts = await contractsTogether(5);
  const organization = contracts[0]?.organization ?? '';
  const issued = await issue(
    api.deps,
    organization,
    contracts.map((contract) => draftOf(contract)),
  );
  const ids = issued.flatMap((answer) => ('id' in answer ? [answer.id] : []));
  const reverse = (id: string) =>
    api.deps.database.inOrganization({ organization }, (connection) =>
      voidInvoice(connection, organization, id, { reason: 'tests' }, api.deps.clock),
    );
  const work = [
    ...ids.flatMap((id) => [reverse(id), reverse(id), reverse(id)]),
    ...contracts.map((contract) => issue(api.deps, organization, [draftOf(contract, { month: 1 })])),
  ];
  const outcomes = await Promise.allSettled(work);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  expect(await faultsOf(organization)).toEqual({ ...NO_FAULT, documents: 15 });
});
