import type { z } from 'zod';
import { audit } from '../../../platform/audit.ts';
import type { Connection, Database } from '../../../platform/database/db.ts';
import { SQLSTATE, sqlState } from '../../../platform/database/pg-errors.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { entriesOf } from '../../../platform/interface/zod.ts';
import { keyedHash } from '../../../platform/keyed-hash.ts';
import type { Scope } from '../../../platform/principal.ts';
import { type StaffAct, staffOf } from '../../../platform/staff-act.ts';
import { assertCustomerNotErased, assertNotErased, holdCustomer } from '../../customers/service.ts';
import { searchableId } from '../protocol/parameters.ts';
import { newClientSecret } from '../protocol/secrets.ts';
import { findClient } from './live-queries.ts';
import {
  type ClientFields,
  type ClientRow,
  insertClient,
  insertSecret,
  listClients,
  listSecrets,
  lockClient,
  type SecretRow,
  updateClientFields,
} from './queries.ts';
import { type ClientChange, changedClient, clientChange, type NewClientInput, newClient } from './schema.ts';

const READ_ONLY: Scope[] = ['read:*'];
const FULL_ACCESS: Scope[] = ['read:*', 'write:*'];

export interface ClientDeps {
  readonly database: Database;
  readonly config: { readonly SECRET_PEPPER: string };
}

export interface CreatedClient {
  client: ClientRow;
  /** Exists nowhere else: the database has its hash. Null for a public client. */
  client_secret: string | null;
}

/** Registers a client of the organization. */
export async function createClient(
  deps: ClientDeps,
  organization: string,
  input: NewClientInput,
  act: StaffAct,
): Promise<CreatedClient> {
  const { read_only, ...fields } = checked(newClient, input);
  const id = newId('oac');
  const secret = fields.public ? null : newClientSecret();
  const row = {
    ...fields,
    id,
    role: fields.customer_id === null ? ('organization' as const) : ('customer' as const),
    scopes: read_only ? READ_ONLY : FULL_ACCESS,
    created_at: act.now,
    updated_at: act.now,
  };
  const client = await deps.database.inOrganization({ organization }, async (connection) => {
    if (fields.customer_id !== null) {
      const customer = await holdCustomer(connection, organization, fields.customer_id);
      if (customer !== undefined) assertNotErased(customer, 'customer_id');
    }
    const inserted = await insertClient(connection, organization, row).catch((error: unknown) => {
      if (sqlState(error) !== SQLSTATE.foreignKeyViolation) throw error;
      const field = fields.customer_id === null ? 'organization' : 'customer_id';
      throw badRequest([{ code: 'custom', field, message: 'There is no such organization or customer' }]);
    });
    if (secret !== null) {
      const hash = keyedHash(deps.config.SECRET_PEPPER, 'client-secret', secret);
      await insertSecret(connection, organization, { client_id: id, secret_hash: hash, created_at: act.now });
    }
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'client.create',
      object_id: id,
      after: securitySettings(inserted),
    });
    return inserted;
  });
  return { client, client_secret: secret };
}

/** The clients of one organization, newest first. */
export async function clientsOf(database: Database, organization: string): Promise<ClientRow[]> {
  return await database.inOrganization({ organization }, (connection) =>
    listClients(connection, organization),
  );
}

export async function clientWithSecrets(
  database: Database,
  id: string,
): Promise<{ client: ClientRow; secrets: SecretRow[] }> {
  return await withClient(database, id, async (connection, client) => ({
    client,
    secrets: await listSecrets(connection, client.organization_id, id),
  }));
}

/** Changes what may be changed; the client must be as consistent afterwards as a new one. */
export async function updateClient(
  database: Database,
  id: string,
  change: ClientChange,
  act: StaffAct,
): Promise<ClientRow> {
  const fields = checked(clientChange, change) as Partial<ClientFields>;
  return await withClient(database, id, async (connection, before) => {
    checked(changedClient, { ...before, ...fields });
    return await storeChange(connection, before, fields, { ...act, act: 'client.update' });
  });
}

/** A client that is switched off gets no token, and its access tokens die within 5 seconds. */
export async function setClientDisabled(
  database: Database,
  id: string,
  disabled: boolean,
  act: StaffAct,
): Promise<ClientRow> {
  return await withClient(database, id, async (connection, before) => {
    if ((before.disabled_at !== null) === disabled) return before;
    if (!disabled && before.customer_id !== null) {
      await assertCustomerNotErased(connection, before.organization_id, before.customer_id, 'client');
    }
    const name = disabled ? 'client.disable' : 'client.enable';
    return await storeChange(
      connection,
      before,
      { disabled_at: disabled ? act.now : null },
      { ...act, act: name },
    );
  });
}

/** Finds the client's organization, opens its transaction and locks the client; unknown: not found. */
export async function withClient<Result>(
  database: Database,
  id: string,
  work: (connection: Connection, client: ClientRow) => Promise<Result>,
): Promise<Result> {
  const found = await database.asService((connection) => findClient(connection, searchableId(id)));
  if (found === undefined) throw notFound();
  const organization = found.organization_id;
  return await database.inOrganization({ organization }, async (connection) => {
    const client = await lockClient(connection, organization, id);
    if (client === undefined) throw notFound();
    return await work(connection, client);
  });
}

async function storeChange(
  connection: Connection,
  before: ClientRow,
  fields: Partial<ClientFields>,
  act: StaffAct & { act: string },
): Promise<ClientRow> {
  const { id, organization_id: organization } = before;
  const after = await updateClientFields(connection, organization, id, { ...fields, updated_at: act.now });
  await audit(connection, {
    ...staffOf(act, organization),
    act: act.act,
    object_id: id,
    before: securitySettings(before),
    after: securitySettings(after),
  });
  return after;
}

/** What decides who may do what; names stay out of the audit log. */
function securitySettings(client: ClientRow) {
  const { redirect_uris, redirect_rule, role, customer_id, scopes, grants } = client;
  const { third_party, s256_only, version, rate_per_second, rate_burst, disabled_at } = client;
  return {
    ...{ redirect_uris, redirect_rule, role, customer_id, scopes, grants, public: client.public },
    ...{ third_party, s256_only, version, rate_per_second, rate_burst, disabled_at },
  };
}

function checked<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (!result.success) throw badRequest(entriesOf(result.error.issues, input));
  return result.data;
}
