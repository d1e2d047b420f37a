/* What a local start tells other commands about itself. */

export type PriceKind = 'real' | 'synthetic';

export interface DemoAsset {
  id: string;
  type: string;
  external_id: string | null;
}

/** What `.data/start.json` says of the running service. */
export interface StartFacts {
  base_url: string;
  /** The private server's administrator, or the owner on a given server: for looking and measuring. */
  database_url: string;
  /** Reads the views of the demo organization; null: a given database in which no account could be made. */
  analyst_url: string | null;
  redis_url: string;
  organization: string;
  client_id: string;
  client_secret: string;
  redirect_uri: string;
  /** The user's own: the simulation never touches it. */
  household: string;
  assets: DemoAsset[];
  snapshot_table: string;
  /** `synthetic`: invented by a feed of this start, no market prices. */
  prices: PriceKind;
  /** The synthetic feed, whose switches play outages and delays; null where prices are real. */
  feed_url: string | null;
  /** Households of the fleet simulation. */
  fleet_households: string[];
  api_pid: number;
  worker_pid: number;
}

/** What `npm run learn` leaves. */
export interface LearnerFacts {
  /** Reads the views of the learning data's organization. */
  analyst_url: string;
}

/** Where a customer's sign-in for the demo client begins. */
export function authorizeAddress(demo: Pick<StartFacts, 'base_url' | 'client_id' | 'redirect_uri'>): string {
  const address = new URL('/oauth/authorize', demo.base_url);
  address.searchParams.set('response_type', 'code');
  address.searchParams.set('client_id', demo.client_id);
  address.searchParams.set('redirect_uri', demo.redirect_uri);
  return address.href;
}
