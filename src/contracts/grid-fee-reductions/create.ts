import { actorOf, audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { Findings } from '../../platform/errors.ts';
import { once, type ReplayedAnswer } from '../../platform/interface/idempotency.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import { berlinDayAt, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { findPlanWithTerms } from '../../tariffs/plans/queries.ts';
import { MISSING_MODULE_1, UNSUPPORTED_PRODUCT } from '../../tariffs/plans/service.ts';
import type { HeldContract } from '../held-contracts/queries.ts';
import { ENDED_SUBSCRIPTION, holdContract, isMeterSmart } from '../held-contracts/service.ts';
import { insertReduction, listOpenTypes } from './queries.ts';
import {
  EXCLUDED_BY,
  type GridFeeReduction,
  MODULE_1,
  MODULE_2,
  MODULE_3,
  type NewGridFeeReduction,
  newReductionId,
  type ReductionType,
} from './schema.ts';
import { DUPLICATE_GRID_REDUCTION, MISSING_SMART_METER } from './service.ts';
import { shownReduction } from './shown.ts';

type ReductionDeps = Pick<Deps, 'database' | 'clock'>;
type NewReductionRequest = ApiRequest<unknown, NewGridFeeReduction>;

/** In the order of the schema: so are the findings told. */
const FIELDS = ['subscription', 'type'];

export function createReduction(
  { database, clock }: ReductionDeps,
  request: NewReductionRequest,
): Promise<GridFeeReduction | ReplayedAnswer> {
  const { principal, idempotency } = request;
  return database.inOrganization(principal, (connection) =>
    once(connection, principal, idempotency, clock.now(), () => add(connection, request, clock)),
  );
}

async function add(
  connection: Connection,
  request: NewReductionRequest,
  clock: Clock,
): Promise<GridFeeReduction> {
  const { organization } = request.principal;
  const { subscription, type } = request.body;
  const contract = await holdContract(connection, organization, subscription);
  /* Read behind the lock: of two reductions of a contract the one that is written later is the newer one. */
  const now = clock.now();
  const findings = new Findings();
  await checkRules(connection, organization, { contract, type, today: berlinDayAt(now.getTime()) }, findings);
  findings.throwIfAny(FIELDS);

  const at = now.toISOString();
  const row = await insertReduction(connection, organization, {
    id: newReductionId(),
    customer_id: contract.customer_id,
    subscription_id: contract.id,
    type,
    /* The grid operator hears of it when it has confirmed the contract. */
    status: contract.status === 'active' ? 'ordered' : 'intended',
    created_at: at,
    updated_at: at,
  });
  await audit(connection, {
    ...actorOf(request),
    act: 'grid_fee_reduction.create',
    object_id: row.id,
    result: 'done',
  });
  return shownReduction(row);
}

interface ReductionProposal {
  contract: HeldContract;
  type: ReductionType;
  today: CalendarDay;
}

const NOT_OFFERED = 'The plan does not offer this product';

async function checkRules(
  connection: Connection,
  organization: string,
  { contract, type, today }: ReductionProposal,
  findings: Findings,
): Promise<void> {
  if (contract.status === 'ended') {
    findings.badRequest(ENDED_SUBSCRIPTION, 'subscription', 'The subscription has ended');
  }
  const plan = await findPlanWithTerms(connection, organization, contract.plan_id, today);
  if (contract.type === 'feed_in' || plan?.[SELLS[type]] !== true) {
    /* No further rule is told about a module that the plan does not sell. */
    findings.badRequest(UNSUPPORTED_PRODUCT, 'type', NOT_OFFERED);
    return;
  }
  if (type === MODULE_3 && !(await isMeterSmart(connection, organization, contract, today))) {
    findings.badRequest(MISSING_SMART_METER, 'subscription', 'Module 3 needs a smart meter');
  }
  /* An ended contract has no open reductions, so there is nothing to compare with. */
  if (contract.status === 'ended') return;
  const open = new Set(await listOpenTypes(connection, organization, contract.id));
  if (type === MODULE_3 && !open.has(MODULE_1)) {
    findings.badRequest(MISSING_MODULE_1, 'type', 'Module 3 needs module 1');
  }
  if (EXCLUDED_BY[type].some((other) => open.has(other))) {
    findings.badRequest(UNSUPPORTED_PRODUCT, 'type', NOT_OFFERED);
  }
  if (open.has(type)) findings.conflict(DUPLICATE_GRID_REDUCTION, 'type', 'This module is already ordered');
}

const SELLS = {
  [MODULE_1]: 'sells_module_1',
  [MODULE_2]: 'sells_module_2',
  [MODULE_3]: 'sells_module_3',
} as const satisfies Record<ReductionType, string>;
