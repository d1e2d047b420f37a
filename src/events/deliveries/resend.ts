import { audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { badRequest, notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { instantBefore } from '../../platform/retention.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { DELIVERIES_KEPT } from '../retention.ts';
import { askForRun } from './ask.ts';
import { lockServedEndpoint } from './endpoint-queries.ts';
import { isEventRestricted, updatePendingAgain } from './queries.ts';

interface ResendDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** No transaction holds the endpoint for long. */
const ROWS_PER_TRANSACTION = 5_000;

/**
 * A delivery begins anew with all its attempts, also one that arrived: now, or when the endpoint wants to be asked again. Not
 * found: none was made, or its 30 days are over.
 */
export async function resendDelivery(
  deps: ResendDeps,
  organization: string,
  { event, endpoint }: { event: string; endpoint: string },
  act: StaffAct,
): Promise<void> {
  if (!isId(event)) throw notFound();
  const resending = { act, name: 'resend', which: { event }, object: event } as const;
  const count = await resendSome(deps, organization, endpoint, resending);
  if (count === 0) throw notFound();
}

/** The same for all deliveries of an endpoint that were given up or cancelled, but for those of restricted customers. Returns how many. */
export async function resendFailed(
  deps: ResendDeps,
  organization: string,
  endpoint: string,
  act: StaffAct,
): Promise<number> {
  const which = { states: ['failed', 'cancelled'] } as const;
  let total = 0;
  for (;;) {
    const resending = { act, name: 'resend_failed', which, object: endpoint } as const;
    const count = await resendSome(deps, organization, endpoint, resending);
    total += count;
    if (count < ROWS_PER_TRANSACTION) return total;
  }
}

interface Resending {
  readonly act: StaffAct;
  readonly name: 'resend' | 'resend_failed';
  readonly which: Parameters<typeof updatePendingAgain>[3];
  /** What the audit log names. */
  readonly object: string;
}

async function resendSome(
  { database, clock }: ResendDeps,
  organization: string,
  id: string,
  { act, name, which, object }: Resending,
): Promise<number> {
  if (!isId(organization) || !isId(id)) throw notFound();
  return await database.inOrganization({ organization }, async (connection: Connection) => {
    const endpoint = await lockServedEndpoint(connection, organization, id);
    if (endpoint === undefined || endpoint.deleted_at !== null) throw notFound();
    if (endpoint.disabled_at !== null) {
      const message = 'The endpoint is switched off: switch it on before';
      throw badRequest([{ code: 'custom', field: 'endpoint', message }]);
    }
    if ('event' in which && (await isEventRestricted(connection, organization, which.event))) {
      const message =
        "The customer's data are restricted (Art. 18 GDPR): nothing is sent before customers lift-restriction";
      throw badRequest([{ code: 'custom', field: 'event', message }]);
    }
    const now = clock.nowMilliseconds();
    const since = instantBefore(now, DELIVERIES_KEPT);
    const limits = { now, since, rowsMax: ROWS_PER_TRANSACTION };
    const deliveries = await updatePendingAgain(connection, organization, id, which, limits);
    if (deliveries === 0) return 0;
    await askForRun(connection, organization, endpoint, { now, atMilliseconds: now });
    await audit(connection, {
      ...staffOf(act, organization),
      act: `webhook_delivery.${name}`,
      object_id: object,
      after: { endpoint: id, deliveries },
    });
    return deliveries;
  });
}
