import {
  analystAddress,
  analysts,
  createAnalyst,
  rotateAnalyst,
} from '../../../governance/analysts/service.ts';
import { openDatabase } from '../../../platform/database/db.ts';
import { newId } from '../../../platform/ids.ts';
import type { StaffAct } from '../../../platform/staff-act.ts';
import { opensAnalystViews } from '../start/demo-analyst.ts';
import { LEARNING_ORGANIZATION } from './households.ts';

const PREFIX = 'learner_';

/** Whether two addresses lead into one database, by whatever role. */
export function isSameDatabase(first: string, second: string): boolean {
  const [a, b] = [new URL(first), new URL(second)];
  return a.host === b.host && a.pathname === b.pathname;
}

/**
 * The address of an account that reads the learning data: that of an earlier run while it opens, else with a new password.
 * Names of accounts belong to the server: a second database of it needs another one.
 */
export async function findOrMakeLearner(
  { ownerUrl, known }: { ownerUrl: string; known: string | undefined },
  act: StaffAct,
): Promise<string> {
  const isOfThis = known !== undefined && isSameDatabase(known, ownerUrl);
  if (isOfThis && (await opensAnalystViews(known))) return known;
  const database = openDatabase({
    url: ownerUrl,
    applicationName: 'voltstream-learn',
    connectionsMax: 1,
    onError: () => {},
  });
  try {
    const organization = LEARNING_ORGANIZATION.id;
    const made = (await analysts({ database }, organization)).find(({ name }) => name.startsWith(PREFIX));
    const account =
      made === undefined
        ? await createAnalyst({ database }, organization, `${PREFIX}${newId('an').slice(-10)}`, act)
        : await rotateAnalyst({ database }, made.name, act);
    return analystAddress(ownerUrl, account);
  } finally {
    await database.close();
  }
}
