import { DateTime } from 'luxon';
import type { Connection } from '../../../platform/database/db.ts';
import { enqueueEach } from '../../../platform/jobs/enqueue.ts';
import { berlinDayAt } from '../../../platform/time/berlin-calendar.ts';
import { CORRECTED_MAX, correctBillsJob } from '../runs/jobs.ts';
import { changedContracts } from './changes.ts';
import { listOpenCorrections } from './correction-queries.ts';

/** A transaction may commit what carries an instant from before the look that missed it. */
const LOOKED_BACK_MILLISECONDS = 3_600_000;

/**
 * Asks for the contracts whose bills depend on something that came in since the last run, and for those whose correction
 * could not be made before. Returns how many contracts.
 */
export async function askCorrections(
  connection: Connection,
  organization: string,
  { run, lastRunAt, now }: { run: string; lastRunAt: string; now: string },
): Promise<number> {
  const lastMilliseconds = DateTime.fromISO(lastRunAt).toMillis();
  const since = new Date(lastMilliseconds - LOOKED_BACK_MILLISECONDS).toISOString();
  const today = berlinDayAt(DateTime.fromISO(now).toMillis());
  const named = new Set(await changedContracts(connection, organization, since, today));
  for (let after = ''; ; ) {
    const ids = await listOpenCorrections(connection, organization, after, CORRECTED_MAX);
    for (const id of ids) named.add(id);
    after = ids.at(-1) ?? '';
    if (ids.length < CORRECTED_MAX) break;
  }
  const ids = [...named].sort();
  const portions = Array.from({ length: Math.ceil(ids.length / CORRECTED_MAX) }, (_, index) =>
    ids.slice(index * CORRECTED_MAX, (index + 1) * CORRECTED_MAX),
  );
  await enqueueEach(
    connection,
    correctBillsJob,
    portions.map((contracts) => ({ payload: { run, contracts }, key: `${run} ${contracts[0]}`, runAt: now })),
  );
  return ids.length;
}
