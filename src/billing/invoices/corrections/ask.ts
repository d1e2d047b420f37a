import { DateTime } from 'luxon';
import type { z } from 'zod';
import { enqueue, enqueueEach } from '../../../platform/jobs/enqueue.ts';
import { type JobResult, type JobRun, organizationOf } from '../../../platform/jobs/jobs.ts';
import { berlinDayAt } from '../../../platform/time/berlin-calendar.ts';
import { askCorrectionsJob, type BillingDeps, CORRECTED_MAX, correctBillsJob } from '../jobs.ts';
import { CONTRACTS_AT_ONCE, changedContracts, lookedAtSince, pageOf, together } from './changes.ts';
import { listOpenCorrections } from './queries.ts';

type Look = Pick<JobRun<z.output<typeof askCorrectionsJob.payload>>, 'payload' | 'organization'>;

/**
 * Asks for the next contracts whose bills depend on something that came in since the last run, and for those whose correction
 * could not be made before; then for the look behind them. Each look is a transaction: cut off, it goes on where it stopped.
 */
export async function askCorrections({ database, clock }: BillingDeps, look: Look): Promise<JobResult> {
  const organization = organizationOf(look);
  const { run, last_run_at, after } = look.payload;
  const since = lookedAtSince(DateTime.fromISO(last_run_at).toMillis());
  const today = berlinDayAt(clock.nowMilliseconds());
  const runAt = clock.now().toISOString();
  return await database.inOrganization({ organization }, async (connection) => {
    const changed = await changedContracts(connection, organization, { since, today, after });
    const portion = { since, after, rowsMax: CONTRACTS_AT_ONCE };
    const open = await listOpenCorrections(connection, organization, portion);
    const { contracts, last } = together(changed, pageOf(open));
    const portions = Array.from({ length: Math.ceil(contracts.length / CORRECTED_MAX) }, (_, index) =>
      contracts.slice(index * CORRECTED_MAX, (index + 1) * CORRECTED_MAX),
    );
    await enqueueEach(
      connection,
      correctBillsJob,
      portions.map((ids) => ({ payload: { run, contracts: ids }, key: `${run} ${ids[0]}`, runAt })),
    );
    if (last !== null) {
      const payload = { run, last_run_at, after: last };
      await enqueue(connection, askCorrectionsJob, payload, { key: `${run} ${last}`, runAt });
    }
    return { contracts: contracts.length };
  });
}
