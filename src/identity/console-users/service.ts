import { z } from 'zod';
import { audit } from '../../platform/audit.ts';
import type { Database } from '../../platform/database/db.ts';
import { badRequest, conflict, notFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { entriesOf } from '../../platform/interface/zod.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { type ConsoleUserRow, deleteConsoleUser, insertConsoleUser, listConsoleUsers } from './queries.ts';

/** For whoever lets them sign in. */
export { findConsoleOrganization, findConsoleUserByEmail } from './queries.ts';

const address = z.email().max(254);

/** Somebody of an organization who may sign in to its console from now on. */
export async function createConsoleUser(
  database: Database,
  organization: string,
  email: string,
  act: StaffAct,
): Promise<ConsoleUserRow> {
  const read = address.safeParse(email.trim());
  if (!read.success) {
    throw badRequest(entriesOf(read.error.issues, email).map((entry) => ({ ...entry, field: 'email' })));
  }
  return await database.inOrganization({ organization }, async (connection) => {
    const user = { id: newId('usr'), email: read.data, created_at: act.now };
    const made = await insertConsoleUser(connection, organization, user);
    if (made === undefined) {
      const message = 'This address signs in to a console already: of this organization, or of another';
      throw conflict([{ code: 'custom', field: 'email', message }]);
    }
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'console_user.create',
      object_id: made.id,
    });
    return made;
  });
}

export async function newestConsoleUsers(
  database: Database,
  organization: string,
  limit: number,
): Promise<ConsoleUserRow[]> {
  return await database.inOrganization({ organization }, (connection) =>
    listConsoleUsers(connection, organization, limit),
  );
}

/** Whoever is signed in is out at once. */
export async function removeConsoleUser(
  database: Database,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<ConsoleUserRow> {
  return await database.inOrganization({ organization }, async (connection) => {
    const removed = await deleteConsoleUser(connection, organization, id);
    if (removed === undefined) throw notFound();
    await audit(connection, { ...staffOf(act, organization), act: 'console_user.remove', object_id: id });
    return removed;
  });
}
