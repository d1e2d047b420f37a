import { hash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { BoundedCache } from '../../../platform/bounded-cache.ts';
import { createBatchedRead } from '../../../platform/database/shared-read.ts';
import type { Deps } from '../../../platform/deps.ts';
import { Failure, noTokenSent } from '../../../platform/errors.ts';
import type { Authenticate, Authentication } from '../../../platform/interface/request-gate.ts';
import type { Principal, Scope } from '../../../platform/principal.ts';
import { type ChangeWatch, KNOWN_AFTER_MILLISECONDS } from '../../../platform/process/change-watch.ts';
import { updateLastUse } from '../clients/live-queries.ts';
import { createKeyring } from '../keys/keys.ts';
import { type Access, listAccess } from './grant-queries.ts';
import { type Claims, TOKEN_CHARACTERS_MAX, verifiedClaims } from './tokens.ts';

/** A gateway that sends once a minute is looked up four times an hour, as long as the process knows what changed. */
const KEPT_MILLISECONDS = 15 * 60_000;
/** So many changes are remembered one by one; behind more, all tokens are looked up again. */
const CHANGES_MAX = 10_000;
/** Seconds: from a look into a map to a look into the database. */
const BUCKETS = [0.000_01, 0.000_1, 0.001, 0.01, 0.1, 1];

const BEARER = /^bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i;

export const LAST_USE_STEP_MILLISECONDS = 60_000;

interface KeptAuthentication {
  authentication: Authentication;
  /** Objects whose change ends it: the token itself, its grant, its client, its organization. */
  dependsOn: readonly string[];
  /** How many changes the process had heard of when it asked. */
  changesBefore: number;
  checkedAtMilliseconds: number;
  expiresAtMilliseconds: number;
}

function invalidToken(): Failure {
  return new Failure('UNAUTHORIZED', { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } });
}

/**
 * Turns an `Authorization` header into a principal. A token that was found good is believed for 15 minutes without a look at
 * signature or database, and for 5 seconds where the process does not know what changed: a revoked grant, a switched-off
 * client and a suspended organization are noticed within these. The hot path is one SHA-256 (about 2 µs) and one look into a
 * map. The header is hashed as it came, because looking at its form takes as long again: what is known has been found
 * well-formed before. While the database is away the kept ones live out their seconds; then the caller hears 503, never 401.
 */
export function createAuthenticator(deps: Deps): Authenticate {
  const { clock, config } = deps;
  const keyring = createKeyring(deps);
  const noteUse = createLastUse(deps);
  const seconds = deps.metrics.histogram(
    'authentication_seconds',
    'Time to find out whose access token it is',
    [],
    BUCKETS,
  );
  /* By hash: a dump of the memory must not be a list of tokens. */
  const kept = new BoundedCache<KeptAuthentication>(config.TOKEN_CACHE_ENTRIES_MAX);
  const checking = new Map<string, Promise<KeptAuthentication>>();
  const ends = createEnds(deps.changes);
  const accessOf = createBatchedRead((_, claims: readonly Claims[]) => accessesOf(deps, claims));

  async function check(token: string, key: string): Promise<KeptAuthentication> {
    const checkedAtMilliseconds = clock.nowMilliseconds();
    const changesBefore = ends.changes();
    const claims = await verifiedClaims(token, keyring, config.BASE_URL, checkedAtMilliseconds);
    if (claims === undefined) throw invalidToken();
    const live = liveIn(await accessOf('', claims), claims);
    if (live === undefined) throw invalidToken();
    const principal = principalOf(claims);
    noteUse(principal, checkedAtMilliseconds);
    const entry = {
      authentication: { principal, ...live },
      dependsOn: [claims.jti, claims.grant, claims.client_id, claims.org],
      changesBefore,
      checkedAtMilliseconds,
      expiresAtMilliseconds: claims.exp * 1000,
    };
    kept.set(key, entry);
    return entry;
  }

  /** One check at a time per token: fifty requests of one gateway must not ask the database fifty times. */
  function checkOnce(token: string, key: string): Promise<KeptAuthentication> {
    const running = checking.get(key);
    if (running !== undefined) return running;
    const started = check(token, key).finally(() => checking.delete(key));
    checking.set(key, started);
    return started;
  }

  async function checkAnew(authorization: string | undefined, key: string, begunAt: number) {
    try {
      const { authentication, expiresAtMilliseconds } = await checkOnce(bearerToken(authorization), key);
      if (expiresAtMilliseconds <= clock.nowMilliseconds()) throw invalidToken();
      return authentication;
    } finally {
      seconds.observe((performance.now() - begunAt) / 1000);
    }
  }

  function isUsable(found: KeptAuthentication, now: number): boolean {
    /* The absolute difference: a clock that was set back must not keep a revoked token alive. */
    const age = Math.abs(now - found.checkedAtMilliseconds);
    if (age >= KEPT_MILLISECONDS || ends.isEnded(found)) return false;
    if (age < KNOWN_AFTER_MILLISECONDS) return true;
    /* Only who comes again needs to know what changed. */
    deps.changes.begin();
    return deps.changes.isSure();
  }

  return (authorization) => {
    const begunAt = performance.now();
    const key = hash('sha256', authorization ?? '', 'base64');
    const now = clock.nowMilliseconds();
    const found = kept.get(key);
    if (found === undefined || !isUsable(found, now)) return checkAnew(authorization, key, begunAt);
    seconds.observe((performance.now() - begunAt) / 1000);
    if (found.expiresAtMilliseconds <= now) return Promise.reject(invalidToken());
    noteUse(found.authentication.principal, now);
    return found.authentication;
  };
}

