import { type JobResult, type JobRun, organizationOf } from '../../../platform/jobs/jobs.ts';
import type { BillingDeps } from '../runs/batch.ts';
import { isOwnDefect } from '../runs/defects.ts';
import { correctContract } from './correct.ts';

type CorrectionRun = Pick<
  JobRun<{ run: string; contracts: string[] }>,
  'payload' | 'organization' | 'signal' | 'closing' | 'log'
>;

/** Contract by contract: begun again it finds nothing to correct in those that it corrected. */
export async function correctBills(deps: BillingDeps, job: CorrectionRun): Promise<JobResult> {
  const organization = organizationOf(job);
  const { run, contracts } = job.payload;
  const total = { contracts: contracts.length, replaced: 0, closed: 0, refused: 0, failed: 0 };
  for (const id of contracts) {
    job.signal.throwIfAborted();
    job.closing.throwIfAborted();
    try {
      const options = { run, all: false, closeNow: false };
      const outcome = await correctContract(deps, organization, id, options);
      total.replaced += outcome.replaced.length;
      total.closed += outcome.exitSummary === null ? 0 : 1;
      total.refused += outcome.refused;
    } catch (error) {
      if (!isOwnDefect(error)) throw error;
      job.log.error({ err: error, organization, subscription: id }, 'a correction failed by a defect');
      total.failed += 1;
    }
  }
  /* The others are corrected; the run comes back for these, and at last it is seen as given up. */
  if (total.failed > 0)
    throw new Error(`Of ${contracts.length} contracts ${total.failed} could not be corrected`);
  return total;
}
