import { type JsonText, PARSED_AT_ONCE_BYTES_MAX } from '../../platform/body/json-text.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import { isDatabaseUnavailable } from '../../platform/database/pg-errors.ts';
import { badRequest, type ErrorEntry, Failure, unknownReference } from '../../platform/errors.ts';
import { type FairQueue, inPieces, ownPiece } from '../../platform/fair-queue.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import type { Principal, Tenant } from '../../platform/principal.ts';
import { instantFromMicroseconds } from '../../platform/time/instant.ts';
import type { AssetMap } from './asset-map.ts';
import { type Batch, type BatchVerdict, readBatch, scanBatch } from './batch.ts';
import { contradictionsOf } from './comparison.ts';
import { contradictionEntries } from './contradictions.ts';
import type { HouseholdAssets, KnownAssets } from './known-assets.ts';
import { findReadableHousehold, type NamedAssets } from './queries.ts';
import { readOpening } from './scan.ts';
import { readFrame, type SnapshotBatchResult } from './schema.ts';
import { type TimeLimits, timeLimits } from './time-limits.ts';
import type { SnapshotWriter } from './writer.ts';

/** 1 ms: more are told in a turn of their caller. */
const CONTRADICTIONS_AT_ONCE_MAX = 1_000;

/** A batch that was sent. */
export interface SentBatch extends Pick<ApiRequest, 'caller' | 'takeJson' | 'signal'> {
  readonly principal: Tenant | Principal;
}

export interface SnapshotStore {
  readonly clock: Clock;
  readonly queue: FairQueue;
  /** 0: without limit. */
  readonly retentionMonths: number;
  readonly knownAssets: KnownAssets;
  /** Where all stored rows are seen. */
  readonly database: Pick<Database, 'withClient' | 'inOrganization'>;
  readonly writer: SnapshotWriter;
  /** Counts batches that were right and yet had to be parsed. */
  readonly parsedBatches: { inc(): void };
}

/**
 * Stores a batch entirely or not at all. Whoever gets an answer without an error has every row on disk. The body is
 * taken inside, so that nothing here holds it during the wait for the database.
 */
export async function storeSnapshots(store: SnapshotStore, sent: SentBatch): Promise<SnapshotBatchResult> {
  const { queue, writer } = store;
  const { household, batch } = await accept(store, sent, sent.takeJson());
  const written = await writer.write(queue.account(sent.caller), batch, sent.signal);
  if ('contradictions' in written) {
    const { contradictions } = written;
    const isHidden = await isHouseholdHidden(store, sent, household);
    const tell = () => inPieces(contradictionEntries(batch, contradictions, { isHidden }));
    const isLong = contradictions.length > CONTRADICTIONS_AT_ONCE_MAX;
    throw badRequest(await (isLong ? queue.inTurn(sent.caller, tell) : tell()));
  }
  return {
    object: 'asset_snapshot_batch',
    household,
    start: instantFromMicroseconds(batch.start),
    end: instantFromMicroseconds(batch.end),
    total: batch.total,
    stored: written.stored,
    duplicates: batch.total - written.stored,
  };
}

interface AcceptedBatch {
  readonly household: string;
  readonly batch: Batch;
}

/** The assets of a household as they were found for this request. */
interface FoundHousehold {
  readonly household: string;
  readonly map: HouseholdAssets;
  readonly isFresh: boolean;
}

/** Everything that can be refused without looking at stored rows. Nearly all bodies are never parsed. */
async function accept(store: SnapshotStore, sent: SentBatch, json: JsonText): Promise<AcceptedBatch> {
  const limits = timeLimits(store.clock.nowMilliseconds(), store.retentionMonths);
  const opening = readOpening(json.bytes);
  if (opening === null) return acceptInTurn(store, sent, json, limits, null);
  const found = await find(store.knownAssets, sent.principal, opening.household);
  const { map } = found;
  const begunAt = performance.now();
  const batch = map === null || map === 'many' ? null : scanBatch(json.bytes, opening.rowsAt, map, limits);
  store.queue.charge(store.queue.account(sent.caller), performance.now() - begunAt);
  if (batch === null) return acceptInTurn(store, sent, json, limits, found);
  json.discard();
  return { household: opening.household, batch };
}

async function find(knownAssets: KnownAssets, tenant: Tenant, household: string): Promise<FoundHousehold> {
  return { household, ...(await knownAssets.find(tenant, household)) };
}

/** For bodies in which something is wrong, or that are spelled in an unusual way: a large one waits for its turn. */
function acceptInTurn(
  store: SnapshotStore,
  sent: SentBatch,
  json: JsonText,
  limits: TimeLimits,
  before: FoundHousehold | null,
): Promise<AcceptedBatch> {
  const accept = async () => {
    await ownPiece();
    return await acceptParsed(store, sent, json.parse(), limits, before);
  };
  return json.bytes.length > PARSED_AT_ONCE_BYTES_MAX ? store.queue.inTurn(sent.caller, accept) : accept();
}

