import type { Deps } from '../../platform/deps.ts';
import { notFound, unavailable } from '../../platform/errors.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import type { Tenant } from '../../platform/principal.ts';
import { findSubscription } from '../subscriptions/queries.ts';
import { createRecentDays, type RecentDays } from './measured.ts';
import type { Consumption, Usage, UsageQuery } from './schema.ts';
import { settleMonth } from './settle-month.ts';
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
