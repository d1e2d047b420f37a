import { isDeepStrictEqual } from 'node:util';
import { changeAddress } from '../../identity/addresses/service.ts';
import { assertCustomerNotErased } from '../../identity/customers/service.ts';
import { actorOf, audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { type ErrorEntry, Findings, notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { isMetadataTooLarge, METADATA_TOO_LARGE } from '../../platform/interface/metadata-schema.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { ENDED_SUBSCRIPTION } from '../held-contracts/service.ts';
import { findPaymentMethod } from '../payment-methods/queries.ts';
import type { NewPaymentMethod } from '../payment-methods/schema.ts';
import { checkIban, createPaymentMethod, withCurrentIban } from '../payment-methods/service.ts';
import { lockSubscription, type SubscriptionRow, updateSubscription } from './queries.ts';
import { shownSubscription } from './read.ts';
import type { ChangedSubscription, Subscription } from './schema.ts';

type SubscriptionChangeRequest = ApiRequest<unknown, ChangedSubscription>;
type Metadata = Readonly<Record<string, unknown>>;

const ACT = 'subscription.update';

/** Changes what was sent and leaves the rest; `updated_at` moves only when something is different afterwards. */
export async function changeSubscription(
  deps: Pick<Deps, 'database' | 'clock'>,
  request: SubscriptionChangeRequest,
): Promise<Subscription> {
  const { organization } = request.principal;
  return deps.database.inOrganization(request.principal, async (connection) => {
    const row = await change(connection, request, deps.clock);
    return await shownSubscription(connection, organization, row, berlinDayAt(deps.clock.nowMilliseconds()));
  });
}

/**
 * Another account to debit, or to transfer to: a refund of a closing bill may come back months after the end, so that staff
 * enter one for an ended contract as well.
 */
export function changePaymentMethodForStaff(
  { database, clock }: { database: Database; clock: Clock },
  organization: string,
  id: string,
  method: NewPaymentMethod,
  act: StaffAct,
): Promise<void> {
  return database.inOrganization({ organization }, async (connection) => {
    const row = isId(id) ? await lockSubscription(connection, organization, id) : undefined;
    if (row === undefined) throw notFound();
    const now = clock.now().toISOString();
    const findings = new Findings();
    checkIban(method, findings);
    findings.throwIfAny();
    await assertCustomerNotErased(connection, organization, row.customer_id, 'subscription');
    const payment = await replacedPaymentMethod(connection, organization, row, method, now);
    if (payment !== undefined) {
      const changed = { payment_method_id: payment, updated_at: now };
      await updateSubscription(connection, organization, id, changed);
    }
    const result = payment === undefined ? 'unchanged' : 'done';
    await audit(connection, { ...staffOf(act, organization), act: ACT, object_id: id, result });
  });
}

async function change(
  connection: Connection,
  request: SubscriptionChangeRequest,
  clock: Clock,
): Promise<SubscriptionRow> {
  const { organization } = request.principal;
  const id = request.pathId;
  const row = await lockSubscription(connection, organization, id);
  if (row === undefined) throw notFound();
  /* Their contract may not have ended: no job ended it while the organization was switched off. */
  await assertCustomerNotErased(connection, organization, row.customer_id, 'subscription');
  const { payment_method: method } = request.body;
  const payment_method =
    method && (await withCurrentIban(connection, organization, row.payment_method_id, method));
  const body = { ...request.body, payment_method };
  /* Read behind the lock: of two changes the later one has the later instant. */
  const nowMilliseconds = clock.nowMilliseconds();
  const now = new Date(nowMilliseconds).toISOString();

  const stored = row.metadata as Metadata | null;
  const metadata = mergedMetadata(stored, body.metadata);
  const fixed = await request.fixedFields(() =>
    shownSubscription(connection, organization, row, berlinDayAt(nowMilliseconds)),
  );
  check(row, body, metadata, fixed);

  const billed =
    body.billing_address !== undefined &&
    (await changeAddress(connection, organization, row.billing_address_id, body.billing_address));
  const payment = await replacedPaymentMethod(connection, organization, row, body.payment_method, now);
  const kept = isDeepStrictEqual(metadata, stored);
  const isChanged = billed || payment !== undefined || !kept;
  const changed = isChanged
    ? await updateSubscription(connection, organization, id, {
        ...(payment !== undefined && { payment_method_id: payment }),
        ...(!kept && { metadata: metadata === null ? null : JSON.stringify(metadata) }),
        updated_at: now,
      })
    : row;
  await audit(connection, {
    ...actorOf(request),
    act: ACT,
    object_id: id,
    result: isChanged ? 'done' : 'unchanged',
  });
  return changed;
}

function check(
  row: SubscriptionRow,
  body: ChangedSubscription,
  metadata: Metadata | null,
  fixed: readonly ErrorEntry[],
): void {
  const findings = new Findings();
  const isSomethingSent = Object.values(body).some((value) => value !== undefined);
  if (row.status === 'ended' && isSomethingSent) {
    findings.badRequest(ENDED_SUBSCRIPTION, 'subscription', 'The subscription has ended');
  }
  findings.badRequests(fixed);
  if (body.payment_method !== undefined) checkIban(body.payment_method, findings);
  if (body.metadata !== undefined && isMetadataTooLarge(metadata)) {
    findings.badRequest('too_big', 'metadata', METADATA_TOO_LARGE);
  }
  findings.throwIfAny();
}

/** By top-level key: a key that is sent with null goes, null alone takes all of them. A null that is stored stays. */
function mergedMetadata(stored: Metadata | null, sent: ChangedSubscription['metadata']): Metadata | null {
  if (sent === undefined) return stored;
  if (sent === null) return null;
  const members = Object.entries({ ...stored, ...sent }).filter(
    ([key]) => !Object.hasOwn(sent, key) || sent[key] !== null,
  );
  return stored === null && members.length === 0 ? null : Object.fromEntries(members);
}

/** The id of the new one; undefined when none was sent, or the same account again. */
async function replacedPaymentMethod(
  connection: Connection,
  organization: string,
  row: SubscriptionRow,
  sent: ChangedSubscription['payment_method'],
  now: string,
): Promise<string | undefined> {
  if (sent === undefined) return undefined;
  const { iban, account_holder } = sent.sepa_debit;
  const current = await findPaymentMethod(connection, organization, row.payment_method_id);
  if (current?.iban === iban && current.account_holder === account_holder) return undefined;
  return await createPaymentMethod(connection, organization, row.customer_id, sent, now);
}
