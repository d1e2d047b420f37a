import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { DeliveryDay, Zone } from '../calendar.ts';
import type { FetchOutcome } from '../providers/exchange.ts';
import { publicationSource, type SourceName } from '../providers/index.ts';

const compress = promisify(zstdCompress);

/** One attempt as it is kept. */
export interface FetchRecord {
  readonly source: SourceName;
  readonly zone: Zone;
  readonly deliveryFrom: DeliveryDay;
  readonly deliveryTo: DeliveryDay;
  /** Without a token; the name of the file where it was imported. */
  readonly url: string;
  readonly requestedAt: number;
  readonly capturedAt: number;
  readonly httpStatus: number | null;
  readonly contentType: string | null;
  readonly body: Uint8Array | null;
  /** Hexadecimal, as the wire file made it; the hash of the whole body where null. */
  readonly contentHash: string | null;
  readonly outcome: FetchOutcome;
  readonly detail: string | null;
  readonly licence: string | null;
  readonly sourceStamp: string | null;
  readonly intervalCount: number;
}

const DETAIL_CHARACTERS_MAX = 2_000;

export const instantText = (milliseconds: number) => new Date(milliseconds).toISOString();

/** Writes the attempt and, unless the same content is there already, its body; returns the number of the attempt. */
export async function insertFetch(connection: Connection, record: FetchRecord): Promise<number> {
  const hash = hashOf(record);
  if (hash !== null && record.body !== null) await insertPayload(connection, hash, record);
  const { rows } = await sql<{ id: number }>`
    INSERT INTO price_fetches (source, zone, delivery_from, delivery_to, url, requested_at, captured_at, http_status,
                               content_type, body_bytes, payload_hash, outcome, detail, licence_text, source_stamp,
                               interval_count)
    VALUES (${record.source}, ${record.zone}, ${record.deliveryFrom}, ${record.deliveryTo}, ${record.url},
            ${instantText(record.requestedAt)}, ${instantText(record.capturedAt)}, ${record.httpStatus},
            ${record.contentType}, ${record.body?.byteLength ?? null}, ${hash}, ${record.outcome},
            ${record.detail?.slice(0, DETAIL_CHARACTERS_MAX) ?? null}, ${record.licence}, ${record.sourceStamp},
            ${record.intervalCount})
    RETURNING id`.execute(connection);
  return rows[0]?.id ?? 0;
}

function hashOf({ body, contentHash }: FetchRecord): Buffer | null {
  if (body === null) return null;
  return contentHash === null ? createHash('sha256').update(body).digest() : Buffer.from(contentHash, 'hex');
}

/** Whether the exchange has said of the day that its prices are final. */
export async function hasPublication(
  connection: Connection,
  zone: Zone,
  deliveryOn: DeliveryDay,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM price_fetches
     WHERE source = ${publicationSource.name} AND zone = ${zone} AND delivery_from = ${deliveryOn} AND outcome = 'published'
     LIMIT 1`.execute(connection);
  return rows.length > 0;
}

/** The first body with that content stays; later ones differ in what their content is hashed without. */
async function insertPayload(connection: Connection, hash: Buffer, record: FetchRecord): Promise<void> {
  const { rows } = await sql`
    SELECT FROM price_payloads WHERE payload_hash = ${hash}`.execute(connection);
  if (rows.length > 0) return;
  const body = await compress(record.body ?? new Uint8Array());
  await sql`
    INSERT INTO price_payloads (payload_hash, body, first_captured_at)
    VALUES (${hash}, ${body}, ${instantText(record.capturedAt)})
    ON CONFLICT (payload_hash) DO NOTHING`.execute(connection);
}

/** What became of a portion of old bodies. */
export interface JudgedPayloads {
  removed: number;
  kept: number;
}

/**
 * Judges bodies first seen before that instant, at most so many and each once. Bodies behind a rejection, an alarm or a
 * changed value stay: they are what a dispute is settled with. Behind an alarm about a day is all that its sources said of it:
 * two that contradict one another have a body each.
 */
export async function deleteOldPayloads(
  connection: Connection,
  before: string,
  rowsMax: number,
): Promise<JudgedPayloads> {
  const { rows } = await sql<JudgedPayloads>`
    WITH judged AS MATERIALIZED (
      SELECT p.payload_hash,
             EXISTS (SELECT FROM price_fetches f
                      WHERE f.payload_hash = p.payload_hash
                        AND (f.outcome = 'rejected'
                             OR EXISTS (SELECT FROM price_alarms a WHERE a.fetch_id = f.id)
                             OR EXISTS (SELECT FROM price_alarms a
                                         WHERE a.zone = f.zone
                                           AND a.delivery_on BETWEEN f.delivery_from AND f.delivery_to
                                           AND f.source = ANY (string_to_array(a.source, '/')))
                             OR EXISTS (SELECT FROM price_revisions r
                                         WHERE r.fetch_id = f.id AND r.revision > 1))) AS is_wanted
        FROM price_payloads p
       WHERE p.first_captured_at < ${before} AND NOT p.is_kept
       ORDER BY p.first_captured_at
       LIMIT ${rowsMax}),
    removed AS (
      DELETE FROM price_payloads
       WHERE payload_hash IN (SELECT payload_hash FROM judged WHERE NOT is_wanted)
      RETURNING 1),
    kept AS (
      UPDATE price_payloads SET is_kept = true
       WHERE payload_hash IN (SELECT payload_hash FROM judged WHERE is_wanted)
      RETURNING 1)
    SELECT (SELECT count(*) FROM removed)::int AS removed, (SELECT count(*) FROM kept)::int AS kept`.execute(
    connection,
  );
  return rows[0] ?? { removed: 0, kept: 0 };
}
