import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import { job } from '../../platform/jobs/jobs.ts';

/** What all of billing works with. */
export interface BillingDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Documents of one run of it: an hour of work is never lost with a process. */
export const INVOICES_OF_RENDERING_MAX = 50;

export const renderInvoicesJob = job({
  name: 'render-invoices',
  when: 'when documents are issued',
  does: 'makes the files of up to 50 documents: the PDF, for companies with the e-invoice inside',
  payload: z.object({
    invoices: z
      .array(z.string().regex(/^inv_[0-9a-z]{24}$/, 'needs the id of an invoice'))
      .min(1)
      .max(INVOICES_OF_RENDERING_MAX),
  }),
  attempts: 8,
  retrySeconds: 30,
});

/** Finds what is due by itself: a day that was missed is made up for by the next one. */
export const runBillingJob = job({
  name: 'run-billing',
  when: '06:30',
  does: 'asks for all bills, prepayments and corrections that are due',
  payload: z.object({}),
  attempts: 5,
  retrySeconds: 300,
});

const contract = z.string().startsWith('sub_');

/**
 * Some contracts of one run. Three at once leave one of the four to others: the months of a large organization take an hour,
 * and a small one is served meanwhile.
 */
export const billPortionJob = job({
  name: 'bill-portion',
  when: 'by `run-billing` and `npm run cli -- invoices run`',
  does: 'makes the documents of up to 500 contracts',
  payload: z.object({ run: z.string(), first: contract, last: contract }),
  attempts: 8,
  retrySeconds: 60,
  concurrency: 4,
  concurrencyPerOrganization: 3,
});

/** Apart from the run, and by the thousand contracts: where a price list changed all bills, those that are due do not wait. */
export const askCorrectionsJob = job({
  name: 'ask-corrections',
  when: 'by `run-billing`, and by itself for the next 1,000 contracts',
  does: 'asks for corrections of contracts of which values or prices came in since the last run',
  payload: z.object({
    run: z.string(),
    last_run_at: z.iso.datetime(),
    after: z.union([z.literal(''), contract]),
  }),
  attempts: 8,
  retrySeconds: 60,
});

/** Ids of contracts fit into a payload by the hundred. */
export const CORRECTED_MAX = 100;

export const correctBillsJob = job({
  name: 'correct-bills',
  when: 'by `ask-corrections`',
  does: 'replaces the bills of up to 100 contracts whose energy is another by now, or closes the contracts',
  payload: z.object({ run: z.string(), contracts: z.array(contract).min(1).max(CORRECTED_MAX) }),
  attempts: 8,
  retrySeconds: 60,
});
