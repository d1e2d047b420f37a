import type { AccessDescription } from '../../platform/openapi/access.ts';
import { ERROR } from '../../platform/openapi/parts.ts';
import type { SchemaComponents } from '../../platform/openapi/schemas.ts';

type Json = Record<string, unknown>;

const TOKEN_TAG = 'Tokens';

/** How a client says who it is where tokens are issued. */
const CLIENT_SECURITY: Json = {
  type: 'http',
  scheme: 'basic',
  description: 'Client id and secret. A client without a secret sends `client_id` in the body instead.',
};

const TOKEN_REQUEST: Json = {
  type: 'object',
  required: ['grant_type'],
  properties: {
    grant_type: {
      type: 'string',
      enum: ['client_credentials', 'authorization_code', 'refresh_token'],
      description:
        'What the token is asked for with: the client alone, the code of a customer, or a refresh token.',
    },
    code: { type: 'string', description: 'With `authorization_code`: works once, for 10 minutes.' },
    redirect_uri: { type: 'string', description: 'With `authorization_code`: as it was sent to authorize.' },
    code_verifier: { type: 'string', description: 'With `authorization_code`, where a challenge was sent.' },
    refresh_token: {
      type: 'string',
      description: 'With `refresh_token`: each use ends it, and the answer holds the next one.',
    },
    client_id: { type: 'string', description: 'Of a client without a secret.' },
    scope: {
      type: 'string',
      example: 'read:*',
      description:
        'Some of the scopes of the client, with one blank between them; left out: all of them. With `refresh_token` for this one access token, and never more than was granted at first.',
    },
  },
};

const TOKEN_RESPONSE: Json = {
  type: 'object',
  required: ['access_token', 'token_type', 'expires_in', 'scope'],
  properties: {
    access_token: { type: 'string', description: 'To be sent as `Authorization: Bearer …`.' },
    token_type: { type: 'string', const: 'Bearer', description: 'How the token is sent (RFC 6750).' },
    expires_in: { type: 'integer', description: 'Seconds.' },
    refresh_token: { type: 'string', description: 'Absent for a client that may not refresh.' },
    scope: {
      type: 'string',
      description: 'What was given: the scopes that were asked for, or all of the client.',
    },
  },
};

/** The envelope of every error, and the two members of RFC 6749, 5.2. */
const TOKEN_ERROR: Json = {
  type: 'object',
  required: [...ERROR.required, 'error', 'error_description'],
  properties: {
    ...ERROR.properties,
    error: {
      type: 'string',
      description: 'The code of RFC 6749, 5.2.',
      enum: [
        'invalid_request',
        'invalid_client',
        'invalid_grant',
        'invalid_scope',
        'unauthorized_client',
        'unsupported_grant_type',
        'slow_down',
        'temporarily_unavailable',
        'server_error',
      ],
    },
    error_description: { type: 'string', description: 'Equal to `message`.' },
  },
};

const RETRY_AFTER: Json = { 'Retry-After': { $ref: '#/components/headers/retryAfter' } };

/** RFC 7009 and RFC 7662 take the same. */
const TOKEN_QUESTION: Json = {
  type: 'object',
  required: ['token'],
  properties: {
    token: { type: 'string', description: 'An access token or a refresh token.' },
    token_type_hint: { type: 'string', description: 'Not needed: the form of a token shows its kind.' },
    client_id: { type: 'string', description: 'Of a client without a secret.' },
  },
};

const INTROSPECTION: Json = {
  type: 'object',
  required: ['active'],
  properties: {
    active: {
      type: 'boolean',
      description:
        'Whether it works now. A token that is dead, unknown or of another organization has nothing else.',
    },
    scope: { type: 'string', description: 'What it may do.' },
    client_id: { type: 'string', description: 'The client that it was given to.' },
    sub: { type: 'string', description: 'The customer for whom it acts; else the client.' },
    token_type: { type: 'string', enum: ['Bearer', 'refresh_token'], description: 'Which kind it is.' },
    iat: { type: 'integer', description: 'Seconds since 1970 at which it was given.' },
    exp: { type: 'integer', description: 'Seconds since 1970 at which it ends.' },
    iss: { type: 'string', description: 'This service.' },
    aud: { type: 'string', description: 'This service.' },
  },
};

