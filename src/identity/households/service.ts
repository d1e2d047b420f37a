import { audit } from '../../platform/audit.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { badRequest, notFound } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { newestRows, pageHandler } from '../../platform/interface/newest-first.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import { entriesOf } from '../../platform/interface/zod.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { auditLook, type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { createAddress, shownAddress } from '../addresses/service.ts';
import {
  assertCustomerNotErased,
  assertNotErased,
  createCustomer,
  holdCustomer,
  shownCustomer,
} from '../customers/service.ts';
import {
  findHousehold,
  type HouseholdRow,
  insertHousehold,
  listHouseholds,
  lockHousehold,
  updateHousehold,
  updateHouseholdJoined,
} from './queries.ts';
import { type Household, type HouseholdListItem, type NewHousehold, newHousehold } from './schema.ts';

export const MISSING_HOUSEHOLD = ruleCode('missing_household', 'The household is unknown');

export async function getHousehold(deps: Pick<Deps, 'database'>, request: ApiRequest): Promise<Household> {
  const { organization, customer } = request.principal;
  const id = request.pathId;
  return deps.database.inOrganization(request.principal, async (connection) => {
    const row = await findHousehold(connection, organization, customer, id);
    if (row === undefined) throw notFound();
    return {
      ...shownFieldsOf(row),
      customer: await shownCustomer(connection, organization, row.customer_id),
      address: row.address_id === null ? null : await shownAddress(connection, organization, row.address_id),
    };
  });
}

export const getHouseholds = pageHandler(
  listHouseholds,
  (row): HouseholdListItem => ({
    ...shownFieldsOf(row),
    customer: row.customer_id,
    address: row.address_id,
  }),
);

function shownFieldsOf({ id, display_name, created_at, updated_at }: HouseholdRow) {
  return { object: 'household' as const, id, display_name, created_at, updated_at };
}

/** The household as far as its devices need it, for this transaction alone; undefined when there is none. */
export async function holdHousehold(
  connection: Connection,
  organization: string,
  id: string,
): Promise<{ id: string; customer_id: string } | undefined> {
  return isId(id) ? lockHousehold(connection, organization, id) : undefined;
}

/** A new household of a customer at an address. */
export async function openHousehold(
  connection: Connection,
  organization: string,
  household: { customer: string; address: string | null; display_name?: string | null; now: string },
): Promise<string> {
  const { customer, address, display_name = null, now } = household;
  const id = newId('dom');
  const times = { created_at: now, updated_at: now };
  await insertHousehold(connection, organization, {
    id,
    customer_id: customer,
    address_id: address,
    display_name,
    ...times,
  });
  return id;
}

/** A household moves to the delivery address of the contract that joins it. */
export function joinHousehold(
  connection: Connection,
  organization: string,
  id: string,
  joined: { address: string; now: string },
): Promise<void> {
  const { address, now } = joined;
  return updateHouseholdJoined(connection, organization, id, { address_id: address, updated_at: now });
}

/** A household with what was created for it. */
export interface CreatedHousehold {
  household: string;
  customer: string;
  address: string | null;
}

/** Creates a household of a new or of a known customer, with its address. */
export async function createHousehold(
  database: Database,
  organization: string,
  input: NewHousehold,
  act: StaffAct,
): Promise<CreatedHousehold> {
  const checked = newHousehold.safeParse(input);
  if (!checked.success) throw badRequest(entriesOf(checked.error.issues, input));
  const { customer, address, display_name } = checked.data;
  const { now } = act;
  return database.inOrganization({ organization }, async (connection) => {
    const customerId = await customerOf(connection, organization, customer, now);
    const addressId =
      address === null ? null : await createAddress(connection, organization, customerId, address, now);
    const created = { customer: customerId, address: addressId, display_name, now };
    const id = await openHousehold(connection, organization, created);
    await audit(connection, { ...staffOf(act, organization), act: 'household.create', object_id: id });
    return { household: id, customer: customerId, address: addressId };
  });
}

/** What the operator calls a household to tell it from others of its customer; null: nothing. */
export async function renameHousehold(
  database: Database,
  organization: string,
  id: string,
  display_name: string | null,
  act: StaffAct,
): Promise<{ household: string; display_name: string | null }> {
  const checked = newHousehold.shape.display_name.safeParse(display_name);
  if (!checked.success)
    throw badRequest(
      entriesOf(checked.error.issues, display_name).map((entry) => ({ ...entry, field: 'display_name' })),
    );
  return database.inOrganization({ organization }, async (connection) => {
    const held = await holdHousehold(connection, organization, id);
    if (held === undefined) throw notFound();
    await assertCustomerNotErased(connection, organization, held.customer_id, 'household');
    const row = await findHousehold(connection, organization, undefined, id);
    const isChanged = row?.display_name !== checked.data;
    if (isChanged) {
      const fields = { display_name: checked.data, updated_at: act.now };
      await updateHousehold(connection, organization, id, fields);
    }
    const result = isChanged ? 'done' : 'unchanged';
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'household.rename',
      object_id: id,
      result,
    });
    return { household: id, display_name: checked.data };
  });
}

/** The newest households of an organization, for the operator. They lead to customers: who looked at whose is kept. */
export function newestHouseholds(
  database: Database,
  organization: string,
  limit: number,
  act: StaffAct,
): Promise<HouseholdRow[]> {
  return database.inOrganization({ organization }, async (connection) => {
    const rows = await newestRows({}, limit, (list) =>
      listHouseholds(connection, organization, undefined, list),
    );
    /* One of them says only that there are more. */
    const shown = rows.slice(0, limit - 1).map(({ customer_id }) => customer_id);
    await auditLook(connection, act, organization, shown);
    return rows;
  });
}

async function customerOf(
  connection: Connection,
  organization: string,
  customer: NewHousehold['customer'],
  now: string,
): Promise<string> {
  if (typeof customer !== 'string') return createCustomer(connection, organization, customer, now);
  const known = await holdCustomer(connection, organization, customer);
  if (known === undefined) {
    throw badRequest([{ code: 'custom', field: 'customer', message: 'The customer is unknown' }]);
  }
  assertNotErased(known, 'customer');
  return known.id;
}
