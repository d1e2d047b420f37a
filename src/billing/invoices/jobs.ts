import { z } from 'zod';
import { job } from '../../platform/jobs/jobs.ts';

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
