import { audit } from '../../../platform/audit.ts';
import type { Connection } from '../../../platform/database/db.ts';
import type { Deps } from '../../../platform/deps.ts';
import type { Endpoint, TokenAsker, TokenLimits } from '../attempts/token-limits.ts';
import { invalidClient } from '../protocol/failures.ts';
import { type Parameters, searchableId } from '../protocol/parameters.ts';
import { type AuthClient, findClient } from './live-queries.ts';
import { isAuthentic, type PresentedClient, presentedClient } from './presented.ts';

/** A request at one of the endpoints that clients ask for tokens, or about them. */
export interface TokenRequest {
  /** Every `Authorization` header as it was sent. */
  authorization: readonly string[];
  parameters: Parameters;
  id: string;
  /** Shortened, for the audit log. */
  address: string;
  /** Whole, for limits. */
  remoteAddress: string;
}

export interface ClientEndpoint {
  /** How the audit log names it. */
  act: 'token.issue' | 'token.revoke' | 'token.introspect';
  route: string;
  limits: Endpoint;
  /** Whether a client without a secret may ask. */
  publicClients: boolean;
}

export interface AuthenticatedClient {
  client: AuthClient;
  asking: TokenAsker;
}

/**
 * The client that asks, once it has proven who it is. Before that, limits hold for its id together with its network, and
 * an id that nobody has is held to them as well: a stranger neither stops a client nor learns which ids exist. Only who
 * has shown the secret takes from the bucket of the client. A client without a secret has none to show; it stays with the
 * first. A refusal stands in the audit log; what a limit turns away does not, or a flood would fill it.
 */
export async function authenticClient(
  deps: Deps,
  limits: TokenLimits,
  request: TokenRequest,
  endpoint: ClientEndpoint,
): Promise<AuthenticatedClient> {
  const presented = presentedClient(request.authorization, request.parameters);
  const asking = { client: presented.id, address: request.remoteAddress };
  await limits.admit(endpoint.limits, asking);
  const found = await deps.database.asService((connection) =>
    findClient(connection, searchableId(presented.id)),
  );
  const now = deps.clock.now().toISOString();
  const authenticate = async (connection: Connection): Promise<AuthClient | undefined> => {
    const authentic = await isAuthentic(connection, deps.config.SECRET_PEPPER, presented, found, now);
    if (found !== undefined && authentic && (endpoint.publicClients || !found.public)) return found;
    await recordRefusal(connection, request, endpoint, presented, found);
    return undefined;
  };
  const client =
    found === undefined
      ? await deps.database.asService(authenticate)
      : await deps.database.inOrganization({ organization: found.organization_id }, authenticate);
  if (client === undefined) {
    await limits.countFailure(asking);
    throw invalidClient();
  }
  if (!client.public) await limits.takeProven(endpoint.limits, client.id);
  return { client, asking };
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
    /* A made-up client id may be anything that somebody typed: only what can be an id is kept. */
    object_id: searchableId(presented.id) || null,
    route: endpoint.route,
    result: 'invalid_client',
    request_id: request.id,
    address: request.address === '' ? null : request.address,
  });
}
