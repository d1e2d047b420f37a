import { audit } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import { badRequest } from '../../platform/errors.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { askForRun } from '../deliveries/ask.ts';
import { lockServedEndpoint } from '../deliveries/endpoint-queries.ts';
import { millisecondsOf } from '../deliveries/instants.ts';
import { findNextDue } from '../deliveries/queries.ts';
import type { EndpointDeps } from './create.ts';
import { shownSettings, withdrawFrom, withEndpoint } from './locked.ts';
import { type EndpointRow, updateEndpoint } from './queries.ts';
import { checkedChange, type EndpointChange } from './schema.ts';

/** Another address has another health: what the old one did must not disable it or keep it waiting. */
const WELL = { failing_since: null, first_mail_at: null, wait_until: null, one_at_a_time: false } as const;

/**
 * Changes what is named. Topics count for what happens from now on; deliveries that wait go to the new address, with the
 * same secret.
 */
export async function changeEndpoint(
  deps: Pick<EndpointDeps, 'database' | 'rules' | 'topics'>,
  organization: string,
  id: string,
  change: EndpointChange,
  act: StaffAct,
): Promise<EndpointRow> {
  const fields = await checkedChange(change, deps);
  const changing = fields.url === undefined ? withEndpoint : withdrawFrom;
  return await changing(deps.database, organization, id, async (connection, before) => {
    if (before.kind === 'listener' && Object.keys(fields).some((name) => name !== 'topics')) {
      const message = 'A listener is where its command runs; only its topics can be changed';
      throw badRequest([{ code: 'custom', field: 'endpoint', message }]);
    }
    const moved = fields.url !== undefined && fields.url !== before.url;
    const after = await updateEndpoint(connection, organization, id, { ...fields, ...(moved ? WELL : {}) });
    if (moved) await askAtNewAddress(connection, organization, id, millisecondsOf(act.now));
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'webhook_endpoint.change',
      object_id: id,
      before: shownSettings(before),
      after: shownSettings(after),
    });
    return after;
  });
}

/** What waits is due when it was, though the address of before asked to be left alone for longer. */
async function askAtNewAddress(
  connection: Connection,
  organization: string,
  id: string,
  now: number,
): Promise<void> {
  const endpoint = await lockServedEndpoint(connection, organization, id);
  const due = await findNextDue(connection, organization, id);
  if (endpoint === undefined || due === null) return;
  await askForRun(connection, organization, endpoint, { now, atMilliseconds: Math.max(now, due) });
}
