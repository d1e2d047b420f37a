import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { letterheadOf } from '../../../identity/brands/service.ts';
import { type JobResult, type JobRun, organizationOf } from '../../../platform/jobs/jobs.ts';
import type { InvoiceDocument } from '../documents/document.ts';
import { drawInvoice } from '../documents/draw.ts';
import { insertFile, readDocuments } from '../documents/queries.ts';
import { eInvoiceOfPdf } from '../e-invoice/service.ts';
import type { BillingDeps, renderInvoicesJob } from '../jobs.ts';

/** So many are read at a time: facts and lines of a year take 100 kB. */
const DOCUMENTS_READ = 10;

/**
 * Makes the files of documents and stores them, each by itself: what is stored is not made again when the run is. It is work
 * of the processor, 50 ms for a month's bill, so that other work of the process has its turn after each document.
 */
export async function renderInvoices(
  { database, clock }: BillingDeps,
  run: JobRun<z.output<typeof renderInvoicesJob.payload>>,
): Promise<JobResult> {
  const organization = organizationOf(run);
  const { invoices } = run.payload;
  const logo = (await letterheadOf({ database }, organization)())?.logo ?? null;
  const result = { made: 0, known: 0, without_e_invoice: 0 };
  for (let first = 0; first < invoices.length; first += DOCUMENTS_READ) {
    const ids = invoices.slice(first, first + DOCUMENTS_READ);
    const documents = await database.inOrganization({ organization }, (connection) =>
      readDocuments(connection, organization, ids),
    );
    for (const document of documents) {
      run.signal.throwIfAborted();
      const isNew = !document.hasFile && (await store(document));
      if (isNew) result.made += 1;
      else result.known += 1;
      await setImmediate();
    }
  }
  return result;

  async function store(document: InvoiceDocument): Promise<boolean> {
    const { attach, refused } = eInvoiceOfPdf(document);
    const content = await drawInvoice(document, attach, logo);
    if (refused !== undefined) result.without_e_invoice += 1;
    return await database.inOrganization({ organization }, (connection) =>
      insertFile(
        connection,
        organization,
        { invoice: document.id, customer: document.customer, kind: 'pdf', content },
        clock.now().toISOString(),
      ),
    );
  }
}
