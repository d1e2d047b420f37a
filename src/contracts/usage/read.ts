import { audit } from '../../platform/audit.ts';
import type { Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound, unavailable } from '../../platform/errors.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import type { Tenant } from '../../platform/principal.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { berlinMilliseconds, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { findSubscription } from '../subscriptions/queries.ts';
import { createRecentDays, type RecentDays } from './measured.ts';
import { listReplacedUsage, type ReplacedValue } from './queries.ts';
import type { Consumption, Usage, UsageQuery } from './schema.ts';
import { settleMonth } from './settle.ts';
import { type FoundUsage, usageIn } from './usage-in.ts';

type UsageDeps = Pick<Deps, 'database' | 'clock'>;
type UsageRequest = Pick<ApiRequest<UsageQuery>, 'pathId' | 'query' | 'requires' | 'signal'> & {
  principal: Tenant;
};

/** The two handlers; what they have read lately is kept between requests. */
export function createUsage(parts: UsageDeps) {
  const recentDays = createRecentDays();
  const of = (request: UsageRequest) => usageOf(parts, recentDays, request);
  return {
    getUsage: async (request: UsageRequest): Promise<Usage> => ({ object: 'usage', ...(await of(request)) }),
    /** The same under its older name; feed-in contracts had none. */
    getConsumption: async (request: UsageRequest): Promise<Consumption> => ({
      object: 'consumption',
      ...(await of(request)),
    }),
  };
}

/** The back office may correct dates in between, so that more days have to be frozen. */
const ROUNDS_MAX = 3;

/**
 * Reads, and freezes before that what was settled and what nobody has frozen yet: the answer is the same as if the job
 * had run at that instant. Each month in a transaction of its own, so that a caller who leaves loses nothing.
 */
async function usageOf(
  { database, clock }: UsageDeps,
  recentDays: RecentDays,
  request: UsageRequest,
): Promise<Omit<Usage, 'object'>> {
  const { organization } = request.principal;
  const mayGoOn = () => {
    if (request.signal.aborted) throw unavailable('The caller has left');
  };
  const nowMilliseconds = clock.nowMilliseconds();
  const read = () => find({ database }, request, { recentDays, nowMilliseconds, mayGoOn });
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const found = await read();
    if ('shown' in found) return found.shown;
    for (const month of found.unsettled) {
      mayGoOn();
      await database.inOrganization(request.principal, (connection) =>
        settleMonth(connection, organization, found.contract, month, {
          now: new Date(nowMilliseconds).toISOString(),
          mayGoOn,
        }),
      );
    }
  }
  throw unavailable('The dates of the contract or of its meter are being corrected');
}

interface UsageMoment {
  recentDays: RecentDays;
  nowMilliseconds: number;
  mayGoOn(): void;
}

function find(
  { database }: Pick<UsageDeps, 'database'>,
  request: UsageRequest,
  moment: UsageMoment,
): Promise<FoundUsage> {
  const { organization, customer } = request.principal;
  const id = request.pathId;
  return database.inOrganization(request.principal, async (connection) => {
    const subscription = await findSubscription(connection, organization, customer, id);
    if (subscription === undefined) throw notFound();
    if (subscription.type === 'feed_in') request.requires('feed-in', 'subscription');
    return await usageIn({ connection, organization, subscription, query: request.query, ...moment });
  });
}

/** A year of quarter hours, each replaced three times. */
const REPLACED_MAX = 100_000;

/** Final values of some days, the second one exclusive, that an import replaced. */
export function usageHistory(
  database: Database,
  organization: string,
  subscription: string,
  days: { start: CalendarDay; end: CalendarDay },
  act: StaffAct,
): Promise<ReplacedValue[]> {
  return database.inOrganization({ organization }, async (connection) => {
    const span = { from: berlinMilliseconds(days.start), until: berlinMilliseconds(days.end) };
    const rows = await listReplacedUsage(connection, { organization, subscription }, span, REPLACED_MAX + 1);
    if (rows.length > REPLACED_MAX) throw new Error(`More than ${REPLACED_MAX} values: ask for fewer days`);
    const entry = { ...staffOf(act, organization), act: 'usage.history', object_id: subscription };
    await audit(connection, entry);
    return rows;
  });
}
