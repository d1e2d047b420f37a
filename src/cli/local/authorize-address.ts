import type { StartFacts } from './facts.ts';

/** Where a customer's sign-in for the demo client begins. */
export function authorizeAddress(demo: Pick<StartFacts, 'base_url' | 'client_id' | 'redirect_uri'>): string {
  const address = new URL('/oauth/authorize', demo.base_url);
  address.searchParams.set('response_type', 'code');
  address.searchParams.set('client_id', demo.client_id);
  address.searchParams.set('redirect_uri', demo.redirect_uri);
  return address.href;
}
