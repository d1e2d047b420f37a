import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { Findings, unknownReference } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { once, type ReplayedAnswer } from '../../platform/interface/idempotency.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import {
  addDays,
  addMonths,
  berlinDayAt,
  berlinDayOf,
  berlinMidnight,
  type CalendarDay,
  firstOfMonthFrom,
  isFirstOfMonth,
} from '../../platform/time/berlin-calendar.ts';
import { findPlanWithTerms, type PlanWithTerms } from '../../tariffs/plans/queries.ts';
import { UNSUPPORTED_PRODUCT } from '../../tariffs/plans/service.ts';
import { isServed, UNSERVICEABLE_ZIP } from '../../tariffs/reference-data/service.ts';
import { holdLead } from '../leads/service.ts';
import { findMarketPartner } from '../market-partners/queries.ts';
import { isMalo, lockMarketLocations, UNSUPPORTED_METER } from '../meters/service.ts';
import { checkIban } from '../payment-methods/service.ts';
import { listedSubscription } from './read.ts';
import type { NewSubscription, SubscriptionListItem } from './schema.ts';
import { findPlace, type SignUpPlace } from './sign-up-place.ts';
import { checkProducts } from './sign-up-products.ts';
import { findRunningSupply } from './supply-queries.ts';
import { type SignUpRequest, writeSignUp } from './write-sign-up.ts';

export const DUPLICATE_CONSUMPTION_SUBSCRIPTION = ruleCode(
  'duplicate_consumption_subscription',
  'The household has a consumption subscription at that time',
);

type SignUpDeps = Pick<Deps, 'database' | 'clock' | 'log'>;

/** In the order of the schema: so are the findings told. */
const FIELDS = [
  ...['plan', 'customer', 'address', 'meter.number', 'meter.type', 'payment_method', 'intended_start_date'],
  ...['previous_supplier', 'lead', 'household', 'product_orders'],
];

/** The change of supplier and the consumer's right of withdrawal take two weeks. */
const NOTICE_DAYS = 14;
const FEED_IN_NOTICE_MONTHS = 1;

/**
 * A sign-up: finds or creates customer and household, and writes everything that belongs to the contract in one step.
 * Every rule that is broken is named; nothing is written unless all hold.
 */
export function createSubscription(
  parts: SignUpDeps,
  request: SignUpRequest,
): Promise<SubscriptionListItem | ReplayedAnswer> {
  const now = parts.clock.now();
  return parts.database.inOrganization(request.principal, async (connection) => {
    /* First of all: what a version does not know it does not get by repeating a request of a newer one either. */
    const plan = await findPlan(connection, request, berlinDayAt(now.getTime()));
    return once(connection, request.principal, request.idempotency, now, () =>
      signUp(connection, parts, request, plan),
    );
  });
}

async function signUp(
  connection: Connection,
  { clock, log }: SignUpDeps,
  request: SignUpRequest,
  plan: PlanWithTerms,
): Promise<SubscriptionListItem> {
  const { organization } = request.principal;
  const { body } = request;
  const findings = new Findings();
  if (plan.status === 'archived') {
    findings.badRequest(UNSUPPORTED_PRODUCT, 'plan', 'The plan does not offer this product');
  }
  const isJoining = body.household !== undefined || typeof body.customer === 'string';
  if (isJoining && isMalo(body.meter.malo ?? null)) await lockMarketLocations(connection, organization);
  const place = await findPlace(connection, organization, body, plan.type, findings);
  await checkLead(connection, organization, body.lead, findings);
  /* Read behind the locks: of two contracts of a household the one that is written later is the newer one. */
  const now = clock.now();
  const today = berlinDayAt(now.getTime());
  if (!(await isServed(connection, body.address.zip, today, log))) {
    findings.badRequest(UNSERVICEABLE_ZIP, 'address.zip', 'This ZIP code cannot be supplied');
  }
  checkIban(body.payment_method, findings);
  const supplier = await findPreviousSupplier(connection, body, plan, findings);
  const startOn =
    plan.type === 'feed_in'
      ? feedInStart(body, place, today, findings)
      : await consumptionStart(connection, organization, body, place, today, findings);
  const products = checkProducts(body, plan, findings);
  findings.throwIfAny(FIELDS);

  const checked = { request, plan, place, supplier, startOn, products, now: now.toISOString() };
  return listedSubscription(await writeSignUp(connection, checked));
}

