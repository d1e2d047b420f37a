import { findOrganization } from '../../identity/organizations/queries.ts';
import { audit } from '../../platform/audit.ts';
import type { Deps } from '../../platform/deps.ts';
import { keyedHash } from '../../platform/keyed-hash.ts';
import {
  JUST_MILLISECONDS,
  type SessionParts,
  type SessionSource,
  type VisitTrace,
} from '../sign-in/offer.ts';
import { isLinkSecret } from './magic-link.ts';
import {
  deleteSession,
  findLinkOrganization,
  findNewSession,
  findSession,
  insertSession,
  isLinkOpen,
  updateLinkUsed,
} from './queries.ts';

type SessionDeps = Pick<Deps, 'database' | 'clock' | 'config'>;

/** Whose portal it is. */
export interface Visitor {
  organization: string;
  customer: string;
}

export const SESSION_SECONDS = 12 * 3600;

const SESSION_PREFIX = 'pse_';
const SESSION_PATTERN = /^pse_[A-Za-z0-9_-]{43}$/;

/** Whose customer a link was made for, also once it is used or over, and whether the organization is switched off. */
export async function organizationOfLink(
  { database, config }: Pick<SessionDeps, 'database' | 'config'>,
  secret: string,
): Promise<{ organization: string; isClosed: boolean } | undefined> {
  if (!isLinkSecret(secret)) return undefined;
  const hash = keyedHash(config.SECRET_PEPPER, 'magic-link', secret);
  const organization = await database.asService((connection) => findLinkOrganization(connection, hash));
  if (organization === undefined) return undefined;
  const found = await database.inOrganization({ organization }, (connection) =>
    findOrganization(connection, organization),
  );
  return { organization, isClosed: found?.standing !== 'in_order' && found?.standing !== 'past_due' };
}

/** Whether the link would let its customer in; looking at it changes nothing. */
export async function isOpen(
  { database, clock, config }: SessionDeps,
  organization: string,
  secret: string,
): Promise<boolean> {
  const hash = keyedHash(config.SECRET_PEPPER, 'magic-link', secret);
  const now = clock.now().toISOString();
  return await database.inOrganization({ organization }, (connection) =>
    isLinkOpen(connection, organization, hash, now),
  );
}

/** Uses the link up and begins a session; undefined when it is used or over. `form`: the token of the form that was sent. */
export async function enter(
  deps: SessionDeps,
  secret: string,
  form: string,
  trace: VisitTrace,
): Promise<(Visitor & { cookie: string }) | undefined> {
  const link = await organizationOfLink(deps, secret);
  if (link === undefined || link.isClosed) return undefined;
  const { organization } = link;
  const hash = keyedHash(deps.config.SECRET_PEPPER, 'magic-link', secret);
  const nowMilliseconds = deps.clock.nowMilliseconds();
  const now = new Date(nowMilliseconds).toISOString();
  return await deps.database.inOrganization({ organization }, async (connection) => {
    const customer = await updateLinkUsed(connection, organization, hash, now);
    const pepper = deps.config.SECRET_PEPPER;
    const parts = { connection, pepper, nowMilliseconds, trace, form: `${secret}\0${form}` };
    if (customer === undefined) return await justBegun(parts, organization);
    return { organization, customer, cookie: await beginSession(parts, { organization, customer }) };
  });
}

export function sessionOf({ pepper, form }: SessionSource): string {
  return SESSION_PREFIX + keyedHash(pepper, 'portal-session-of-form', form).toString('base64url');
}

/** The session that the first of two clicks began. */
export async function justBegun(
  parts: SessionParts,
  organization: string,
): Promise<(Visitor & { cookie: string }) | undefined> {
  const { connection, pepper, nowMilliseconds } = parts;
  const cookie = sessionOf(parts);
  const hash = keyedHash(pepper, 'portal-session', cookie);
  const since = new Date(nowMilliseconds - JUST_MILLISECONDS).toISOString();
  const customer = await findNewSession(connection, organization, hash, since);
  return customer === undefined ? undefined : { organization, customer, cookie };
}

/** Signs a customer in who has shown who it is; returns what the browser keeps. */
export async function beginSession(
  parts: SessionParts,
  { organization, customer }: Visitor,
): Promise<string> {
  const { connection, pepper, nowMilliseconds, trace } = parts;
  const cookie = sessionOf(parts);
  await insertSession(connection, organization, {
    hash: keyedHash(pepper, 'portal-session', cookie),
    customer_id: customer,
    created_at: new Date(nowMilliseconds).toISOString(),
    expires_at: new Date(nowMilliseconds + SESSION_SECONDS * 1000).toISOString(),
  });
  await audit(connection, {
    ...trace,
    organization_id: organization,
    act: 'portal.sign_in',
    object_id: customer,
    result: 'done',
  });
  return cookie;
}

/** The customer whom this cookie signs in. */
export async function visitorOf(
  { database, clock, config }: SessionDeps,
  cookie: string | undefined,
): Promise<Visitor | undefined> {
  if (cookie === undefined || !SESSION_PATTERN.test(cookie)) return undefined;
  const hash = keyedHash(config.SECRET_PEPPER, 'portal-session', cookie);
  const now = clock.now().toISOString();
  return await database.asService((connection) => findSession(connection, hash, now));
}

export async function leave(
  { database, config }: SessionDeps,
  cookie: string,
  { organization, customer }: Visitor,
  trace: VisitTrace,
): Promise<void> {
  const hash = keyedHash(config.SECRET_PEPPER, 'portal-session', cookie);
  await database.inOrganization({ organization }, async (connection) => {
    await deleteSession(connection, organization, hash);
    await audit(connection, {
      ...trace,
      organization_id: organization,
      act: 'portal.sign_out',
      object_id: customer,
      result: 'done',
    });
  });
}
