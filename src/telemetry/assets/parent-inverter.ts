import type { Connection } from '../../platform/database/db.ts';
import type { Findings } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { findAsset } from './queries.ts';

interface Child {
  type: string;
  household: string;
  parent_inverter?: string | null | undefined;
}

/**
 * A solar array, and a battery behind a hybrid inverter, names an inverter in use of the same household. Needs the
 * household to be held: else the inverter could be decommissioned between this look and the commit.
 */
export async function checkParentInverter(
  connection: Connection,
  organization: string,
  child: Child,
  findings: Findings,
): Promise<void> {
  const { parent_inverter } = child;
  if (parent_inverter === null || parent_inverter === undefined) return;
  const problem = await problemOf(connection, organization, { ...child, parent_inverter });
  if (problem !== undefined) findings.badRequest('custom', 'parent_inverter', problem);
}

async function problemOf(
  connection: Connection,
  organization: string,
  child: Child & { parent_inverter: string },
): Promise<string | undefined> {
  if (child.type !== 'solar' && child.type !== 'battery') {
    return 'Only a solar array or a battery names its inverter';
  }
  const parent = isId(child.parent_inverter)
    ? await findAsset(connection, organization, undefined, child.parent_inverter)
    : undefined;
  if (parent === undefined || parent.household_id !== child.household) return 'Unknown in this household';
  if (parent.type !== 'inverter') return 'Not an inverter';
  if (parent.decommissioned_at !== null) return 'The inverter is decommissioned';
  if (child.type === 'battery' && parent.hybrid !== true) return 'The inverter is not hybrid';
  return undefined;
}
