import { type Insertable, sql } from 'kysely';
import { audit } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Deps } from '../../platform/deps.ts';
import { keyedHash } from '../../platform/keyed-hash.ts';
import {
  JUST_MILLISECONDS,
  type KnownAccount,
  type SessionParts,
  type SessionSource,
  type VisitTrace,
} from '../sign-in/offer.ts';

/** Whose console it is, and who looks at it. */
export interface Visitor {
  organization: string;
  user: string;
  email: string;
}

export const SESSION_SECONDS = 12 * 3600;

const SESSION_PREFIX = 'cse_';
const SESSION_PATTERN = /^cse_[A-Za-z0-9_-]{43}$/;

export function sessionOf({ pepper, form }: SessionSource): string {
  return SESSION_PREFIX + keyedHash(pepper, 'console-session-of-form', form).toString('base64url');
}

/** The session that the first of two clicks began. */
export async function justBegun(
  parts: SessionParts,
  organization: string,
): Promise<(KnownAccount & { cookie: string }) | undefined> {
  const { connection, pepper, nowMilliseconds } = parts;
  const cookie = sessionOf(parts);
  const found = await connection
    .selectFrom('console_sessions')
    .select('user_id')
    .where('organization_id', '=', organization)
    .where('hash', '=', keyedHash(pepper, 'console-session', cookie))
    .where('created_at', '>', new Date(nowMilliseconds - JUST_MILLISECONDS).toISOString())
    .executeTakeFirst();
  return found && { organization, account: found.user_id, cookie };
}

/** Signs a user in who has shown who it is; returns what the browser keeps. */
export async function beginSession(
  parts: SessionParts,
  { organization, account }: KnownAccount,
): Promise<string> {
  const { connection, pepper, nowMilliseconds, trace } = parts;
  const cookie = sessionOf(parts);
  await insertSession(connection, {
    organization_id: organization,
    user_id: account,
    hash: keyedHash(pepper, 'console-session', cookie),
    created_at: new Date(nowMilliseconds).toISOString(),
    expires_at: new Date(nowMilliseconds + SESSION_SECONDS * 1000).toISOString(),
  });
  const signedIn = { act: 'console.sign_in', object_id: account, result: 'done' };
  await audit(connection, { ...trace, organization_id: organization, ...signedIn });
  return cookie;
}

/** The user whom this cookie signs in. */
export async function visitorOf(
  { database, clock, config }: Pick<Deps, 'database' | 'clock' | 'config'>,
  cookie: string | undefined,
): Promise<Visitor | undefined> {
  if (cookie === undefined || !SESSION_PATTERN.test(cookie)) return undefined;
  const hash = keyedHash(config.SECRET_PEPPER, 'console-session', cookie);
  const now = clock.now().toISOString();
  return await database.asService((connection) => findSession(connection, hash, now));
}

export async function leave(
  { database, config }: Pick<Deps, 'database' | 'config'>,
  cookie: string,
  { organization, user }: Visitor,
  trace: VisitTrace,
): Promise<void> {
  const hash = keyedHash(config.SECRET_PEPPER, 'console-session', cookie);
  await database.inOrganization({ organization }, async (connection) => {
    await deleteSession(connection, organization, hash);
    const signedOut = { act: 'console.sign_out', object_id: user, result: 'done' };
    await audit(connection, { ...trace, organization_id: organization, ...signedOut });
  });
}

async function insertSession(
  connection: Connection,
  session: Insertable<Tables['console_sessions']>,
): Promise<void> {
  await connection.insertInto('console_sessions').values(session).execute();
}

/** Looks across organizations, because a browser brings the cookie only. */
async function findSession(connection: Connection, hash: Buffer, now: string): Promise<Visitor | undefined> {
  const { rows } = await sql<Visitor>`
    SELECT organization_id AS organization, user_id AS "user", email FROM find_console_session(${hash})
     WHERE expires_at > ${now}::timestamptz`.execute(connection);
  return rows[0];
}

async function deleteSession(connection: Connection, organization: string, hash: Buffer): Promise<void> {
  await connection
    .deleteFrom('console_sessions')
    .where('organization_id', '=', organization)
    .where('hash', '=', hash)
    .execute();
}
