import type { Deps } from '../deps.ts';
import { audit } from '../platform/audit.ts';
import type { Connection } from '../platform/db.ts';
import { isAuthentic, type PresentedClient, presentedClient, searchableId } from './client-authentication.ts';
import { invalidClient } from './failures.ts';
import { type AuthClient, findClient } from './queries.ts';
import type { TokenRequest } from './token-endpoint.ts';
import type { TokenLimits } from './token-limits.ts';

/** An endpoint at which clients ask about tokens that they were given. */
export interface ClientEndpoint {
  /** How the audit log names it. */
  act: 'token.revoke' | 'token.introspect';
  route: string;
  /** Whether a client without a secret may ask. */
  publicClients: boolean;
}

/**
 * Authenticates the client as the token endpoint does, with the same limits, and does the work in its organization. A
 * refusal stands in the audit log.
 */
export async function asAuthenticClient<Result>(
  deps: Deps,
  limits: TokenLimits,
  request: TokenRequest,
  endpoint: ClientEndpoint,
  work: (connection: Connection, client: AuthClient) => Promise<Result>,
): Promise<Result> {
  const presented = presentedClient(request.authorization, request.parameters);
  const asking = { client: presented.id, address: request.remoteAddress };
  await limits.admit(asking);
  const client = await deps.database.asService((connection) =>
    findClient(connection, searchableId(presented.id)),
  );
  await limits.takeRequest('inspect', client !== undefined, asking);

  const now = deps.clock.now().toISOString();
  const authenticated = async (connection: Connection): Promise<{ result: Result } | undefined> => {
    const authentic = await isAuthentic(connection, deps.config.SECRET_PEPPER, presented, client, now);
    if (client !== undefined && authentic && (endpoint.publicClients || !client.public)) {
      return { result: await work(connection, client) };
    }
    await recordRefusal(connection, request, endpoint, presented, client);
    return undefined;
  };
  const outcome =
    client === undefined
      ? await deps.database.asService(authenticated)
      : await deps.database.inOrganization({ organization: client.organization_id }, authenticated);
  if (outcome !== undefined) return outcome.result;
  await limits.countFailure(asking);
  throw invalidClient();
}

async function recordRefusal(
  connection: Connection,
  request: TokenRequest,
  endpoint: ClientEndpoint,
  presented: PresentedClient,
  client: AuthClient | undefined,
): Promise<void> {
  await audit(connection, {
    organization_id: client?.organization_id ?? null,
    client_id: client?.id ?? null,
    act: endpoint.act,
    object_id: searchableId(presented.id) || null,
    route: endpoint.route,
    result: 'invalid_client',
    request_id: request.id,
    address: request.address === '' ? null : request.address,
  });
}
