import type { ServiceConfig } from '../../../config/config.ts';
import { createConsoleUser, newestConsoleUsers } from '../../../identity/console-users/service.ts';
import { createHousehold } from '../../../identity/households/service.ts';
import { clientWithSecrets, createClient, updateClient } from '../../../identity/oauth/clients/clients.ts';
import { createOrganization, organization } from '../../../identity/organizations/service.ts';
import { systemClock } from '../../../platform/clock.ts';
import { type Database, openDatabase } from '../../../platform/database/db.ts';
import { Failure } from '../../../platform/errors.ts';
import type { StaffAct } from '../../../platform/staff-act.ts';
import type { StartFacts } from '../../local/facts.ts';
import { readJsonFile, startFiles } from '../../local/folder.ts';

/** The demo organization with its client and households; their devices come through the interface. */
export type Demo = Pick<
  StartFacts,
  'organization' | 'client_id' | 'client_secret' | 'redirect_uri' | 'household' | 'fleet_households'
>;

const FLEET_HOUSEHOLDS = 20;
/** Numbers that no load run reaches. */
const RATE = { rate_per_second: 100_000, rate_burst: 100_000 };

/** Customer of the demo household, and user of the demo's console; the console's codes are apart from the customer's. */
export const DEMO_EMAIL = 'demo@example.org';
/** More than anybody makes by hand. */
const CONSOLE_USERS_MAX = 1_000;

/** Finds what an earlier start created, or creates it. */
export async function findOrCreateDemo(
  config: ServiceConfig,
  redirectUri: string,
): Promise<{ demo: Demo; isNew: boolean }> {
  const database = openDatabase({
    url: config.DATABASE_URL,
    applicationName: 'voltstream-start',
    connectionsMax: 2,
    onError: () => {},
  });
  try {
    const known = await readJsonFile<StartFacts>(startFiles.facts);
    if (known === null || !(await isStored(database, known))) {
      const demo = await createDemo(database, config, redirectUri);
      await ensureConsoleUser(database, demo.organization);
      return { demo, isNew: true };
    }
    await ensureConsoleUser(database, known.organization);
    if (known.redirect_uri !== redirectUri) {
      await updateClient(database, known.client_id, { redirect_uris: [redirectUri] }, startAct());
    }
    return { demo: { ...known, redirect_uri: redirectUri }, isNew: false };
  } finally {
    await database.close();
  }
}

/** The facts may be older than the database: after a reset nothing of them is there. */
async function isStored(database: Database, facts: StartFacts): Promise<boolean> {
  try {
    await organization(database, facts.organization);
    await clientWithSecrets(database, facts.client_id);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

/** An address belongs to one organization: that of an earlier demo in the same database keeps it. */
async function ensureConsoleUser(database: Database, organization: string): Promise<void> {
  const users = await newestConsoleUsers(database, organization, CONSOLE_USERS_MAX);
  if (users.some(({ email }) => email === DEMO_EMAIL)) return;
  try {
    await createConsoleUser(database, organization, DEMO_EMAIL, startAct());
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'CONFLICT') throw error;
  }
}

export function startAct(): StaffAct {
  return {
    staff: 'npm start',
    reason: 'demo organization of a local start',
    command: 'start',
    now: systemClock().now().toISOString(),
  };
}

async function createDemo(database: Database, config: ServiceConfig, redirectUri: string): Promise<Demo> {
  const act = startAct();
  const created = await createOrganization(database, { name: 'Demo', forecast_enabled: true }, act);
  const { client, client_secret } = await createClient(
    { database, config },
    created.id,
    { display_name: 'Demo', redirect_uris: [redirectUri], ...RATE },
    act,
  );
  if (client_secret === null) throw new Error('The demo client has no secret');
  const household = await createDemoHousehold(database, created.id, 0, act);
  const fleet_households: string[] = [];
  for (let number = 1; number <= FLEET_HOUSEHOLDS; number += 1) {
    fleet_households.push(await createDemoHousehold(database, created.id, number, act));
  }
  return {
    organization: created.id,
    client_id: client.id,
    client_secret,
    redirect_uri: redirectUri,
    household,
    fleet_households,
  };
}

async function createDemoHousehold(database: Database, organization: string, number: number, act: StaffAct) {
  const isFleet = number > 0;
  const created = await createHousehold(
    database,
    organization,
    {
      customer: {
        type: 'person',
        first_name: isFleet ? 'Fleet' : 'Demo',
        last_name: isFleet ? `Household ${number}` : 'Household',
        email: isFleet ? `fleet-${number}@example.org` : DEMO_EMAIL,
      },
      address: { street: 'Ackerstraße', house_number: String(number + 1), zip: '10115', city: 'Berlin' },
      display_name: isFleet ? `Fleet ${number}` : 'Demo household',
    },
    act,
  );
  return created.household;
}
