import { audit } from '../../../platform/audit.ts';
import type { Database } from '../../../platform/database/db.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { keyedHash } from '../../../platform/keyed-hash.ts';
import { type StaffAct, staffOf } from '../../../platform/staff-act.ts';
import { newClientSecret } from '../protocol/secrets.ts';
import { type ClientDeps, withClient } from './clients.ts';
import { insertSecret, type SecretRow, updateOlderSecretsExpiry, updateSecretRevoked } from './queries.ts';

const HOUR_MILLISECONDS = 3_600_000;

/** A new secret beside the old ones, which go on working for the overlap: the client changes over without a gap. */
export async function rotateSecret(
  deps: ClientDeps,
  id: string,
  overlap: { hours: number; nowMilliseconds: number },
  act: StaffAct,
): Promise<{ secret: SecretRow; client_secret: string; older_expire_at: string }> {
  const text = newClientSecret();
  const expiresAt = new Date(overlap.nowMilliseconds + overlap.hours * HOUR_MILLISECONDS).toISOString();
  const secret = await withClient(deps.database, id, async (connection, client) => {
    if (client.public) {
      throw badRequest([{ code: 'custom', field: 'client', message: 'A public client has no secret' }]);
    }
    const organization = client.organization_id;
    const hash = keyedHash(deps.config.SECRET_PEPPER, 'client-secret', text);
    const row = { client_id: id, secret_hash: hash, created_at: act.now };
    const inserted = await insertSecret(connection, organization, row);
    await updateOlderSecretsExpiry(connection, organization, id, { newest: inserted.id, expiresAt });
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'client_secret.rotate',
      object_id: id,
      after: { secret: inserted.id, older_expire_at: expiresAt },
    });
    return inserted;
  });
  return { secret, client_secret: text, older_expire_at: expiresAt };
}

/** Ends one secret at once. Tokens that were issued with it live on: switching the client off ends those. */
export async function revokeSecret(
  database: Database,
  id: string,
  secret: number,
  act: StaffAct,
): Promise<void> {
  await withClient(database, id, async (connection, client) => {
    const organization = client.organization_id;
    const revoked = await updateSecretRevoked(connection, organization, id, { secret, at: act.now });
    if (!revoked) throw notFound();
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'client_secret.revoke',
      object_id: id,
      after: { secret },
    });
  });
}
