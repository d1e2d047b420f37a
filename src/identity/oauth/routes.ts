import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shortAddress } from '../../platform/audit.ts';
import { checkContentType } from '../../platform/body/content-type.ts';
import { FORM_TYPE, receiveSmallBody } from '../../platform/body/form-parser.ts';
import type { Deps } from '../../platform/deps.ts';
import { Failure } from '../../platform/errors.ts';
import { pageOrJson } from '../../platform/http/accept.ts';
import { networkOf } from '../../platform/http/network.ts';
import { prepareReply } from '../../platform/http/prepare-reply.ts';
import { type ErrorAnswers, envelopeOf } from '../../platform/interface/error-handler.ts';
import { queryPairs } from '../../platform/interface/query.ts';
import { rawHeaderValues } from '../../platform/interface/request-context.ts';
import { createTokenLimits } from './attempts/token-limits.ts';
import { beginAuthorization } from './authorize/endpoint.ts';
import type { TokenRequest } from './clients/authenticate.ts';
import { createKeyring, ensureSigningKey } from './keys/keys.ts';
import { rotateWhenDue } from './keys/rotation.ts';
import { invalidRequest, type OAuthFailure, oauthErrorOf, slowDown } from './protocol/failures.ts';
import { formParameters, jsonParameters, type Parameters } from './protocol/parameters.ts';
import { screenHeaders, screensPath, showError } from './screens/pages.ts';
import type { ErrorKind } from './screens/texts.ts';
import { answerTokenRequest } from './token/endpoint.ts';
import { introspectToken } from './token/introspection.ts';
import { revokeToken } from './token/revocation.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
/**
 * The media type of the empty answer to a revocation. Two clients in use read its type: @badgateway/oauth2-client parses the body where it
 * is application/json, and an empty one is no JSON; simple-oauth2 refuses every answer whose type does not end in `json`.
 * Both take this one.
 */
const EMPTY_TYPE = 'application/x-json';

/**
 * The token endpoint with revocation and introspection, and the public documents. A plugin of its own, because bodies are
 * forms, errors carry the names of RFC 6749 beside the envelope, and there is no version.
 */
export async function oauthRoutes(
  app: FastifyInstance,
  { deps, answers }: { deps: Deps; answers: ErrorAnswers },
): Promise<void> {
  const keyring = createKeyring(deps, rotateWhenDue(deps));
  const limits = createTokenLimits(deps);
  app.addHook('onReady', () => ensureSigningKey(deps));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const mediaType = formOrJson(request.headers);
    const bytes = await receiveSmallBody(request, payload, deps.bodyRoom);
    if (bytes.length === 0) return new Map();
    return mediaType === FORM_TYPE ? formParameters(bytes) : jsonParameters(bytes);
  });

  app.setErrorHandler((error: FastifyError, request, reply) => {
    const isForeignMediaType = error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE';
    const failure = prepareReply(isForeignMediaType ? unreadable() : error, request, reply);
    const envelope = envelopeOf(failure, request, answers);
    const message = printable(envelope.message);
    const answer = { ...envelope, message, error: oauthErrorOf(failure), error_description: message };
    /* Also where a hook of the platform or another method ended the request before the endpoint's own one. */
    reply.header('pragma', 'no-cache');
    return reply.type(JSON_TYPE).send(JSON.stringify(answer));
  });

  const endpoint = (
    url: string,
    answer: (request: TokenRequest, reply: FastifyReply) => Promise<unknown>,
  ) => {
    app.post(url, {
      onRequest: async (_request, reply) => {
        reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
      },
      handler: async (request, reply) => await answer(tokenRequestOf(request), reply),
    });
    refuseOtherMethods(app, url, ['POST']);
  };
  endpoint('/oauth/token', async (request, reply) =>
    sendJson(reply, await answerTokenRequest(deps, keyring, limits, request)),
  );
  endpoint('/oauth/introspect', async (request, reply) =>
    sendJson(reply, await introspectToken(deps, keyring, limits, request)),
  );
  endpoint('/oauth/revoke', async (request, reply) => {
    await revokeToken(deps, keyring, limits, request);
    return reply.type(EMPTY_TYPE).send('');
  });

  const publicDocument = (url: string, content: () => Promise<unknown>) => {
    app.get(url, async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=300');
      return sendJson(reply, await content());
    });
    refuseOtherMethods(app, url, ['GET', 'HEAD']);
  };
  publicDocument('/.well-known/jwks.json', async () => ({ keys: await keyring.published() }));
  publicDocument('/.well-known/oauth-authorization-server', async () => serverMetadata(deps.config.BASE_URL));
}