async function acceptParsed(
  store: SnapshotStore,
  sent: SentBatch,
  body: unknown,
  limits: TimeLimits,
  before: FoundHousehold | null,
): Promise<AcceptedBatch> {
  const { knownAssets, parsedBatches } = store;
  const tenant = sent.principal;
  const { household, rows, entries } = readFrame(body);
  if (household === null) {
    const verdict = await inPieces(readBatch(rows, null, limits));
    throw badRequest([...entries, ...verdict.problems.entries()]);
  }
  /*
   * The household may differ from the one found in the bytes: in JSON that repeats a key, the bytes give the first
   * value, the parser the last.
   */
  const found = before?.household === household ? before : await find(knownAssets, tenant, household);
  const { map, verdict } = await judge(knownAssets, tenant, found, rows, limits);
  const isShapeRight = entries.length === 0 && !verdict.problems.hasShapeProblem;
  if (map === null && isShapeRight) throw unknownReference('household', 'household');
  if (entries.length === 0 && verdict.batch !== null) {
    parsedBatches.inc();
    return { household, batch: verdict.batch };
  }
  throw badRequest([...entries, ...(await allEntriesOf(store, sent, household, verdict))]);
}

/**
 * One answer names everything: also what contradicts stored rows, which only good batches would meet at being written. The look
 * waits for its caller's turn, so that many bad batches take the database from nobody. A short one: that of a large batch is
 * part of the turn in which it was parsed. Where too many wait already, the rest is told, and the database is asked only whether
 * the customer is restricted: one look into an index.
 */
async function allEntriesOf(
  store: SnapshotStore,
  sent: SentBatch,
  household: string,
  { comparable, problems }: BatchVerdict,
): Promise<readonly ErrorEntry[]> {
  const { caller, principal, signal } = sent;
  const isHidden = () => isHouseholdHidden(store, sent, household);
  if (comparable === null && !problems.tellsStored) return problems.entries();
  const look = async () => {
    const compared = comparable === null ? null : { sender: principal, batch: comparable };
    const contradictions = compared === null ? [] : await contradictionsOf(store.database, compared);
    const tellsStored = contradictions.length > 0 || problems.tellsStored;
    return { contradictions, isHidden: tellsStored && (await isHidden()) };
  };
  try {
    const isGone = () => signal.aborted;
    const { contradictions, ...found } = await store.queue.inTurn(caller, look, { length: 'short', isGone });
    if (comparable === null) return problems.entries(found.isHidden);
    return await inPieces(contradictionEntries(comparable, contradictions, { ...found, problems }));
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const mayAsk = error instanceof Failure && !signal.aborted;
    return problems.entries(problems.tellsStored && (!mayAsk || (await isHidden())));
  } finally {
    comparable?.encoded.recycle();
  }
}

/**
 * Whether a refusal names no stored value: the customer is restricted (Art. 18 GDPR), or nobody can say. Rows are stored and
 * compared as ever, so this is asked where something is refused, which is rare.
 */
async function isHouseholdHidden(
  { database }: SnapshotStore,
  { principal }: SentBatch,
  household: string,
): Promise<boolean> {
  try {
    return !(await database.inOrganization(principal, (connection) =>
      findReadableHousehold(connection, principal.organization, household),
    ));
  } catch (error) {
    if (isUnavailable(error)) return true;
    throw error;
  }
}

const isUnavailable = (error: unknown) => error instanceof Failure || isDatabaseUnavailable(error);

/** A refusal that rests on a remembered asset map is asked again of a fresh one: the asset may be new. */
async function judge(
  knownAssets: KnownAssets,
  tenant: Tenant,
  { household, map, isFresh }: FoundHousehold,
  rows: readonly unknown[],
  limits: TimeLimits,
): Promise<{ map: AssetMap | null; verdict: BatchVerdict }> {
  const mapOf = async (found: HouseholdAssets) =>
    found === 'many' ? await knownAssets.findNamed(tenant, household, namesIn(rows)) : found;
  if (map === 'many') {
    const named = await mapOf(map);
    return { map: named, verdict: await inPieces(readBatch(rows, named, limits)) };
  }
  const verdict = await inPieces(readBatch(rows, map, limits));
  if (isFresh || !verdict.problems.restsOnAssetMap) return { map, verdict };
  const fresh = await mapOf(await knownAssets.findFresh(tenant, household));
  return { map: fresh, verdict: await inPieces(readBatch(rows, fresh, limits)) };
}

/** The names of assets in the rows, whatever else is wrong with them. No text of the database holds a NUL. */
function namesIn(rows: readonly unknown[]): NamedAssets {
  const [ids, externalIds] = [new Set<string>(), new Set<string>()];
  const isText = (name: unknown): name is string => typeof name === 'string' && !name.includes('\0');
  for (const row of rows) {
    const { asset, external_id } = (row ?? {}) as { asset?: unknown; external_id?: unknown };
    if (isText(asset)) ids.add(asset);
    if (isText(external_id)) externalIds.add(external_id);
  }
  return { ids: [...ids], externalIds: [...externalIds] };
}
