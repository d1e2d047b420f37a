import { organizations } from '../../identity/organizations/service.ts';
import type { Database } from '../../platform/database/db.ts';
import { notFound } from '../../platform/errors.ts';
import { findPlan, findPlanBySlug, type PlanRow } from './queries.ts';

export interface PlanOfOrganization {
  readonly organization: string;
  readonly plan: PlanRow;
}

/**
 * A plan by its id or slug, for the operator. An id belongs to one organization; a slug that several have is refused
 * until the organization is named.
 */
export async function planForStaff(
  database: Database,
  idOrSlug: string,
  organization?: string,
): Promise<PlanOfOrganization> {
  const ids =
    organization === undefined ? (await organizations(database)).map(({ id }) => id) : [organization];
  const found: PlanOfOrganization[] = [];
  for (const id of ids) {
    const plan = await database.inOrganization({ organization: id }, async (connection) => {
      return (await findPlan(connection, id, idOrSlug)) ?? (await findPlanBySlug(connection, id, idOrSlug));
    });
    if (plan !== undefined) found.push({ organization: id, plan });
  }
  const [only, ...others] = found;
  if (only === undefined) throw notFound();
  if (others.length === 0) return only;
  const names = found.map((match) => match.organization).join(', ');
  throw new Error(
    `Several organizations have a plan ${idOrSlug}: ${names}; say which one with --organization`,
  );
}
