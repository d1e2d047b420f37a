import { assertCustomerNotErased } from '../../identity/customers/service.ts';
import { holdHousehold, MISSING_HOUSEHOLD } from '../../identity/households/service.ts';
import { actorOf, audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { badRequest, Findings } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { once, type ReplayedAnswer } from '../../platform/interface/idempotency.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import { externalIdTaken } from './external-id.ts';
import { checkParentInverter } from './parent-inverter.ts';
import { findAssetByExternalId, findAssetOfType, insertAsset } from './queries.ts';
import { shownAsset } from './read.ts';
import type { Asset, NewAsset } from './schema.ts';
import { HOUSEHOLD_ASSET_TYPES } from './type-data.ts';

type NewAssetRequest = ApiRequest<unknown, NewAsset>;

/** Adds a device. The first one of a household brings the household's own two assets with it. */
export async function createAsset(
  deps: Pick<Deps, 'database' | 'clock' | 'changed'>,
  request: NewAssetRequest,
): Promise<Asset | ReplayedAnswer> {
  const { organization } = request.principal;
  const now = deps.clock.now();
  const asset = await deps.database.inOrganization(request.principal, (connection) =>
    once(connection, request.principal, request.idempotency, now, () =>
      addDevice(connection, request, deps.clock),
    ),
  );
  deps.changed.emit({ organization, object: request.body.household });
  return asset;
}

async function addDevice(connection: Connection, request: NewAssetRequest, clock: Clock): Promise<Asset> {
  const { organization } = request.principal;
  const { body } = request;
  const household = await holdHousehold(connection, organization, body.household);
  if (household === undefined) {
    const message = 'The household is missing or unknown';
    throw badRequest([{ code: MISSING_HOUSEHOLD, field: 'household', message }]);
  }
  const now = clock.now().toISOString();

  const findings = new Findings();
  await checkParentInverter(connection, organization, body, findings);
  findings.throwIfAny();
  await assertCustomerNotErased(connection, organization, household.customer_id, 'household');

  const place = { household_id: household.id, customer_id: household.customer_id };
  const moments = { created_at: now, updated_at: now };
  const inserted = await insertAsset(connection, organization, {
    id: newId('ast'),
    ...place,
    type: body.type,
    external_id: body.external_id ?? null,
    display_name: body.display_name ?? null,
    manufacturer: body.manufacturer ?? null,
    model: body.model ?? null,
    parent_inverter: body.parent_inverter ?? null,
    ...typeColumns(body),
    ...moments,
  });
  if (inserted === undefined) {
    const taken = body.external_id ?? '';
    throw externalIdTaken(taken, await findAssetByExternalId(connection, organization, taken));
  }

  const hasOwnAssets = await findAssetOfType(connection, organization, household.id, 'household_net');
  if (hasOwnAssets === undefined) {
    for (const type of HOUSEHOLD_ASSET_TYPES) {
      await insertAsset(connection, organization, { id: newId('ast'), ...place, type, ...moments });
    }
  }
  await audit(connection, {
    ...actorOf(request),
    act: 'asset.create',
    object_id: inserted.id,
    result: 'done',
  });
  return shownAsset(inserted);
}

/** The data object of the asset's own type is the set of its columns. */
function typeColumns(body: NewAsset) {
  switch (body.type) {
    case 'inverter':
      return body.inverter;
    case 'solar':
      return body.solar;
    case 'battery':
      return body.battery;
    case 'wallbox':
      return body.wallbox;
    case 'heat_pump':
      return body.heat_pump;
  }
}
