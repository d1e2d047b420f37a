import { audit } from '../../platform/audit.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { shownSettings, withEndpoint } from './locked.ts';
import { type EndpointRow, updateEndpoint, updatePendingCancelled } from './queries.ts';

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
  return await withEndpoint(database, organization, id, async (connection, before) => {
    if (before.disabled_at !== null) return { endpoint: before, cancelled: 0 };
    const cancelled = await updatePendingCancelled(connection, organization, id);
    const endpoint = await updateEndpoint(connection, organization, id, {
      disabled_at: act.now,
      disabled_reason: 'operator',
    });
    await auditSwitch(connection, organization, { act, name: 'disable', before, after: endpoint });
    return { endpoint, cancelled };
  });
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
    });
    await auditSwitch(connection, organization, { act, name: 'enable', before, after });
    return after;
  });
}

/** Its log stays for its 30 days; its secrets and whom it told are gone at once. */
export async function deleteEndpoint(
  database: Database,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<SwitchedOff> {
  return await withEndpoint(database, organization, id, async (connection, before) => {
    const cancelled = await updatePendingCancelled(connection, organization, id);
    const endpoint = await updateEndpoint(connection, organization, id, {
      deleted_at: act.now,
      secret: Buffer.alloc(0),
      previous_secret: null,
      previous_secret_until: null,
      contact_email: null,
    });
    await auditSwitch(connection, organization, { act, name: 'delete', before, after: endpoint });
    return { endpoint, cancelled };
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
