import { organization as findOrganization, setAnalystAccess } from '../../identity/organizations/service.ts';
import { audit } from '../../platform/audit.ts';
import type { Database } from '../../platform/database/db.ts';
import { newPassword, scramVerifier } from '../../platform/database/passwords.ts';
import { withDatabase, withDatabaseClient } from '../../platform/database/setup.ts';
import { badRequest, conflict, notFound } from '../../platform/errors.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import {
  type AnalystRow,
  closeRole,
  createRole,
  deleteAnalyst,
  dropOwned,
  dropRole,
  endSessions,
  findAnalyst,
  findRoleFacts,
  insertAnalyst,
  type ListedAnalyst,
  listAnalysts,
  listPlacesOfRole,
  makeAnalystSchema,
  type RoleLimits,
  roleOf,
  setRole,
  updateRotatedAt,
} from './queries.ts';

/** For exports, which read the same views. */
export { makeAnalystSchema };

/*
 * Accounts of people and programs that sign in to the database itself and read the views of one organization. Everything
 * here is done by the owner of the database (DATABASE_OWNER_URL), whom no service process signs in as.
 */

/** As the table holds it; `reader` is the role that owns the views. */
const NAME = /^(?!reader$)[a-z][a-z0-9_]{0,39}$/;

/**
 * What a session begins with. Connections and temporary files are bounds: an analyst cannot change them. The others are
 * his to change: what runs longer is ended by the worker (end-sessions.ts), what takes more memory is bounded by the
 * machine alone (docs/analysts.md).
 */
const LIMITS: RoleLimits = {
  connections: 4,
  settings: {
    default_transaction_read_only: 'on',
    statement_timeout: '60s',
    transaction_timeout: '5min',
    idle_in_transaction_session_timeout: '60s',
    idle_session_timeout: '1h',
    lock_timeout: '15s',
    temp_file_limit: '1GB',
    work_mem: '32MB',
    /* Compiling takes longer than most of these queries. */
    jit: 'off',
    /* So that `start >= '2026-10-25'` means midnight in Berlin. */
    timezone: 'Europe/Berlin',
  },
};

/** The administrator's part of this version is missing: no account is safe before it. */
export class OpenDatabaseError extends Error {
  constructor() {
    super('Everybody may fill the disk or hold locks on this server: run npm run db -- init once more');
  }
}

export interface AnalystAccount {
  name: string;
  role: string;
  organization: string;
  /** Known here and now only: the server keeps a verifier. */
  password: string;
}

interface OwnerParts {
  /** Opened by the owner. */
  database: Database;
}

export async function createAnalyst(
  { database }: OwnerParts,
  organization: string,
  name: string,
  act: StaffAct,
): Promise<AnalystAccount> {
  if (!NAME.test(name)) {
    const message =
      'A name begins with a lower-case letter and has at most 40 lower-case letters, digits and underscores; reader is taken';
    throw badRequest([{ code: 'custom', field: 'name', message }]);
  }
  await findOrganization(database, organization);
  const analyst = { organization_id: organization, name, created_at: act.now };
  return await database.inOrganization({ organization }, async (connection) => {
    /* First: whoever makes another analyst of the organization waits here, and two grants at once would fail. */
    await makeAnalystSchema(connection, organization);
    const { role_exists, is_open } = await findRoleFacts(connection, name);
    if (is_open) throw new OpenDatabaseError();
    const isNew = await insertAnalyst(connection, analyst);
    if (!isNew || role_exists) {
      const message = isNew
        ? `A role ${roleOf(name)} exists on this server already, for another database`
        : `An analyst ${name} exists already`;
      throw conflict([{ code: 'custom', field: 'name', message }]);
    }
    await createRole(connection, name);
    const password = newPassword();
    await setRole(connection, analyst, { verifier: scramVerifier(password), limits: LIMITS });
    await setAnalystAccess(connection, organization);
    await audit(connection, { ...staffOf(act, organization), act: 'analyst.create', object_id: name });
    return { name, role: roleOf(name), organization, password };
  });
}

/** A new password; sessions that signed in with the old one end. A role that is missing after a restore is made anew. */
export async function rotateAnalyst(
  { database }: OwnerParts,
  name: string,
  act: StaffAct,
): Promise<AnalystAccount> {
  const analyst = await analystNamed(database, name);
  const organization = analyst.organization_id;
  const password = newPassword();
  await database.inOrganization({ organization }, async (connection) => {
    if (!(await findRoleFacts(connection, name)).role_exists) await createRole(connection, name);
    await setRole(connection, analyst, { verifier: scramVerifier(password), limits: LIMITS });
    await setAnalystAccess(connection, organization);
    await updateRotatedAt(connection, analyst, act.now);
    await audit(connection, { ...staffOf(act, organization), act: 'analyst.rotate', object_id: name });
  });
  /* Behind the commit: until then the old password opens new ones. */
  await database.asService((connection) => endSessions(connection, name));
  return { name, role: roleOf(name), organization, password };
}

export interface RevokedAnalyst {
  name: string;
  organization: string;
  ended_sessions: number;
  /** Databases in which the account left something that only a superuser removes; its role stays there, shut for good. */
  left_in: string[];
}

/** Ends sessions and account, whatever it left. Called again after an interruption, it does the rest. */
export async function revokeAnalyst(
  { database, ownerUrl }: OwnerParts & { ownerUrl: string },
  name: string,
  act: StaffAct,
): Promise<RevokedAnalyst> {
  const analyst = await analystNamed(database, name);
  const organization = analyst.organization_id;
  const hasRole = await database.asService(async (connection) => {
    const { role_exists } = await findRoleFacts(connection, name);
    if (role_exists) await closeRole(connection, name);
    return role_exists;
  });
  /* Nobody signs in any more, so that nothing is added to what is removed. */
  const ended = hasRole ? await database.asService((connection) => endSessions(connection, name)) : 0;
  const places = await database.asService((connection) => listPlacesOfRole(connection, name));
  for (const place of places) {
    /* The list below names a place where this fails, for instance because the owner is not let in. */
    await withDatabaseClient(withDatabase(ownerUrl, place), (client) => dropOwned(client, name)).catch(
      () => {},
    );
  }
  return await database.inOrganization({ organization }, async (connection) => {
    const isGone = !hasRole || (await dropRole(connection, name));
    const left = isGone ? [] : await listPlacesOfRole(connection, name);
    await deleteAnalyst(connection, analyst);
    await audit(connection, { ...staffOf(act, organization), act: 'analyst.revoke', object_id: name });
    return { name, organization, ended_sessions: ended, left_in: left };
  });
}

export async function analysts(
  { database }: OwnerParts,
  organization: string | null,
): Promise<ListedAnalyst[]> {
  if (organization !== null) await findOrganization(database, organization);
  return await database.asService((connection) => listAnalysts(connection, organization));
}

async function analystNamed(database: Database, name: string): Promise<AnalystRow> {
  const found = await database.asService((connection) => findAnalyst(connection, name));
  if (found === undefined) throw notFound();
  return found;
}

/** Where an account signs in: the same server and database as the owner. */
export function analystAddress(
  ownerUrl: string,
  { role, password }: Pick<AnalystAccount, 'role' | 'password'>,
): string {
  const address = new URL(ownerUrl);
  address.username = role;
  address.password = encodeURIComponent(password);
  return address.href;
}
