import { audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { badRequest, conflict } from '../../platform/errors.ts';
import { reseal } from '../../platform/sealed.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import type { EndpointDeps } from './create.ts';
import { withdrawFrom, withEndpoint } from './locked.ts';
import { type EndpointFields, type EndpointSecrets, findEndpointSecrets, updateEndpoint } from './queries.ts';
import { listEndpoints } from './read.ts';
import { isOverlapping, newSecret, sealSecret } from './secret.ts';

/** So long both secrets sign: time for the people at the receiver to put in the new one. */
const OVERLAP_MILLISECONDS = 24 * 3_600_000;

/**
 * `overlap`: the secret that signed until now signs on for 24 hours. `compromised`: all earlier ones end at once.
 * `lost`: nobody ever put in the newest one, so it ends at once, and the one before signs on for 24 hours.
 */
export type RotationKind = 'overlap' | 'compromised' | 'lost';

/** A new secret, and until when an earlier one signs, too; null where none does. */
export async function rotateSecret(
  deps: Pick<EndpointDeps, 'database' | 'config'> & { readonly clock: Clock },
  organization: string,
  id: string,
  kind: RotationKind,
  act: StaffAct,
): Promise<{ secret: string; previous_until: string | null }> {
  const secret = newSecret();
  const sealed = sealSecret(deps.config.ENCRYPTION_KEY, id, secret);
  const rotating = kind === 'compromised' ? withdrawFrom : withEndpoint;
  const rotated = await rotating(deps.database, organization, id, async (connection, endpoint) => {
    if (endpoint.kind === 'listener') {
      const message = 'The secret of a listener is its own: start it anew';
      throw badRequest([{ code: 'custom', field: 'endpoint', message }]);
    }
    const stored = await findEndpointSecrets(connection, organization, id);
    const fields = rotatedFields(stored, sealed, kind, deps.clock.nowMilliseconds());
    const after = await updateEndpoint(connection, organization, id, fields);
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'webhook_secret.rotate',
      object_id: id,
      after: { kind, previous_until: after.previous_secret_until },
    });
    return after;
  });
  return { secret: secret.text, previous_until: rotated.previous_secret_until };
}

function rotatedFields(
  stored: EndpointSecrets,
  secret: Buffer,
  kind: RotationKind,
  nowMilliseconds: number,
): EndpointFields {
  if (kind === 'compromised') return { secret, previous_secret: null, previous_secret_until: null };
  const overlaps = isOverlapping(stored, new Date(nowMilliseconds).toISOString());
  if (overlaps && kind === 'overlap') {
    const message = `An earlier secret signs until ${stored.previous_secret_until}, and two are the most: rotate after that, as lost if nobody has put in the newest one, or as compromised`;
    throw conflict([{ code: 'custom', field: 'endpoint', message }]);
  }
  /* If no earlier one signs any more, the receiver can have the newest only. */
  const previous_secret = overlaps ? stored.previous_secret : stored.secret;
  const previous_secret_until = new Date(nowMilliseconds + OVERLAP_MILLISECONDS).toISOString();
  return { secret, previous_secret, previous_secret_until };
}

/**
 * Secrets that an earlier key of ENCRYPTION_KEY sealed are sealed with the first one; says of how many endpoints. The secrets
 * stay what they are, and receivers notice nothing.
 */
export async function resealSecrets(
  deps: Pick<EndpointDeps, 'database' | 'config'>,
  organization: string,
  act: StaffAct,
): Promise<number> {
  const { ENCRYPTION_KEY } = deps.config;
  let count = 0;
  for (const { id } of await listEndpoints(deps.database, organization)) {
    const isChanged = await withEndpoint(deps.database, organization, id, async (connection) => {
      const { secret, previous_secret } = await findEndpointSecrets(connection, organization, id);
      const [newest, previous] = [secret, previous_secret].map(
        (sealed) => sealed && reseal(ENCRYPTION_KEY, 'webhook-secret', id, sealed),
      );
      if (!newest && !previous) return false;
      await updateEndpoint(connection, organization, id, {
        ...(newest && { secret: newest }),
        ...(previous && { previous_secret: previous }),
      });
      await audit(connection, { ...staffOf(act, organization), act: 'webhook_secret.reseal', object_id: id });
      return true;
    });
    if (isChanged) count += 1;
  }
  return count;
}
