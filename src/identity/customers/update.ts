import { actorOf, audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { badRequest, notFound } from '../../platform/errors.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import { type CustomerNames, type CustomerRow, lockCustomer, updateCustomerNames } from './queries.ts';
import type { ChangedCustomer, Customer } from './schema.ts';
import { assertNotErased, shownCustomerRow } from './service.ts';

type CustomerChangeRequest = ApiRequest<unknown, ChangedCustomer>;

/** Changes the names that were sent and leaves the rest. */
export async function changeCustomer(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  request: CustomerChangeRequest,
): Promise<Customer> {
  const row = await database.inOrganization(request.principal, (connection) =>
    change(connection, request, clock),
  );
  return shownCustomerRow(row);
}

async function change(
  connection: Connection,
  request: CustomerChangeRequest,
  clock: Clock,
): Promise<CustomerRow> {
  const { organization } = request.principal;
  const customer = await lockCustomer(connection, organization, request.pathId);
  if (customer === undefined) throw notFound();
  /* Read behind the lock: of two changes the later one has the later instant. */
  const now = clock.now().toISOString();
  const { body } = request;
  const problems = await request.fixedFields(() => shownCustomerRow(customer));
  if (customer.type === 'person' && body.company_name !== undefined) {
    problems.unshift({ code: 'custom', field: 'company_name', message: 'A person has no company name' });
  }
  if (problems.length > 0) throw badRequest(problems);
  assertNotErased(customer, 'customer');
  const names = changedNames(customer, body);
  const isChanged = Object.keys(names).length > 0;
  const row = isChanged
    ? await updateCustomerNames(connection, organization, customer.id, { ...names, updated_at: now })
    : customer;
  await audit(connection, {
    ...actorOf(request),
    act: 'customer.update',
    object_id: customer.id,
    result: isChanged ? 'done' : 'unchanged',
  });
  return row;
}

const NAMES = ['first_name', 'last_name', 'company_name'] as const;

function changedNames(customer: CustomerRow, sent: ChangedCustomer): CustomerNames {
  const changed = NAMES.filter((name) => sent[name] !== undefined && sent[name] !== customer[name]);
  return Object.fromEntries(changed.map((name) => [name, sent[name]]));
}
