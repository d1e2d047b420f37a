import { audit } from '../../platform/audit.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { badRequest, notFound } from '../../platform/errors.ts';
import { ID_PATTERN, newId } from '../../platform/ids.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { entriesOf } from '../../platform/interface/zod.ts';
import type { Logger } from '../../platform/log/logger.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import {
  findOrganization,
  hasOneOf,
  insertOrganization,
  type ListedOrganization,
  listOrganizations,
  lockOrganization,
  type OrganizationRow,
  type OrganizationStanding,
  setAnalystAccess,
  updateOrganizationFields,
} from './queries.ts';

/** For whoever changes its analysts, or its brand. */
export { lockOrganization, setAnalystAccess };

const nameSchema = wireSchemas.name({ max: 100 });

/** A new organization is in order; it has no client yet. */
export async function createOrganization(
  database: Database,
  input: { name: string; forecast_enabled?: boolean },
  act: StaffAct,
): Promise<OrganizationRow> {
  const name = nameSchema.safeParse(input.name);
  if (!name.success) {
    const entries = entriesOf(name.error.issues, input.name);
    throw badRequest(entries.map((entry) => ({ ...entry, field: 'name' })));
  }
  const organization: OrganizationRow = {
    id: newId('org'),
    name: name.data,
    standing: 'in_order',
    forecast_enabled: input.forecast_enabled ?? false,
    created_at: act.now,
    updated_at: act.now,
  };
  return await database.inOrganization({ organization: organization.id }, async (connection) => {
    const inserted = await insertOrganization(connection, organization);
    await audit(connection, {
      ...staffOf(act, organization.id),
      act: 'organization.create',
      object_id: organization.id,
    });
    return inserted;
  });
}

export async function organizations(database: Database): Promise<ListedOrganization[]> {
  return await database.asService((connection) => listOrganizations(connection));
}

export async function organization(database: Database, id: string): Promise<OrganizationRow> {
  if (!ID_PATTERN.test(id)) throw notFound();
  const found = await database.inOrganization({ organization: id }, (connection) =>
    findOrganization(connection, id),
  );
  if (found === undefined) throw notFound();
  return found;
}

/**
 * Past due: every call of the interface answers 402, tokens are still given. Suspended and deleted: its clients count as
 * switched off within 5 seconds, and its analysts are shut out.
 */
export async function setStanding(
  database: Database,
  id: string,
  standing: OrganizationStanding,
  act: StaffAct,
): Promise<OrganizationRow> {
  return await change(database, id, { standing }, { ...act, act: 'organization.set_standing' });
}

export async function setForecasts(
  database: Database,
  id: string,
  enabled: boolean,
  act: StaffAct,
): Promise<OrganizationRow> {
  return await change(
    database,
    id,
    { forecast_enabled: enabled },
    { ...act, act: 'organization.set_forecasts' },
  );
}

async function change(
  database: Database,
  id: string,
  fields: Partial<Pick<OrganizationRow, 'standing' | 'forecast_enabled'>>,
  act: StaffAct & { act: string },
): Promise<OrganizationRow> {
  if (!ID_PATTERN.test(id)) throw notFound();
  return await database.inOrganization({ organization: id }, async (connection) => {
    const before = await lockOrganization(connection, id);
    if (before === undefined) throw notFound();
    const after = await updateOrganizationFields(connection, id, { ...fields, updated_at: act.now });
    if (after.standing !== before.standing) await setAnalystAccess(connection, id);
    await audit(connection, {
      ...staffOf(act, id),
      act: act.act,
      object_id: id,
      before: { standing: before.standing, forecast_enabled: before.forecast_enabled },
      after: { standing: after.standing, forecast_enabled: after.forecast_enabled },
    });
    return after;
  });
}

/**
 * Does something for each organization, one after the other. A failure for one of them does not keep the others waiting. It
 * is logged, and in the end the whole fails, so that a job comes back to it. `undone` says what is then missing: `contracts
 * were not advanced`.
 */
export async function forEachOrganization(
  database: Database,
  run: { signal: AbortSignal; log: Pick<Logger, 'error'> },
  { undone, standings }: { undone: string; standings?: readonly OrganizationStanding[] },
  work: (organization: string) => Promise<void>,
): Promise<void> {
  let failed = 0;
  let cause: unknown;
  for (const { id: organization, standing } of await database.asService(listOrganizations)) {
    if (standings?.includes(standing) === false) continue;
    run.signal.throwIfAborted();
    try {
      await work(organization);
    } catch (error) {
      run.log.error({ err: error, organization }, undone);
      failed += 1;
      cause ??= error;
    }
  }
  run.signal.throwIfAborted();
  if (failed > 0) throw new Error(`For ${failed} organizations ${undone}`, { cause });
}

/** Whose thing one of these ids names; undefined where nobody has any of them. */
export async function organizationOfIds(
  database: Database,
  ids: readonly string[],
): Promise<string | undefined> {
  const where = await findInOrganizations(
    database,
    async (connection, id) => (await hasOneOf(connection, id, ids)) || undefined,
  );
  return where?.organization;
}

export function isOfOrganization(database: Database, organization: string, id: string): Promise<boolean> {
  return database.inOrganization({ organization }, (connection) => hasOneOf(connection, organization, [id]));
}

/** Asks one organization after the other until one has an answer. Ids are random: at most one has what is looked for. */
export async function findInOrganizations<Result>(
  database: Database,
  look: (connection: Connection, organization: string) => Promise<Result | undefined>,
): Promise<{ organization: string; found: Result } | undefined> {
  for (const { id: organization } of await database.asService(listOrganizations)) {
    const found = await database.inOrganization({ organization }, (connection) =>
      look(connection, organization),
    );
    if (found !== undefined) return { organization, found };
  }
  return undefined;
}
