import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { pageOf } from '../../platform/interface/newest-first.ts';
import type { ApiRequest, Page } from '../../platform/interface/route.ts';
import { findCustomer, listCustomers } from './queries.ts';
import type { Customer } from './schema.ts';
import { shownCustomerRow } from './service.ts';

export async function getCustomers(
  { database }: Pick<Deps, 'database'>,
  request: ApiRequest,
): Promise<Page<Customer>> {
  const { organization } = request.principal;
  const { list } = request;
  const rows = await database.inOrganization(request.principal, (connection) =>
    listCustomers(connection, organization, list),
  );
  return pageOf(rows, list, shownCustomerRow);
}

export async function getCustomer(
  { database }: Pick<Deps, 'database'>,
  request: ApiRequest,
): Promise<Customer> {
  const { organization, customer } = request.principal;
  const id = request.pathId;
  if (customer !== undefined && customer !== id) throw notFound();
  const row = await database.inOrganization(request.principal, (connection) =>
    findCustomer(connection, organization, id),
  );
  if (row === undefined) throw notFound();
  return shownCustomerRow(row);
}
