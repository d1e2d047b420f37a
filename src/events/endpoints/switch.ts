import { audit } from '../../platform/audit.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { lockServedEndpoint } from '../deliveries/endpoint-queries.ts';
import { millisecondsOf } from '../deliveries/instants.ts';
import { updatePendingCancelled } from '../deliveries/queries.ts';
import { shownSettings, withdrawFrom, withEndpoint } from './locked.ts';
import { type EndpointFields, type EndpointRow, updateEndpoint } from './queries.ts';

export interface SwitchedOff {
  readonly endpoint: EndpointRow;
  /** Deliveries that waited and are not sent any more: the log lists them, and `resend` sends them later. */
  readonly cancelled: number;
}

/** Nothing is sent to it from now on, and what happens meanwhile is not written for it. */
export async function disableEndpoint(
  database: Database,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<SwitchedOff> {
  const fields = { disabled_at: act.now, disabled_reason: 'operator' } as const;
  return await switchOff(database, organization, id, { act, name: 'disable', fields });
}

/** Its log stays for its 30 days; its secrets and whom it told are gone at once. */
export async function deleteEndpoint(
  database: Database,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<SwitchedOff> {
  const fields = {
    deleted_at: act.now,
    secret: Buffer.alloc(0),
    previous_secret: null,
    previous_secret_until: null,
    contact_email: null,
  };
  return await switchOff(database, organization, id, { act, name: 'delete', fields });
}

async function switchOff(
  database: Database,
  organization: string,
  id: string,
  { act, name, fields }: { act: StaffAct; name: 'disable' | 'delete'; fields: EndpointFields },
): Promise<SwitchedOff> {
  const endpoint = await withdrawFrom(database, organization, id, async (connection, before) => {
    if (name === 'disable' && before.disabled_at !== null) return before;
    const after = await updateEndpoint(connection, organization, id, fields);
    await auditSwitch(connection, organization, { act, name, before, after });
    return after;
  });
  return { endpoint, cancelled: await cancelPending(database, organization, id, act) };
}

/** Stopped in the middle, the sweep of webhooks has the rest done. */
async function cancelPending(
  database: Database,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<number> {
  let cancelled = 0;
  for (;;) {
    const portion = await database.inOrganization({ organization }, async (connection) => {
      const endpoint = await lockServedEndpoint(connection, organization, id);
      const isOff = endpoint !== undefined && (endpoint.disabled_at ?? endpoint.deleted_at) !== null;
      /* Somebody else has switched it on again meanwhile: what waits is to be sent. */
      if (!isOff) return { cancelled: 0, isAll: true };
      return await updatePendingCancelled(connection, organization, id, millisecondsOf(act.now));
    });
    cancelled += portion.cancelled;
    if (portion.isAll) return cancelled;
  }
}

/** It hears again what happens from now on, and begins well: what it did before does not count. */
export async function enableEndpoint(
  database: Database,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<EndpointRow> {
  return await withEndpoint(database, organization, id, async (connection, before) => {
    if (before.disabled_at === null) return before;
    const after = await updateEndpoint(connection, organization, id, {
      disabled_at: null,
      disabled_reason: null,
      failing_since: null,
      first_mail_at: null,
      wait_until: null,
      one_at_a_time: false,
      /* The run that served it before has lost its turn: a late answer to it says nothing about the new beginning. */
      served_by: null,
      served_at: null,
    });
    await auditSwitch(connection, organization, { act, name: 'enable', before, after });
    return after;
  });
}

interface Switch {
  act: StaffAct;
  name: 'disable' | 'enable' | 'delete';
  before: EndpointRow;
  after: EndpointRow;
}

async function auditSwitch(
  connection: Connection,
  organization: string,
  { act, name, before, after }: Switch,
) {
  await audit(connection, {
    ...staffOf(act, organization),
    act: `webhook_endpoint.${name}`,
    object_id: before.id,
    before: shownSettings(before),
    after: shownSettings(after),
  });
}
