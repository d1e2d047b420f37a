import { actorOf, audit } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { Findings, notFound, unknownReference } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { once, type ReplayedAnswer } from '../../platform/interface/idempotency.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { findPlan, type PlanRow } from '../../tariffs/plans/queries.ts';
import { UNSUPPORTED_PRODUCT } from '../../tariffs/plans/service.ts';
import { isServed, UNSERVICEABLE_ZIP } from '../../tariffs/reference-data/service.ts';
import { checkIban } from '../payment-methods/service.ts';
import { findLead, insertLead } from './queries.ts';
import type { Lead, NewLead } from './schema.ts';
import { shownLead } from './service.ts';

type LeadDeps = Pick<Deps, 'database' | 'clock' | 'config' | 'log'>;
type LeadRequest = ApiRequest<unknown, NewLead>;

export function createLead(parts: LeadDeps, request: LeadRequest): Promise<Lead | ReplayedAnswer> {
  const now = parts.clock.now();
  return parts.database.inOrganization(request.principal, async (connection) => {
    /* First of all: what a version does not know it does not get by repeating a request of a newer one either. */
    const plan = await findOfferedPlan(connection, request);
    const answer = await once(connection, request.principal, request.idempotency, now, () =>
      add(connection, parts, request, plan, now),
    );
    /* A kept answer does not name the contract that the lead became since, and so not whether it is hidden. */
    if ('replayed' in answer && (await findKept(connection, request, answer)) === undefined) throw notFound();
    return answer;
  });
}

const findKept = (connection: Connection, { principal }: LeadRequest, { body }: ReplayedAnswer) =>
  findLead(connection, principal.organization, (body as Lead).id);

async function findOfferedPlan(connection: Connection, request: LeadRequest): Promise<PlanRow> {
  const { principal, body } = request;
  const plan = isId(body.plan) ? await findPlan(connection, principal.organization, body.plan) : undefined;
  if (plan === undefined) throw unknownReference('plan', 'plan');
  if (plan.type === 'feed_in') request.requires('feed-in', 'plan');
  return plan;
}

async function add(
  connection: Connection,
  { config, log }: Pick<LeadDeps, 'config' | 'log'>,
  request: LeadRequest,
  plan: PlanRow,
  now: Date,
): Promise<Lead> {
  const { organization } = request.principal;
  const { plan: _named, created_by, metadata, ...details } = request.body;
  const served = await isServed(connection, request.body.address.zip, berlinDayAt(now.getTime()), log);
  checkRules(plan, served, request.body);

  const row = {
    id: newId('lead'),
    plan_id: plan.id,
    created_by: created_by ?? null,
    created_at: now.toISOString(),
  };
  await insertLead(connection, organization, {
    ...row,
    details: JSON.stringify(details),
    metadata: metadata === undefined ? null : JSON.stringify(metadata),
  });
  await audit(connection, {
    ...actorOf(request),
    act: 'lead.create',
    object_id: row.id,
    result: 'done',
  });
  const notYet = { subscription_id: null, subscribed_at: null, last_visited_at: null };
  return shownLead({ ...row, ...notYet, metadata: metadata ?? null, slug: plan.slug }, config);
}

function checkRules(plan: PlanRow, isServed: boolean, body: NewLead): void {
  const findings = new Findings();
  if (plan.status === 'archived') {
    findings.badRequest(UNSUPPORTED_PRODUCT, 'plan', 'The plan does not offer this product');
  }
  if (!isServed) {
    findings.badRequest(UNSERVICEABLE_ZIP, 'address.zip', 'This ZIP code cannot be supplied');
  }
  const iban = body.payment_method?.sepa_debit?.iban ?? null;
  if (iban !== null) checkIban({ sepa_debit: { iban } }, findings);
  findings.throwIfAny();
}
