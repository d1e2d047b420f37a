import { randomBytes } from 'node:crypto';
import type { BilledMonth } from '../billing/seed.ts';
import { type QuotedZip, quoteBodies, signUpBody } from '../reads/quote-requests.ts';
import type { Kind } from './callers.ts';

export const BATCHES = 'batches';
export const ANALYST = "analyst's questions";

const SIGN_UPS = 'sign-ups';
/** Kinds of callers who store something. */
export const WRITERS: readonly string[] = [BATCHES, SIGN_UPS];

export const QUESTIONS = [
  'SELECT * FROM newest_snapshots LIMIT 1000',
  "SELECT start, sum(consumed_kwh) FROM energy WHERE start >= now() - INTERVAL '1 day' GROUP BY start",
  "SELECT count(*) FROM snapshots WHERE timestamp >= now() - INTERVAL '10 minutes'",
  'SELECT state, count(*) FROM webhook_deliveries GROUP BY state',
];

const QUOTES = 500;
/** Sign-ups of two runs have different names. */
const RUN = randomBytes(4).toString('hex');

/** Callers over HTTP read, or make things that have to be there afterwards. */
export function kindsOf({
  plan,
  zips,
  month,
}: {
  plan: string;
  zips: readonly QuotedZip[];
  month: BilledMonth;
}): { kind: Kind; does: 'read' | 'make' }[] {
  const quotes = quoteBodies('endurance', QUOTES, zips).map(String);
  const get = { method: 'GET' as const, status: 200 };
  const contract = `sub_${'0'.repeat(24)}`;
  return [
    { does: 'read', kind: { ...get, name: 'prices', pauseMilliseconds: 100, path: () => '/spot-prices' } },
    {
      does: 'read',
      kind: { ...get, name: 'lists', pauseMilliseconds: 200, path: () => '/customers?limit=50' },
    },
    {
      does: 'read',
      kind: {
        ...{ ...get, name: 'usage', pauseMilliseconds: 500 },
        path: () => `/subscriptions/${contract}/usage?resolution=day&start=${month.first}&end=${month.end}`,
      },
    },
    {
      does: 'read',
      kind: {
        ...{ name: 'quotes', pauseMilliseconds: 200, method: 'POST', status: 200 },
        path: () => `/plans/${plan}/quote`,
        body: (index) => quotes[index % quotes.length] ?? '',
      },
    },
    {
      does: 'make',
      kind: {
        ...{ name: SIGN_UPS, pauseMilliseconds: 500, method: 'POST', status: 200 },
        path: () => '/subscriptions',
        /* The same each time: a request that is sent again with its key must not differ. */
        body: (index) =>
          signUpBody(plan, zips[index % zips.length]?.zip, RUN + index.toString(16).padStart(4, '0')),
      },
    },
  ];
}