/** Remembers what changed since tokens were looked up. */
function createEnds(watch: ChangeWatch) {
  const changedAt = new Map<string, number>();
  let changes = 0;
  let allEndedAt = 0;
  watch.subscribe((change) => {
    /* A household ends no token: who adds many assets must not make everybody's tokens be looked up. */
    if (change !== 'any' && change.object.startsWith('dom_')) return;
    changes += 1;
    if (change === 'any' || changedAt.size >= CHANGES_MAX) {
      changedAt.clear();
      allEndedAt = changes;
    } else changedAt.set(change.object, changes);
  });
  return {
    changes: () => changes,
    isEnded: ({ dependsOn, changesBefore }: Pick<KeptAuthentication, 'dependsOn' | 'changesBefore'>) =>
      allEndedAt > changesBefore || dependsOn.some((id) => (changedAt.get(id) ?? 0) > changesBefore),
  };
}

function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined || !/^bearer +\S/i.test(authorization)) throw noTokenSent();
  const token = authorization.length > TOKEN_CHARACTERS_MAX ? undefined : BEARER.exec(authorization)?.[1];
  if (token === undefined) throw invalidToken();
  return token;
}

/** One for each token, in order. */
async function accessesOf(
  { database }: Pick<Deps, 'database'>,
  tokens: readonly Claims[],
): Promise<(Access | undefined)[]> {
  const found = await database.asService((connection) => listAccess(connection, tokens));
  return tokens.map(({ jti }) => found.get(jti));
}

/** Whether the token, its grant, its client and its organization are on. */
export async function isLive(deps: Pick<Deps, 'database'>, claims: Claims): Promise<boolean> {
  const [access] = await accessesOf(deps, [claims]);
  return liveIn(access, claims) !== undefined;
}

/** Undefined where the token, its grant, its client or its organization is switched off. */
function liveIn(access: Access | undefined, claims: Claims): Omit<Authentication, 'principal'> | undefined {
  if (access === undefined || access.organization_id !== claims.org) return undefined;
  if (access.revoked_at !== null || access.disabled_at !== null || access.token_revoked) return undefined;
  if (access.standing !== 'in_order' && access.standing !== 'past_due') return undefined;
  const rate = { perSecond: access.rate_per_second, burst: access.rate_burst };
  return { standing: access.standing, rate, isOfOneCustomer: access.is_of_one_customer };
}

function principalOf(claims: Claims): Principal {
  const scopes = claims.scope
    .split(' ')
    .filter((scope): scope is Scope => scope === 'read:*' || scope === 'write:*');
  return Object.freeze({
    organization: claims.org,
    client: claims.client_id,
    grant: claims.grant,
    ...(claims.customer === undefined ? {} : { customer: claims.customer }),
    scopes: Object.freeze(scopes),
    version: claims.ver,
  });
}

/**
 * Keeps when a client was last used: at most once a minute per client and process, and beside the request, which waits
 * for nothing. A loss shows an older time and does no other harm.
 */
function createLastUse(deps: Deps): (principal: Principal, nowMilliseconds: number) => void {
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