function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.type(JSON_TYPE).send(JSON.stringify(value));
}

function tokenRequestOf(request: FastifyRequest): TokenRequest {
  return {
    authorization: rawHeaderValues(request, 'authorization'),
    parameters: (request.body as Parameters | undefined) ?? new Map(),
    id: request.id,
    address: shortAddress(request.remoteAddress),
    remoteAddress: request.remoteAddress,
  };
}

/** Each call is a row for 2 hours, and anybody may make one: far more than people behind one address ever begin. */
const PER_NETWORK = { perSecond: 20, burst: 500 };

/** Where a client sends a customer's browser. Answers without a redirect are pages for people, JSON for programs. */
export async function authorizeRoutes(
  app: FastifyInstance,
  { deps, answers }: { deps: Deps; answers: ErrorAnswers },
): Promise<void> {
  const path = screensPath(deps.config);
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ ...screenHeaders(), vary: 'accept, accept-language' });
  });

  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = prepareReply(error, request, reply);
    const { status } = failure;
    if (pageOrJson(request.headers.accept, 'json') === 'page') {
      return showError(request, reply, path, { kind: kindOf(status), status });
    }
    const envelope = envelopeOf(failure, request, answers);
    const answer = { ...envelope, error: oauthErrorOf(failure), error_description: envelope.message };
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
  });

  app.get('/oauth/authorize', async (request, reply) => {
    const taken = await deps.limiter.take(`oauth-authorize:${networkOf(request.remoteAddress)}`, PER_NETWORK);
    if (!taken.allowed) throw slowDown(taken.secondsUntilNext);
    const location = await beginAuthorization(deps, queryPairs(request.raw.url ?? ''), request.log);
    return reply.redirect(location, 302);
  });
  refuseOtherMethods(app, '/oauth/authorize', ['GET', 'HEAD']);
}

function kindOf(status: number): ErrorKind {
  if (status === 429) return 'slow_down';
  if (status === 503) return 'busy';
  return status >= 500 ? 'failed' : 'bad_call';
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

/** Refused before the body is read. */
function refuseOtherMethods(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  const refuse = async () => {
    throw new Failure('METHOD_NOT_ALLOWED', {
      headers: { allow: allowed.join(', '), 'cache-control': 'no-store' },
    });
  };
  app.route({
    method: METHODS.filter((method) => !allowed.includes(method)),
    url,
    exposeHeadRoute: false,
    onRequest: refuse,
    handler: refuse,
  });
}

function formOrJson(headers: IncomingHttpHeaders): typeof FORM_TYPE | 'application/json' | null {
  try {
    return checkContentType(headers, [FORM_TYPE, 'application/json']);
  } catch {
    throw unreadable();
  }
}

/** 400 here, where other routes answer 415: RFC 6749 knows no other status for a request that it cannot read. */
function unreadable(): OAuthFailure {
  return invalidRequest('', `Send the body as ${FORM_TYPE} or application/json in UTF-8`);
}

/** What RFC 6749 allows in `error_description`; the envelope's message stays equal to it. */
function printable(text: string): string {
  return text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?');
}

/** Metadata that a client library finds out by itself (RFC 8414), so that nothing but the issuer has to be typed in. */
function serverMetadata(baseUrl: string) {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
    code_challenge_methods_supported: ['S256', 'plain'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
    scopes_supported: ['read:*', 'write:*'],
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    introspection_endpoint: `${baseUrl}/oauth/introspect`,
    authorization_response_iss_parameter_supported: true,
  };
}
