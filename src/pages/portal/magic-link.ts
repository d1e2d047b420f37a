import { randomBytes } from 'node:crypto';
import { assertNotErased, holdCustomer } from '../../identity/customers/service.ts';
import { actorOf, audit } from '../../platform/audit.ts';
import type { Deps } from '../../platform/deps.ts';
import { unknownReference } from '../../platform/errors.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import { keyedHash } from '../../platform/keyed-hash.ts';
import { insertMagicLink } from './queries.ts';
import type { MagicLink, NewMagicLink } from './schema.ts';

const LINK_MILLISECONDS = 15 * 60_000;

/** Lets filters of logs recognise the secret of a link wherever it stands. */
const LINK_PREFIX = 'mlk_';
const LINK_PATTERN = /^mlk_[A-Za-z0-9_-]{43}$/;

export function isLinkSecret(text: string): boolean {
  return LINK_PATTERN.test(text);
}

/**
 * A link that lets one customer into the portal. Its secret has 256 random bits; the database keeps a keyed hash, so
 * that a copy of it lets nobody in.
 */
export async function createMagicLink(
  { database, clock, config }: Pick<Deps, 'database' | 'clock' | 'config'>,
  request: ApiRequest<unknown, NewMagicLink>,
): Promise<MagicLink> {
  const { organization } = request.principal;
  const id = request.body.customerId;
  const secret = LINK_PREFIX + randomBytes(32).toString('base64url');
  const createdMilliseconds = clock.nowMilliseconds();
  await database.inOrganization(request.principal, async (connection) => {
    const customer = await holdCustomer(connection, organization, id);
    if (customer === undefined) throw unknownReference('customerId', 'customer');
    assertNotErased(customer, 'customerId');
    await insertMagicLink(connection, organization, {
      hash: keyedHash(config.SECRET_PEPPER, 'magic-link', secret),
      customer_id: customer.id,
      created_at: new Date(createdMilliseconds).toISOString(),
      expires_at: new Date(createdMilliseconds + LINK_MILLISECONDS).toISOString(),
    });
    await audit(connection, {
      ...actorOf(request),
      act: 'magic_link.create',
      object_id: customer.id,
      result: 'done',
    });
  });
  const link = `${config.portalUrl}/auth/confirm?token_hash=${secret}&type=magiclink&next=/overview`;
  return { object: 'magic_link', link };
}
