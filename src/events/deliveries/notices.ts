import { audit } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import { enqueue } from '../../platform/jobs/enqueue.ts';
import { tellWebhookContactJob } from '../jobs.ts';
import type { EndpointHealth, Notice } from './health.ts';
import { instantText } from './instants.ts';

/**
 * In the transaction that found it: the mail leaves once, with the commit. The act that switches an endpoint off is audited
 * as well, as that of an operator's command is.
 */
export async function recordNotice(
  connection: Connection,
  organization: string,
  {
    endpoint,
    notice,
    health,
    now,
  }: { endpoint: string; notice: Notice; health: EndpointHealth; now: number },
): Promise<void> {
  const runAt = instantText(now);
  const since = notice === 'failing' ? health.failing_since : health.disabled_at;
  await enqueue(
    connection,
    tellWebhookContactJob,
    { endpoint, notice },
    { key: `${endpoint} ${notice} ${since}`, runAt },
  );
  if (notice === 'failing') return;
  await audit(connection, {
    organization_id: organization,
    act: 'webhook_endpoint.disable',
    object_id: endpoint,
    reason: notice,
    result: 'done',
    before: { disabled: false },
    after: { disabled: true },
  });
}
