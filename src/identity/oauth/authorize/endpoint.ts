import type { FastifyBaseLogger } from 'fastify';
import type { Deps } from '../../../platform/deps.ts';
import { newId } from '../../../platform/ids.ts';
import type { QueryPair } from '../../../platform/interface/query.ts';
import { findClient } from '../clients/live-queries.ts';
import { mayAct } from '../clients/presented.ts';
import { type ClientRow, findRegisteredClient } from '../clients/queries.ts';
import { invalidRequest } from '../protocol/failures.ts';
import { searchableId } from '../protocol/parameters.ts';
import { isRegisteredRedirect, redirectWith } from '../protocol/redirect-uris.ts';
import { type AuthorizeParameters, type AuthorizeRefusal, onlyValue, readParameters } from './parameters.ts';
import { findChallengeUsedBefore, insertRequest } from './request-queries.ts';

const REQUEST_MILLISECONDS = 15 * 60_000;

/**
 * Says where the browser goes next: to the first screen, or back to the client with an error. Throws, without any redirect,
 * while it is not certain that the address belongs to the client: an attacker of this endpoint wants an answer sent to a
 * stranger's address.
 */
export async function beginAuthorization(
  deps: Deps,
  pairs: readonly QueryPair[],
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>,
): Promise<string> {
  const client = await askingClient(deps, onlyValue(pairs, 'client_id'));
  const redirectUri = onlyValue(pairs, 'redirect_uri');
  if (redirectUri === undefined || !isRegisteredRedirect(redirectUri, client)) {
    throw invalidRequest('redirect_uri', 'Send one redirect_uri that is registered for this client');
  }
  const state = onlyValue(pairs, 'state') ?? null;
  const backWith = ({ error, description }: AuthorizeRefusal) =>
    redirectWith(redirectUri, { error, error_description: description, state, iss: deps.config.BASE_URL });

  const parameters = readParameters(pairs, client);
  if ('error' in parameters) return backWith(parameters);
  if (!deps.mail.isOn) {
    return backWith({ error: 'server_error', description: 'Sign-in by mail is not set up' });
  }
  try {
    const id = await storeRequest(deps, client, { ...parameters, redirectUri, state }, log);
    const screen = parameters.flow === 'signup' ? 'signup' : 'login';
    return `${deps.config.authUrl}/${screen}?transaction=${id}`;
  } catch (error) {
    log.error({ err: error, client: client.id }, 'an authorization could not begin');
    return backWith({ error: 'server_error', description: 'The service cannot answer now' });
  }
}

async function askingClient(deps: Deps, id: string | undefined): Promise<ClientRow> {
  const found = await deps.database.asService((connection) => findClient(connection, searchableId(id ?? '')));
  const organization = found !== undefined && mayAct(found) ? found.organization_id : undefined;
  const client =
    organization === undefined
      ? undefined
      : await deps.database.inOrganization({ organization }, (connection) =>
          findRegisteredClient(connection, organization, id ?? ''),
        );
  if (client === undefined)
    throw invalidRequest('client_id', 'Send one client_id of a client that is in use');
  return client;
}

async function storeRequest(
  { database, clock }: Deps,
  client: ClientRow,
  parameters: AuthorizeParameters & { redirectUri: string; state: string | null },
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>,
): Promise<string> {
  const { organization_id: organization, id: client_id } = client;
  const { flow, code_challenge, scopes } = parameters;
  const nowMilliseconds = clock.nowMilliseconds();
  const id = newId('atx');
  const isRepeated = await database.inOrganization({ organization }, async (connection) => {
    const repeated =
      code_challenge !== null &&
      (await findChallengeUsedBefore(connection, organization, { client_id, code_challenge }));
    await insertRequest(connection, organization, {
      id,
      client_id,
      redirect_uri: parameters.redirectUri,
      state: parameters.state === null ? null : Buffer.from(parameters.state, 'utf8'),
      code_challenge,
      flow,
      scopes: [...scopes],
      created_at: new Date(nowMilliseconds).toISOString(),
      expires_at: new Date(nowMilliseconds + REQUEST_MILLISECONDS).toISOString(),
    });
    return repeated;
  });
  if (isRepeated) log.warn({ client: client_id }, 'a client used a code challenge a second time');
  return id;
}
