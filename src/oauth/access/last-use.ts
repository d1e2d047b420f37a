import type { Deps } from '../../deps.ts';
import type { Principal } from '../../platform/principal.ts';
import { updateLastUse } from '../clients/live-queries.ts';

export const LAST_USE_STEP_MILLISECONDS = 60_000;

/**
 * Keeps when a client was last used: at most once a minute per client and process, and beside the request, which waits
 * for nothing. A loss shows an older time and does no other harm.
 */
export function createLastUse(deps: Deps): (principal: Principal, nowMilliseconds: number) => void {
  const notedAt = new Map<string, number>();
  return ({ organization, client }, nowMilliseconds) => {
    const before = notedAt.get(client);
    if (before !== undefined && Math.abs(nowMilliseconds - before) < LAST_USE_STEP_MILLISECONDS) return;
    notedAt.delete(client);
    notedAt.set(client, nowMilliseconds);
    if (notedAt.size > deps.config.TOKEN_CACHE_ENTRIES_MAX) {
      for (const [oldest] of notedAt) {
        notedAt.delete(oldest);
        break;
      }
    }
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
