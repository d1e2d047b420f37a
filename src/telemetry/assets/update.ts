import { actorOf, audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection } from '../../platform/database/db.ts';
import { constraintOf, SQLSTATE, sqlState } from '../../platform/database/pg-errors.ts';
import type { Deps } from '../../platform/deps.ts';
import { type ErrorEntry, Findings, invalidInput } from '../../platform/errors.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import { compiled, entriesOf } from '../../platform/interface/zod.ts';
import { externalIdTaken, takenSentence } from './external-id.ts';
import { findHeldAsset } from './held-asset.ts';
import { checkParentInverter } from './parent-inverter.ts';
import {
  type AssetChanges,
  type AssetRow,
  findAssetByExternalId,
  findChildInUse,
  updateAsset,
} from './queries.ts';
import { shownAsset } from './read.ts';
import type { Asset, ChangedAsset } from './schema.ts';
import { changedTypeData, DEVICE_TYPES, isDeviceType } from './type-data.ts';

type AssetChangeRequest = ApiRequest<unknown, ChangedAsset>;

const EXTERNAL_ID_CONSTRAINT = 'assets_organization_id_external_id_key';

/** Changes what was sent, clears what was sent as null, and leaves the rest. */
export async function changeAsset(
  deps: Pick<Deps, 'database' | 'clock' | 'changed'>,
  request: AssetChangeRequest,
): Promise<Asset> {
  const { organization } = request.principal;
  const row = await deps.database
    .inOrganization(request.principal, (connection) => change(connection, request, deps.clock))
    .catch((error) => asExternalIdConflict(error, request.body.external_id ?? ''));
  deps.changed.emit({ organization, object: row.household_id });
  return shownAsset(row);
}

async function change(connection: Connection, request: AssetChangeRequest, clock: Clock): Promise<AssetRow> {
  const { organization } = request.principal;
  const asset = await findHeldAsset(connection, organization, request.pathId);
  const now = clock.now().toISOString();
  const sent = { ...request.body, ...sentTypeData(asset, request.body) };

  const findings = new Findings();
  if (isDeviceType(asset.type)) await checkDevice(connection, organization, asset, sent, findings);
  else checkHouseholdAsset(asset, request.body, findings);
  findings.badRequests(await request.fixedFields(() => shownAsset(asset)));
  if (asset.decommissioned_at !== null) findings.conflict('custom', 'asset', 'The asset is decommissioned');
  findings.throwIfAny();

  const changes = changesOf(asset, sent);
  const isChanged = Object.keys(changes).length > 0;
  const row = isChanged
    ? await updateAsset(connection, organization, asset.id, { ...changes, updated_at: now })
    : asset;
  await audit(connection, {
    ...actorOf(request),
    act: 'asset.update',
    object_id: asset.id,
    result: isChanged ? 'done' : 'unchanged',
  });
  return row;
}

type SentAsset = Omit<ChangedAsset, (typeof DEVICE_TYPES)[number]> & AssetChanges;

/** The data object of the asset's own type, checked by its schema; those of other types are not looked at. */
function sentTypeData(asset: AssetRow, body: ChangedAsset): AssetChanges {
  const { type } = asset;
  if (!isDeviceType(type)) return {};
  const entries: ErrorEntry[] = [];
  if (type === 'solar' && body.parent_inverter === null) {
    const message = 'A solar array always has an inverter';
    entries.push({ code: 'invalid_type', field: 'parent_inverter', message });
  }
  const data = body[type] === undefined ? {} : body[type];
  const result = compiled(changedTypeData[type]).safeParse(data);
  if (!result.success) {
    for (const entry of entriesOf(result.error.issues, data)) {
      entries.push({ ...entry, field: entry.field === '' ? type : `${type}.${entry.field}` });
    }
  }
  if (entries.length > 0) throw invalidInput(entries);
  return result.success ? result.data : {};
}

async function checkDevice(
  connection: Connection,
  organization: string,
  asset: AssetRow,
  sent: SentAsset,
  findings: Findings,
): Promise<void> {
  const { id, external_id, type, household_id: household } = asset;
  if (sent.external_id !== undefined && sent.external_id !== external_id) {
    if (external_id !== null) {
      findings.badRequest('custom', 'external_id', 'Once set, it cannot change');
    } else if (sent.external_id !== null) {
      const other = await findAssetByExternalId(connection, organization, sent.external_id);
      if (other !== undefined)
        findings.conflict('custom', 'external_id', takenSentence(sent.external_id, other));
    }
  }
  const { parent_inverter } = sent;
  await checkParentInverter(connection, organization, { type, household, parent_inverter }, findings);
  if (asset.hybrid === true && sent.hybrid === false) {
    const battery = await findChildInUse(connection, organization, id, ['battery']);
    if (battery !== undefined)
      findings.badRequest('custom', 'inverter.hybrid', 'A battery names this inverter');
  }
}

/** A client may change these of a device, but not of the household's own assets. */
const DEVICE_FIELDS = ['external_id', 'manufacturer', 'model', 'parent_inverter'] as const;

function checkHouseholdAsset(asset: AssetRow, body: ChangedAsset, findings: Findings): void {
  const changed = [
    ...DEVICE_FIELDS.filter((field) => body[field] !== undefined && body[field] !== asset[field]),
    ...DEVICE_TYPES.filter((type) => body[type] !== undefined),
  ];
  for (const field of changed) {
    findings.badRequest('custom', field, 'Of this asset only display_name can change');
  }
}

const PLAIN_FIELDS = ['external_id', 'display_name', 'manufacturer', 'model', 'parent_inverter'] as const;

function changesOf(asset: AssetRow, sent: SentAsset): AssetChanges {
  const typeFields = isDeviceType(asset.type) ? changedTypeData[asset.type].keyof().options : [];
  const changed = [...PLAIN_FIELDS, ...typeFields].filter(
    (field) => sent[field] !== undefined && sent[field] !== asset[field],
  );
  return Object.fromEntries(changed.map((field) => [field, sent[field]]));
}

/** Two requests gave the same new id at the same moment: the check saw neither, the unique key sees the second. */
function asExternalIdConflict(error: unknown, sent: string): never {
  if (sqlState(error) === SQLSTATE.uniqueViolation && constraintOf(error) === EXTERNAL_ID_CONSTRAINT) {
    throw externalIdTaken(sent);
  }
  throw error;
}
