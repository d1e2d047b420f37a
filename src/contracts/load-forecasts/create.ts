import { actorOf, audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { Findings } from '../../platform/errors.ts';
import { once, type ReplayedAnswer } from '../../platform/interface/idempotency.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import { Exact, roundHalfUp } from '../../platform/money.ts';
import type { HeldContract } from '../held-contracts/queries.ts';
import { ENDED_SUBSCRIPTION, holdContract, SUBSCRIPTION_NOT_STARTED } from '../held-contracts/service.ts';
import { checkPoints, type ForecastDay, forecastDays, purchaseOf } from './days.ts';
import { upsertForecasts } from './queries.ts';
import type { LoadForecast, NewLoadForecast } from './schema.ts';

type ForecastDeps = Pick<Deps, 'database' | 'clock'>;
type ForecastRequest = ApiRequest<unknown, NewLoadForecast>;

/** In the order of the schema: so are the findings told. */
const FIELDS = ['subscription', 'data'];
const HOURS_OF_POINT = 0.25;
const TOTAL_DECIMALS = 3;

/** Keeps the forecast by day and replaces a day that was sent before. The forecast that was in time for the auction stays. */
export function createLoadForecast(
  { database, clock }: ForecastDeps,
  request: ForecastRequest,
): Promise<LoadForecast | ReplayedAnswer> {
  const { principal, idempotency } = request;
  return database.inOrganization(principal, (connection) =>
    once(connection, principal, idempotency, clock.now(), () => store(connection, request, clock)),
  );
}

async function store(connection: Connection, request: ForecastRequest, clock: Clock): Promise<LoadForecast> {
  const { organization } = request.principal;
  const { scope, subscription, data } = request.body;
  const contract = await holdContract(connection, organization, subscription);
  /* Read behind the lock: of two forecasts of a day the one that is stored later is the newer one. */
  const now = clock.now();
  const findings = new Findings();
  checkContract(contract, findings);
  checkPoints(data, now.getTime(), findings);
  findings.throwIfAny(FIELDS);

  const days = forecastDays(data);
  const received_at = now.toISOString();
  const owner = { customer_id: contract.customer_id, subscription_id: contract.id };
  await upsertForecasts(
    connection,
    organization,
    days.map(({ day, starts_at, ends_at, power_kw }) => ({
      ...owner,
      delivery_on: day,
      purchase: purchaseOf(day, now.getTime()),
      starts_at,
      ends_at,
      power_kw: [...power_kw],
      received_at,
    })),
  );
  const act = { act: 'load_forecast.create', object_id: contract.id, result: 'done' };
  await audit(connection, { ...actorOf(request), ...act });
  return { scope, subscription: contract.id, ...spanOf(days), total: kilowattHours(days) };
}

function checkContract(contract: HeldContract, findings: Findings): void {
  if (contract.type === 'feed_in') {
    const message = 'No forecast is taken for feed-in';
    findings.badRequest('custom', 'subscription', message);
  }
  if (contract.status === 'ended') {
    findings.badRequest(ENDED_SUBSCRIPTION, 'subscription', 'The subscription has ended');
  } else if (contract.start_at === null) {
    const message = 'The start of the subscription is not confirmed';
    findings.badRequest(SUBSCRIPTION_NOT_STARTED, 'subscription', message);
  }
}

function spanOf(days: readonly ForecastDay[]): { start: string; end: string } {
  return { start: days[0]?.starts_at ?? '', end: days.at(-1)?.ends_at ?? '' };
}

function kilowattHours(days: readonly ForecastDay[]): number {
  const kilowatts = days.flatMap(({ power_kw }) => power_kw);
  const sum = kilowatts.reduce((total, value) => total.plus(value), new Exact(0));
  return roundHalfUp(sum.times(HOURS_OF_POINT), TOTAL_DECIMALS).toNumber();
}
