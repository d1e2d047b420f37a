import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Connection } from '../database/db.ts';
import { badRequest, conflict, notFound } from '../errors.ts';
import type { Principal } from '../principal.ts';

const HEADER = 'Idempotency-Key';
const KEPT_MILLISECONDS = 24 * 60 * 60 * 1000;
/** 1 to 255 printable ASCII characters. */
const KEY_PATTERN = /^[\x20-\x7e]{1,255}$/;

/** The `Idempotency-Key` of one creating POST. */
export interface IdempotencyRequest {
  /** 1 to 255 printable ASCII characters, as sent. */
  key: string;
  /** `POST /assets`: the same key on another route is another key. */
  route: string;
  /** SHA-256 of the inflated body. */
  bodyHash: Buffer;
}

/** A handler whose answer is not new but repeated from an earlier attempt returns this instead of the object. */
export interface ReplayedAnswer {
  readonly replayed: true;
  readonly body: unknown;
}

/**
 * Reads the header from the raw list, where repeated ones are still to be seen. Null when it was not sent; a key that
 * breaks the rules is refused, because a client that sends one relies on it.
 */
export function idempotencyRequestOf(
  rawHeaders: readonly string[],
  route: string,
  body: Buffer | null,
): IdempotencyRequest | null {
  const keys: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'idempotency-key') keys.push(rawHeaders[index + 1] ?? '');
  }
  const [key] = keys;
  if (key === undefined) return null;
  if (keys.length > 1) throw refused('Sent more than once');
  if (!KEY_PATTERN.test(key)) throw refused('Not 1 to 255 printable ASCII characters');
  return {
    key,
    route,
    bodyHash: createHash('sha256')
      .update(body ?? '')
      .digest(),
  };
}

function refused(message: string) {
  return badRequest([{ code: 'custom', field: HEADER, message }]);
}

/**
 * Does the work once per key: a repetition within 24 hours gets the first answer again, with another body it is a
 * conflict. The answer is kept in the transaction of the work, so a failed attempt keeps nothing and the next one runs.
 * A second request with the same key waits for the end of the first one's transaction, then sees its answer.
 */
export async function once<Result extends object>(
  connection: Connection,
  principal: Principal,
  idempotency: IdempotencyRequest | null,
  now: Date,
  work: () => Promise<Result>,
): Promise<Result | ReplayedAnswer> {
  if (idempotency === null) return work();
  await lockKey(connection, principal, idempotency);
  const keptSince = new Date(now.getTime() - KEPT_MILLISECONDS).toISOString();
  const kept = await findAnswer(connection, principal, idempotency, keptSince);
  if (kept !== undefined) {
    if (kept.body_hash.equals(idempotency.bodyHash)) {
      if (kept.names_hidden) throw notFound();
      return { replayed: true, body: kept.response };
    }
    const message = 'This key was used with another body within the last 24 hours';
    throw conflict([{ code: 'custom', field: HEADER, message }]);
  }
  const result = await work();
  await upsertAnswer(connection, principal, idempotency, now.toISOString(), result);
  return result;
}

/*
 * An advisory lock and not the row itself: the row can then be written whole, once, at the end. Two keys that share a
 * hash wait for each other needlessly and nothing else.
 */
async function lockKey(connection: Connection, principal: Principal, idempotency: IdempotencyRequest) {
  const name = JSON.stringify([
    'idempotency key',
    principal.organization,
    principal.client,
    idempotency.route,
    idempotency.key,
  ]);
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(connection);
}

/** Of a customer who was restricted since (Art. 18 GDPR). */
const NAMES_HIDDEN = sql<boolean>`EXISTS (
  SELECT FROM string_to_array(current_setting('app.hidden', true), ',') AS hidden (ids), unnest(hidden.ids) AS named (id)
   WHERE strpos(response::text, named.id) > 0)`;

function findAnswer(
  connection: Connection,
  principal: Principal,
  idempotency: IdempotencyRequest,
  keptSince: string,
) {
  return connection
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'response'])
    .select(NAMES_HIDDEN.as('names_hidden'))
    .where('organization_id', '=', principal.organization)
    .where('client_id', '=', principal.client)
    .where('route', '=', idempotency.route)
    .where('key', '=', idempotency.key)
    .where('created_at', '>', keptSince)
    .executeTakeFirst();
}

/** Replaces a row that is older than 24 hours and not swept yet. */
async function upsertAnswer(
  connection: Connection,
  principal: Principal,
  idempotency: IdempotencyRequest,
  now: string,
  answer: object,
) {
  const columns = {
    body_hash: idempotency.bodyHash,
    status: 200,
    response: JSON.stringify(answer),
    created_at: now,
  };
  await connection
    .insertInto('idempotency_keys')
    .values({
      organization_id: principal.organization,
      client_id: principal.client,
      customer_id: principal.customer ?? null,
      route: idempotency.route,
      key: idempotency.key,
      ...columns,
    })
    .onConflict((on) => on.columns(['organization_id', 'client_id', 'route', 'key']).doUpdateSet(columns))
    .execute();
}
