import { type AuditEntry, actorOf, audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { conflict, Findings, unknownReference } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { once, type ReplayedAnswer } from '../../platform/interface/idempotency.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import type { Tenant } from '../../platform/principal.ts';
import { berlinDayOf, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { instantMicroseconds } from '../../platform/time/instant.ts';
import { POSTGRES_EPOCH_MICROSECONDS } from '../../platform/time/time.ts';
import { holdMeter, stateOn } from '../meters/service.ts';
import { findSubscription } from '../subscriptions/queries.ts';
import { assertFits, DUPLICATE_METER_READING } from './fits.ts';
import { insertReading, listReplaceable, updateReadingWithdrawn } from './queries.ts';
import { checkDay, checkMeter, type SentReading } from './rules.ts';
import {
  type MeterReading,
  type NewMeterReading,
  type NewReadingOfSubscription,
  newMeterReadingId,
} from './schema.ts';
import { shownReading } from './shown.ts';

type ReadingDeps = Pick<Deps, 'database' | 'clock'>;
type ReadingRequest = Omit<ApiRequest<unknown, NewReadingOfSubscription>, 'query'>;

/** What is sent, by whom, and how it is noted. */
interface Sending extends Pick<ReadingRequest, 'body' | 'requires'> {
  principal: Tenant;
  actor: Omit<AuditEntry, 'act' | 'result'>;
  /** Id of the own reading that gives way to it, as long as the customer may put that right. */
  replaces?: string | undefined;
}

export function createMeterReading(
  parts: ReadingDeps,
  request: ApiRequest<unknown, NewMeterReading>,
): Promise<MeterReading | ReplayedAnswer> {
  return store(parts, request, request.body.subscription);
}

/** As before there was a list of all readings: the subscription stands in the path. */
export function createReadingOfSubscription(
  parts: ReadingDeps,
  request: ApiRequest<unknown, NewReadingOfSubscription>,
): Promise<MeterReading | ReplayedAnswer> {
  return store(parts, request, request.pathId);
}

/** The same by a customer who is signed in to a page of ours, and who may put an own reading right there. */
export function createReadingForCustomer(
  { database, clock }: ReadingDeps,
  customer: Required<Tenant>,
  { subscription, replaces, ...body }: NewMeterReading & Pick<Sending, 'replaces'>,
  trace: Pick<AuditEntry, 'route' | 'request_id' | 'address'>,
): Promise<MeterReading> {
  const actor = { ...trace, organization_id: customer.organization };
  const sending = { principal: customer, body, requires: () => undefined, actor, replaces };
  return database.inOrganization(customer, (connection) => add(connection, sending, subscription, clock));
}

function store({ database, clock }: ReadingDeps, request: ReadingRequest, id: string) {
  const { principal } = request;
  const now = clock.now();
  const { body, requires } = request;
  const sending = { principal, body, requires: requires.bind(request), actor: actorOf(request) };
  return database.inOrganization(principal, (connection) =>
    once(connection, principal, request.idempotency, now, () => add(connection, sending, id, clock)),
  );
}

async function add(
  connection: Connection,
  request: Sending,
  id: string,
  clock: Clock,
): Promise<MeterReading> {
  const { organization, customer } = request.principal;
  const { value, timestamp, message } = request.body;
  const subscription = isId(id) ? await findSubscription(connection, organization, customer, id) : undefined;
  if (subscription === undefined) throw unknownReference('subscription', 'subscription');
  if (subscription.type === 'feed_in') request.requires('feed-in', 'subscription');
  const { states } = await holdMeter(connection, organization, subscription.meter_id);
  /* Read behind the lock: of two readings of one day the later one counts. */
  const now = clock.now();
  const read_on = berlinDayOf(timestamp);
  const { register } = stateOn(states, read_on);
  const sent: SentReading = { value: String(value), read_on, register, type: 'customer_report' };
  const findings = new Findings();
  checkMeter(subscription, states, sent, findings);
  const atMilliseconds = (instantMicroseconds(timestamp) + POSTGRES_EPOCH_MICROSECONDS) / 1_000;
  checkDay(subscription, { read_on, atMilliseconds }, now.getTime(), findings);
  findings.throwIfAny();
  const replacedDay = request.replaces && (await withdrawOwn(connection, request, id, sent, now));
  const by = replacedDay === read_on ? 'replacing' : 'caller';
  await assertFits(connection, organization, subscription, sent, by);

  const row = await insertReading(connection, organization, {
    ...sent,
    id: newMeterReadingId(),
    customer_id: subscription.customer_id,
    subscription_id: subscription.id,
    meter_id: subscription.meter_id,
    message: message ?? null,
    created_at: now.toISOString(),
  });
  const act = { act: 'meter_reading.create', object_id: row.id, result: 'done' };
  await audit(connection, { ...request.actor, ...act });
  return shownReading(row);
}

/** Returns the day of the own reading, which may be another one. It stays stored, and counts no more. */
async function withdrawOwn(
  connection: Connection,
  { principal: { organization }, actor, replaces }: Sending,
  subscription: string,
  { read_on, value }: SentReading,
  now: Date,
): Promise<CalendarDay> {
  const replaceable = await listReplaceable(connection, organization, subscription);
  const own = replaceable.find(({ id }) => id === replaces);
  if (own === undefined || (own.read_on === read_on && Number(own.value) === Number(value))) {
    const message = 'The reading was replaced before, or cannot be';
    throw conflict([{ code: DUPLICATE_METER_READING, field: 'timestamp', message }]);
  }
  await updateReadingWithdrawn(connection, organization, own.id, now.toISOString());
  await audit(connection, { ...actor, act: 'meter_reading.withdraw', object_id: own.id, result: 'done' });
  return own.read_on;
}
