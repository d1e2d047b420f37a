import { actorOf, audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { Findings } from '../../platform/errors.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import { instantInUtc, instantMicroseconds } from '../../platform/time/instant.ts';
import { findHeldAsset } from './held-asset.ts';
import { type AssetRow, findChildInUse, updateAsset } from './queries.ts';
import { shownAsset } from './read.ts';
import type { Asset } from './schema.ts';
import { isDeviceType } from './type-data.ts';

type DecommissionRequest = ApiRequest<unknown, { decommissioned_at?: string | undefined }>;

/** Takes a device out of use for good; it stays readable and listed. A repetition changes nothing. */
export async function decommissionAsset(
  deps: Pick<Deps, 'database' | 'clock' | 'changed'>,
  request: DecommissionRequest,
): Promise<Asset> {
  const { organization } = request.principal;
  const row = await deps.database.inOrganization(request.principal, (connection) =>
    endUse(connection, request, deps.clock),
  );
  deps.changed.emit({ organization, object: row.household_id });
  return shownAsset(row);
}

async function endUse(connection: Connection, request: DecommissionRequest, clock: Clock): Promise<AssetRow> {
  const { organization } = request.principal;
  const asset = await findHeldAsset(connection, organization, request.pathId);
  const now = clock.now().toISOString();
  const sent = request.body.decommissioned_at;
  const decommissionedAt = sent === undefined ? now : instantInUtc(sent);

  const findings = new Findings();
  if (!isDeviceType(asset.type)) {
    findings.badRequest('custom', 'asset', "The household's own assets stay as long as the household");
  }
  if (decommissionedAt === null) {
    findings.badRequest('invalid_format', 'decommissioned_at', 'Outside the years 1 to 9999');
  } else if (instantMicroseconds(decommissionedAt) > instantMicroseconds(now)) {
    findings.badRequest('too_big', 'decommissioned_at', `In the future; the server time is ${now}`);
  }
  const isInUse = asset.decommissioned_at === null;
  if (isInUse && asset.type === 'inverter') {
    const child = await findChildInUse(connection, organization, asset.id, ['solar', 'battery']);
    if (child !== undefined) findings.conflict('custom', 'asset', 'Assets in use name this inverter');
  }
  findings.throwIfAny();

  const row = isInUse
    ? await updateAsset(connection, organization, asset.id, {
        decommissioned_at: decommissionedAt,
        updated_at: now,
      })
    : asset;
  await audit(connection, {
    ...actorOf(request),
    act: 'asset.decommission',
    object_id: asset.id,
    result: isInUse ? 'done' : 'unchanged',
  });
  return row;
}
