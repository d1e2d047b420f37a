import { actorOf, audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { Findings } from '../../platform/errors.ts';
import { once, type ReplayedAnswer } from '../../platform/interface/idempotency.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { findPlanWithTerms } from '../../tariffs/plans/queries.ts';
import { UNSUPPORTED_PRODUCT } from '../../tariffs/plans/service.ts';
import { ENDED_SUBSCRIPTION, holdContract, isMeterSmart } from '../held-contracts/service.ts';
import { findMeterOrderOfContract } from './queries.ts';
import type { FullMeterOrder, NewMeterOrder } from './schema.ts';
import { createMeterOrder, DUPLICATE_METER_ORDER, UNSUPPORTED_METER_ORDER } from './service.ts';
import { shownMeterOrder } from './shown.ts';

type OrderRequest = ApiRequest<unknown, NewMeterOrder>;

const FIELD = 'subscription';

/** A smart meter for a contract that has none: which one, its plan says. */
export function createOrderOfContract(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  request: OrderRequest,
): Promise<FullMeterOrder | ReplayedAnswer> {
  const { principal, idempotency } = request;
  return database.inOrganization(principal, (connection) =>
    once(connection, principal, idempotency, clock.now(), () => order(connection, request, clock)),
  );
}

async function order(connection: Connection, request: OrderRequest, clock: Clock): Promise<FullMeterOrder> {
  const { organization } = request.principal;
  const contract = await holdContract(connection, organization, request.body.subscription);
  /* Read behind the lock: of two orders the second sees the first. */
  const now = clock.now();
  const today = berlinDayAt(now.getTime());
  const terms = await findPlanWithTerms(connection, organization, contract.plan_id, today);
  const product = terms?.smart_meter_product ?? null;
  const findings = new Findings();
  if (contract.status === 'ended') {
    findings.badRequest(ENDED_SUBSCRIPTION, FIELD, 'The subscription has ended');
  }
  if (contract.type === 'feed_in') {
    findings.badRequest(UNSUPPORTED_METER_ORDER, FIELD, 'A smart meter cannot be ordered here');
  } else {
    if (await isMeterSmart(connection, organization, contract, today)) {
      findings.badRequest(UNSUPPORTED_METER_ORDER, FIELD, 'A smart meter cannot be ordered here');
    }
    if (product === null) {
      findings.badRequest(UNSUPPORTED_PRODUCT, FIELD, 'The plan does not offer this product');
    }
  }
  if ((await findMeterOrderOfContract(connection, organization, contract.id)) !== undefined) {
    findings.conflict(DUPLICATE_METER_ORDER, FIELD, 'A meter order already exists');
  }
  findings.throwIfAny();
  if (product === null) throw new Error('The rules let an order without a product pass');
  const row = await createMeterOrder(connection, organization, contract, {
    product,
    now: now.toISOString(),
  });
  const act = { act: 'meter_order.create', object_id: row.id, result: 'done' };
  await audit(connection, { ...actorOf(request), ...act });
  return shownMeterOrder(row);
}