const REQUEST_ID: Json = { 'X-Request-Id': { $ref: '#/components/headers/requestId' } };

/** The endpoints for tokens, which are the same in every version. */
function tokenPaths(components: SchemaComponents): Json {
  const error = components.add('TokenError', TOKEN_ERROR);
  const question = components.add('TokenQuestion', TOKEN_QUESTION);
  const refusal = (description: string, headers: Json = {}) => ({
    description,
    headers: { ...REQUEST_ID, ...headers },
    content: { 'application/json': { schema: error } },
  });
  const operation = (texts: Json, { schema, example }: { schema: Json; example: Json }, answer: Json) => ({
    post: {
      tags: [TOKEN_TAG],
      ...texts,
      security: [{ client: [] }, {}],
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': { schema, example },
          'application/json': { schema },
        },
      },
      responses: {
        '200': { headers: REQUEST_ID, ...answer },
        '400': refusal('The request, the grant type, the scope or the code is not valid.'),
        '401': refusal('Unknown client, wrong secret, or a refresh token that does not work any more.'),
        '408': refusal('The body did not arrive in time.'),
        '413': refusal('The body is too large.'),
        '415': refusal('The body has a content coding.'),
        '429': refusal('Too many requests, or too many wrong secrets (`slow_down`).', RETRY_AFTER),
        '500': refusal('A defect of the service.'),
        '503': refusal('Busy, restarting or without its database; try again.', RETRY_AFTER),
      },
    },
  });
  const json = (schema: Json) => ({ content: { 'application/json': { schema } } });
  return {
    '/oauth/token': operation(
      {
        operationId: 'postOauthToken',
        summary: 'Get an access token',
        description:
          'RFC 6749. 5 requests a second of one client, 20 at once; wrong secrets make further attempts wait. `X-API-Version` is not read.',
      },
      {
        schema: components.add('TokenRequest', TOKEN_REQUEST),
        example: { grant_type: 'client_credentials' },
      },
      { description: 'The tokens.', ...json(components.add('TokenResponse', TOKEN_RESPONSE)) },
    ),
    '/oauth/revoke': operation(
      {
        operationId: 'postOauthRevoke',
        summary: 'End a token',
        description:
          'RFC 7009. A refresh token ends with everything that was issued with it, an access token alone. `X-API-Version` is not read.',
      },
      { schema: question, example: { token: 'the token' } },
      { description: 'It does not work any more, or never did; no body.' },
    ),
    '/oauth/introspect': operation(
      {
        operationId: 'postOauthIntrospect',
        summary: 'Ask whether a token works',
        description: 'RFC 7662; for clients with a secret. `X-API-Version` is not read.',
      },
      { schema: question, example: { token: 'the token' } },
      { description: 'What is known of it.', ...json(components.add('Introspection', INTROSPECTION)) },
    ),
  };
}

function tokenSecurity(baseUrl: string): Json {
  const tokens = { tokenUrl: `${baseUrl}/oauth/token`, refreshUrl: `${baseUrl}/oauth/token` };
  const scopes = { 'read:*': 'All GET requests', 'write:*': 'All other requests' };
  return {
    type: 'oauth2',
    description:
      'Access tokens for an hour: for the organization from client id and secret, for one customer from that customer’s consent.',
    flows: {
      clientCredentials: { ...tokens, scopes },
      authorizationCode: { authorizationUrl: `${baseUrl}/oauth/authorize`, ...tokens, scopes },
    },
  };
}

/** What the description of the interface says of how a caller gets in. */
export const accessDescription: AccessDescription = {
  tag: TOKEN_TAG,
  schemes: (baseUrl) => ({ client: CLIENT_SECURITY, oauth2: tokenSecurity(baseUrl) }),
  securityOf: ({ method }) => [{ oauth2: [method === 'GET' ? 'read:*' : 'write:*'] }],
  paths: tokenPaths,
};
