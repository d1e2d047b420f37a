import { audit } from '../../platform/audit.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { conflict } from '../../platform/errors.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import type { AddressRules } from '../requests/address.ts';
import type { Topic } from '../topic.ts';
import { shownSettings } from './locked.ts';
import {
  countEndpoints,
  type EndpointRow,
  insertEndpoint,
  lockEndpointCount,
  type NewEndpointRow,
  newEndpointId,
} from './queries.ts';
import { checkedEndpoint, checkedListener, type NewEndpointInput, type NewListenerInput } from './schema.ts';
import { newSecret, sealSecret } from './secret.ts';

/**
 * Of one organization. Each event is written once for each endpoint, in one transaction for up to 50 events, and the
 * lane of failing endpoints serves 16 of an organization at a time: more endpoints would make one organization's change
 * cost what others wait for. An organization with more receivers forwards events by a program of its own.
 */
const ENDPOINTS_MAX: Readonly<Record<EndpointRow['kind'], number>> = { address: 50, listener: 10 };

export interface EndpointDeps {
  readonly database: Database;
  readonly config: { readonly ENCRYPTION_KEY: string };
  readonly rules: AddressRules;
  /** All there are: a receiver names some of them. */
  readonly topics: readonly Topic[];
}

export interface CreatedEndpoint {
  readonly endpoint: EndpointRow;
  /** Shown this once. */
  readonly secret: string;
}

/** A receiver at an address. It hears what happens from now on. */
export async function createEndpoint(
  deps: EndpointDeps,
  organization: string,
  input: NewEndpointInput,
  act: StaffAct,
): Promise<CreatedEndpoint> {
  const fields = await checkedEndpoint(input, deps);
  const id = newEndpointId();
  const secret = newSecret();
  const row = { ...fields, id, kind: 'address' as const, created_at: act.now };
  const sealed = sealSecret(deps.config.ENCRYPTION_KEY, id, secret);
  const endpoint = await insert(deps.database, organization, { ...row, secret: sealed }, act);
  return { endpoint, secret: secret.text };
}

/** A developer's command line: it takes its deliveries by itself and keeps its secret to itself. */
export async function createListener(
  { database, topics }: Pick<EndpointDeps, 'database' | 'topics'>,
  organization: string,
  input: NewListenerInput,
  act: StaffAct,
): Promise<EndpointRow> {
  const fields = await checkedListener(input, { topics });
  const none = { url: null, contact_email: null, secret: null };
  const row = { ...fields, ...none, id: newEndpointId(), kind: 'listener' as const, created_at: act.now };
  return await insert(database, organization, row, act);
}

async function insert(
  database: Database,
  organization: string,
  row: NewEndpointRow,
  act: StaffAct,
): Promise<EndpointRow> {
  return await database.inOrganization({ organization }, async (connection) => {
    await refuseTooMany(connection, organization, row.kind);
    const endpoint = await insertEndpoint(connection, organization, row);
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'webhook_endpoint.create',
      object_id: row.id,
      after: shownSettings(endpoint),
    });
    return endpoint;
  });
}

async function refuseTooMany(connection: Connection, organization: string, kind: EndpointRow['kind']) {
  await lockEndpointCount(connection, organization);
  const max = ENDPOINTS_MAX[kind];
  if ((await countEndpoints(connection, organization, kind)) < max) return;
  const what = kind === 'address' ? 'webhook endpoints' : 'listeners';
  const message = `The organization has ${max} ${what} already, which is the most: delete one`;
  throw conflict([{ code: 'custom', field: 'organization', message }]);
}
