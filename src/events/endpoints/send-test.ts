import { audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { badRequest, notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { eventBody } from '../document.ts';
import { newEventId } from '../queries.ts';
import type { Outcome, Receiver, WebhookRequests } from '../requests/send.ts';
import { testTopic } from '../topic.ts';
import type { EndpointDeps } from './create.ts';
import { findEndpoint, findEndpointSecrets } from './queries.ts';
import { openSecrets } from './secret.ts';

type TestDeps = Pick<EndpointDeps, 'database' | 'config'> & {
  readonly clock: Clock;
  readonly requests: WebhookRequests;
};

/**
 * One signed request now, also to an endpoint that is disabled. Nothing is stored of it but the audit row, and what comes
 * back changes nothing about the endpoint.
 */
export async function sendTestEvent(
  deps: TestDeps,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<{ event: string; outcome: Outcome }> {
  if (!isId(organization) || !isId(id)) throw notFound();
  const event = newEventId().replace('evt_', 'evt_test_');
  const receiver = await receiverOf(deps, organization, id, { act, event });
  const body = eventBody({ id: event, topic: testTopic.name, timestamp: act.now, context: {} });
  const atSeconds = Math.floor(deps.clock.nowMilliseconds() / 1000);
  return { event, outcome: await deps.requests.send(receiver, { id: event, body, atSeconds }) };
}

async function receiverOf(
  { database, config, clock }: TestDeps,
  organization: string,
  id: string,
  { act, event }: { act: StaffAct; event: string },
): Promise<Receiver> {
  return await database.inOrganization({ organization }, async (connection) => {
    const endpoint = await findEndpoint(connection, organization, id);
    if (endpoint === undefined) throw notFound();
    if (endpoint.url === null) {
      const message = 'A listener has no address: its command takes what happens';
      throw badRequest([{ code: 'custom', field: 'endpoint', message }]);
    }
    const stored = await findEndpointSecrets(connection, organization, id);
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'webhook_endpoint.test',
      object_id: id,
      after: { event },
    });
    return {
      url: endpoint.url,
      secrets: openSecrets(config.ENCRYPTION_KEY, stored, clock.now().toISOString()),
    };
  });
}
