import { BoundedCache } from '../../../platform/bounded-cache.ts';
import type { Deps } from '../../../platform/deps.ts';
import type { Principal } from '../../../platform/principal.ts';
import { updateLastUse } from '../clients/live-queries.ts';

export const LAST_USE_STEP_MILLISECONDS = 60_000;

/**
 * Keeps when a client was last used: at most once a minute per client and process, and beside the request, which waits
 * for nothing. A loss shows an older time and does no other harm.
 */
export function createLastUse(deps: Deps): (principal: Principal, nowMilliseconds: number) => void {
  const notedAt = new BoundedCache<number>(deps.config.TOKEN_CACHE_ENTRIES_MAX);
  return ({ organization, client }, nowMilliseconds) => {
    const before = notedAt.get(client);
    if (before !== undefined && Math.abs(nowMilliseconds - before) < LAST_USE_STEP_MILLISECONDS) return;
    notedAt.set(client, nowMilliseconds);
    const times = {
      now: new Date(nowMilliseconds).toISOString(),
      unlessAfter: new Date(nowMilliseconds - LAST_USE_STEP_MILLISECONDS).toISOString(),
    };
    deps.database
      .inOrganization({ organization }, (connection) =>
        updateLastUse(connection, organization, client, times),
      )
      .catch((error: unknown) => deps.log.warn({ err: error, client }, 'last use of a client not stored'));
  };
}
