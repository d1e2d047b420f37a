import { timingSafeEqual } from 'node:crypto';
import type { Connection } from '../../../platform/database/db.ts';
import type { Deps } from '../../../platform/deps.ts';
import { PageFailure } from '../../../platform/http/pages/hosted.ts';
import { ID_PATTERN } from '../../../platform/ids.ts';
import { keyedHash } from '../../../platform/keyed-hash.ts';
import { mayAct } from '../clients/presented.ts';
import { isRegisteredRedirect } from '../protocol/redirect-uris.ts';
import {
  type AuthorizationRequest,
  findRequestEmail,
  findRequestOrganization,
  lockRequest,
  updateRequest,
} from './request-queries.ts';

/** A failure that a person is told on a page of its own, without any way back to the client. */
export class ScreenFailure extends PageFailure<
  'unknown' | 'expired' | 'over' | 'other_browser' | 'client' | 'not_found' | 'slow_down'
> {}

export interface Visit {
  connection: Connection;
  request: AuthorizationRequest;
}

export interface VisitOptions {
  /** On a first screen, which ties the request to the browser. */
  claims?: boolean;
  /** Changes nothing: a HEAD, behind which nobody sees a screen. */
  looks?: boolean;
  /**
   * On a form that may end the request. A double click sends it twice, and the browser shows the second answer only:
   * it must be as good as the first.
   */
  repeats?: boolean;
  /** On a form that makes or takes codes: their address as it is typed there, or null, which is that of the request. */
  codesOf?: string | null | undefined;
}

/** Locks by name come before rows (`LOCK_ORDER`). Handed in: signing in knows requests. */
type LockCodes = (connection: Connection, organization: string, email: string) => Promise<void>;

interface Visitor {
  /** From the address of the screen. */
  transaction: unknown;
  /** The cookie of the browser. */
  browserKey: string | undefined;
}

/**
 * Opens the request that a screen is about, for one browser only: the first that opens a first screen is the one. Its
 * organization is known by then; everything after it happens inside, and forms of one request come one by one.
 */
export async function visit<Result>(
  deps: Pick<Deps, 'database' | 'clock' | 'config'> & { lockCodes: LockCodes },
  visitor: Visitor,
  options: VisitOptions,
  work: (visit: Visit) => Promise<Result>,
): Promise<Result> {
  const { transaction: id, browserKey } = visitor;
  if (typeof id !== 'string' || !ID_PATTERN.test(id)) throw new ScreenFailure('unknown');
  const organization = await deps.database.asService((connection) => findRequestOrganization(connection, id));
  if (organization === undefined) throw new ScreenFailure('unknown');
  const now = deps.clock.now().toISOString();
  const outcome = await deps.database.inOrganization({ organization }, async (connection) => {
    const isOfRequest = options.codesOf === null;
    const email = isOfRequest ? await findRequestEmail(connection, organization, id) : options.codesOf;
    if (typeof email === 'string') await deps.lockCodes(connection, organization, email);
    const request = await lockRequest(connection, organization, id, now);
    if (request === undefined) throw new ScreenFailure('unknown');
    /* Another form of the request has changed it meanwhile, and the lock is that of the address before. */
    if (isOfRequest && request.email !== email) return undefined;
    const isRepeat = options.repeats === true && request.just_ended;
    if (request.ended_at !== null && !isRepeat) throw new ScreenFailure('over');
    if (request.expired) throw new ScreenFailure('expired');
    /* Of an address that was taken from the client meanwhile no code is given. */
    const isMeant = isRegisteredRedirect(request.redirect_uri, request);
    if (!isMeant || !mayAct({ standing: request.standing, disabled_at: request.client_disabled_at })) {
      throw new ScreenFailure('client');
    }
    const hash =
      browserKey === undefined
        ? undefined
        : keyedHash(deps.config.SECRET_PEPPER, 'browser', `${organization}\0${browserKey}`);
    const isFirst = request.browser_hash === null && options.claims === true;
    if (isFirst && options.looks !== true && hash !== undefined) {
      await updateRequest(connection, organization, id, { browser_hash: hash });
    } else if (isFirst && options.looks === true) {
      return { result: await work({ connection, request }) };
    } else if (!isSame(request.browser_hash, hash)) {
      throw new ScreenFailure('other_browser');
    }
    return { result: await work({ connection, request }) };
  });
  return outcome === undefined ? await visit(deps, visitor, options, work) : outcome.result;
}

function isSame(stored: Buffer | null, shown: Buffer | undefined): boolean {
  return stored !== null && shown !== undefined && timingSafeEqual(stored, shown);
}
