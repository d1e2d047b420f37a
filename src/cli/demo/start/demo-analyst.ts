import {
  analystAddress,
  createAnalyst,
  OpenDatabaseError,
  rotateAnalyst,
} from '../../../governance/analysts/service.ts';
import { openDatabase } from '../../../platform/database/db.ts';
import { withDatabaseClient } from '../../../platform/database/setup.ts';
import { Failure } from '../../../platform/errors.ts';
import type { StaffAct } from '../../../platform/staff-act.ts';

/** Names of roles belong to the server, which several demo databases may share. */
const nameFor = (organization: string) => `demo_${organization.slice('org_'.length, 'org_'.length + 10)}`;

export interface DemoAnalyst {
  /** Null where none could be made. */
  address: string | null;
  problem: string | null;
}

/**
 * The demo organization's analyst: that of an earlier start while its address opens, else a new one. A given database whose
 * administrator did not run `db init` of this version gets none, and the start goes on.
 */
export async function findOrMakeDemoAnalyst(
  { ownerUrl, known }: { ownerUrl: string; known: string | null },
  organization: string,
  act: StaffAct,
): Promise<DemoAnalyst> {
  if (known !== null && (await opensAnalystViews(known))) return { address: known, problem: null };
  const database = openDatabase({
    url: ownerUrl,
    applicationName: 'voltstream-start',
    connectionsMax: 1,
    onError: () => {},
  });
  try {
    const name = nameFor(organization);
    const account = await rotateAnalyst({ database }, name, act).catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'NOT_FOUND') {
        return createAnalyst({ database }, organization, name, act);
      }
      throw error;
    });
    return { address: analystAddress(ownerUrl, account), problem: null };
  } catch (error) {
    if (error instanceof OpenDatabaseError) return { address: null, problem: error.message };
    throw error;
  } finally {
    await database.close();
  }
}

/** Signs in, to views that are there: the database may be another one since. */
export async function opensAnalystViews(address: string): Promise<boolean> {
  try {
    await withDatabaseClient(address, (client) => client.query('SELECT FROM assets LIMIT 0'));
    return true;
  } catch {
    return false;
  }
}
