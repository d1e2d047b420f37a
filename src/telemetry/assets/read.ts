import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { pageOf } from '../../platform/interface/newest-first.ts';
import type { ApiRequest, Page } from '../../platform/interface/route.ts';
import { findAsset, listAssets } from './queries.ts';
import type { Asset } from './schema.ts';
import { shownAsset } from './shown.ts';

export async function getAsset(deps: Pick<Deps, 'database'>, request: ApiRequest): Promise<Asset> {
  const { organization, customer } = request.principal;
  const id = request.pathId;
  const row = await deps.database.inOrganization(request.principal, (connection) =>
    findAsset(connection, organization, customer, id),
  );
  if (row === undefined) throw notFound();
  return shownAsset(row);
}

export async function getAssets(deps: Pick<Deps, 'database'>, request: ApiRequest): Promise<Page<Asset>> {
  const { organization, customer } = request.principal;
  const { list } = request;
  const rows = await deps.database.inOrganization(request.principal, (connection) =>
    listAssets(connection, organization, customer, list),
  );
  return pageOf(rows, list, shownAsset);
}