async function findPlan(
  connection: Connection,
  request: SignUpRequest,
  today: CalendarDay,
): Promise<PlanWithTerms> {
  const { principal, body } = request;
  const plan = isId(body.plan)
    ? await findPlanWithTerms(connection, principal.organization, body.plan, today)
    : undefined;
  if (plan === undefined) throw unknownReference('plan', 'plan');
  if (plan.type === 'feed_in') request.requires('feed-in', 'plan');
  return plan;
}

/** Feed-in has none; whoever sends one is not told so. */
async function findPreviousSupplier(
  connection: Connection,
  { previous_supplier }: NewSubscription,
  plan: PlanWithTerms,
  findings: Findings,
): Promise<string | null> {
  if (previous_supplier === undefined || plan.type === 'feed_in') return null;
  const partner = isId(previous_supplier)
    ? await findMarketPartner(connection, previous_supplier)
    : undefined;
  if (partner === undefined) {
    const message = `The previous supplier ${previous_supplier} is unknown: GET /market-partners lists all of them`;
    findings.badRequest('custom', 'previous_supplier', message);
  }
  return partner?.id ?? null;
}

async function checkLead(
  connection: Connection,
  organization: string,
  id: string | undefined,
  findings: Findings,
): Promise<void> {
  if (id === undefined) return;
  const lead = await holdLead(connection, organization, id);
  if (lead === undefined) findings.badRequest('custom', 'lead', 'The lead is unknown');
  else if (lead.subscription_id !== null)
    findings.conflict('custom', 'lead', 'The lead is converted already');
}

function feedInStart(
  body: NewSubscription,
  place: SignUpPlace,
  today: CalendarDay,
  findings: Findings,
): CalendarDay {
  if (body.meter.type === 'analog') {
    const message = 'This type of meter is not supported here';
    findings.badRequest(UNSUPPORTED_METER, 'meter.type', message);
  }
  if (isCompanyWithoutVatId(body.customer, place)) {
    findings.badRequest('custom', 'customer.vat_id', 'A company that feeds in needs a vat_id');
  }
  const earliest = earliestFeedInStart(today);
  const date = startDateOf(body);
  if (date === undefined) return earliest;
  if (!isFirstOfMonth(date) || date < addMonths(today, 1)) {
    const message = `Feed-in begins on the first of a month, on ${earliest} at the earliest`;
    findings.badRequest('custom', 'intended_start_date', message);
  }
  return date;
}

function isCompanyWithoutVatId(sent: NewSubscription['customer'], { stored }: SignUpPlace): boolean {
  const customer = stored ?? (typeof sent === 'string' ? null : sent);
  return customer?.type === 'company' && (customer.vat_id ?? null) === null;
}

async function consumptionStart(
  connection: Connection,
  organization: string,
  body: NewSubscription,
  { household }: SignUpPlace,
  today: CalendarDay,
  findings: Findings,
): Promise<CalendarDay> {
  const running =
    household === null ? undefined : await findRunningSupply(connection, organization, household);
  const startOn = startOfSupply(body, today, running?.end_at ?? null);
  const endsInTime =
    running === undefined || (running.end_at !== null && running.end_at <= berlinMidnight(startOn));
  if (!endsInTime) {
    findings.conflict(
      DUPLICATE_CONSUMPTION_SUBSCRIPTION,
      'household',
      'The household already has a consumption subscription',
    );
  }
  return startOn;
}

interface StartRequest {
  next_possible_start: boolean;
  intended_start_date?: CalendarDay | undefined;
}

/** The date of the request; undefined where it takes the earliest one. */
function startDateOf(request: StartRequest): CalendarDay | undefined {
  return request.next_possible_start ? undefined : request.intended_start_date;
}

function earliestStart(today: CalendarDay): CalendarDay {
  return addDays(today, NOTICE_DAYS);
}

/** Feed-in changes hands on the first of a month, announced one month ahead. */
function earliestFeedInStart(today: CalendarDay): CalendarDay {
  return firstOfMonthFrom(addMonths(today, FEED_IN_NOTICE_MONTHS));
}

/**
 * The first day of supply. A date before the earliest possible one is moved to that one, and the answer does not say so.
 * Without a date it is the end of the running contract of the household, where that comes later.
 */
function startOfSupply(request: StartRequest, today: CalendarDay, runningUntil: string | null): CalendarDay {
  const earliest = earliestStart(today);
  const date = startDateOf(request) ?? (runningUntil === null ? earliest : berlinDayOf(runningUntil));
  if (date < earliest) return earliest;
  return date;
}
