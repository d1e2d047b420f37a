import { type AuditEntry, audit } from '../../../platform/audit.ts';
import type { Deps } from '../../../platform/deps.ts';
import { conflict } from '../../../platform/errors.ts';
import { reseal } from '../../../platform/sealed.ts';
import { type StaffAct, staffOf } from '../../../platform/staff-act.ts';
import { type KeyDeps, newSigningKey } from './keys.ts';
import {
  insertSigningKey,
  listSealedKeys,
  listSigningKeys,
  lockSigningKeys,
  type SigningKeyRow,
  updateSealedKey,
  updateSigningEnd,
} from './queries.ts';

/** Clients keep the published keys for up to 10 minutes: a new one must have reached them before it signs. */
const PUBLISHED_BEFORE_SIGNING_MILLISECONDS = 11 * 60_000;
const DAY_SECONDS = 86_400;

export interface Rotation {
  kid: string;
  signs_from: string;
}

/**
 * Publishes a new key, which takes over the signing 11 minutes later. The old one stays published until the last token
 * that it signed is over; both happen by the instants in the table, without anybody's help.
 */
export async function rotateSigningKey(deps: KeyDeps, act: StaffAct): Promise<Rotation> {
  const rotation = await rotate(
    deps,
    () => true,
    (kid) => ({
      ...staffOf(act, null),
      act: 'signing_key.rotate',
      object_id: kid,
    }),
  );
  if (rotation === undefined) {
    const message = 'A new key is published already and has not begun to sign';
    throw conflict([{ code: 'custom', field: 'signing key', message }]);
  }
  return rotation;
}

/** Undefined where a key is waiting already, or where the keys are not as the caller thought. */
async function rotate(
  deps: KeyDeps,
  isDue: (rows: readonly SigningKeyRow[]) => boolean,
  entryOf: (kid: string) => AuditEntry,
): Promise<Rotation | undefined> {
  const nowMilliseconds = deps.clock.nowMilliseconds();
  const now = new Date(nowMilliseconds).toISOString();
  const key = await newSigningKey(deps.config.ENCRYPTION_KEY);
  return await deps.database.asService(async (connection) => {
    await lockSigningKeys(connection);
    const rows = await listSigningKeys(connection, now);
    const isWaiting = rows.some((row) => !row.signs && !row.ended);
    if (isWaiting || !isDue(rows)) return undefined;
    const isFirst = !rows.some((row) => row.signs);
    const delay = isFirst ? 0 : PUBLISHED_BEFORE_SIGNING_MILLISECONDS;
    const signs_from = new Date(nowMilliseconds + delay).toISOString();
    await updateSigningEnd(connection, signs_from);
    await insertSigningKey(connection, { ...key, created_at: now, signs_from });
    await audit(connection, entryOf(key.kid));
    return { kid: key.kid, signs_from };
  });
}

/**
 * Looks at the keys whenever they were read and makes a new one when the newest is old enough. Beside the request that
 * read them; of several processes one makes the key.
 */
export function rotateWhenDue(deps: Pick<Deps, 'config' | 'clock' | 'database' | 'log'>) {
  const days = deps.config.SIGNING_KEY_DAYS;
  let running = false;
  const isDue = (rows: readonly SigningKeyRow[]) =>
    days > 0 && rows.length > 0 && rows.every((row) => row.age_seconds > days * DAY_SECONDS);

  return (rows: readonly SigningKeyRow[]): void => {
    if (running || !isDue(rows)) return;
    running = true;
    rotate(deps, isDue, (kid) => ({
      organization_id: null,
      act: 'signing_key.rotate',
      object_id: kid,
      reason: `older than ${days} days`,
      result: 'done',
    }))
      .then((rotation) => {
        if (rotation !== undefined) deps.log.info(rotation, 'a new signing key is published');
      })
      .catch((error: unknown) => deps.log.error({ err: error }, 'the signing key was not rotated'))
      .finally(() => {
        running = false;
      });
  };
}

/** Private halves that an earlier key of ENCRYPTION_KEY sealed are sealed with the first one; says how many. */
export async function resealSigningKeys(deps: KeyDeps, act: StaffAct): Promise<number> {
  const { ENCRYPTION_KEY } = deps.config;
  return await deps.database.asService(async (connection) => {
    await lockSigningKeys(connection);
    let count = 0;
    for (const { kid, private_key_encrypted } of await listSealedKeys(connection)) {
      const sealed = reseal(ENCRYPTION_KEY, 'signing-key', kid, private_key_encrypted);
      if (sealed === null) continue;
      await updateSealedKey(connection, { kid, private_key_encrypted: sealed });
      await audit(connection, { ...staffOf(act, null), act: 'signing_key.reseal', object_id: kid });
      count += 1;
    }
    return count;
  });
}
