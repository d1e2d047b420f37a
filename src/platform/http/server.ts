import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type {
  FastifyHttpOptions,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawServerDefault,
} from 'fastify';
import type { ServiceConfig } from '../../config/config.ts';
import { hasUnknownExpectation, holdExpectedBodies, isBodyHeldBack } from '../body/expect-continue.ts';
import { bodyFailure } from '../body/failures.ts';
import { Failure } from '../errors.ts';
import type { VersionName } from '../version-name.ts';
import { CLOSING_SWEEP_MILLISECONDS } from './listen.ts';
import type { Readiness } from './readiness.ts';

/** From the first byte to the last of the body; Fastify's default would switch Node's own limit off. */
const REQUEST_TIMEOUT_MILLISECONDS = 30_000;
/** Every 408 comes up to this much late. */
const CONNECTIONS_CHECK_MILLISECONDS = 5_000;
/** Longer than the 60 seconds after which balancers drop idle connections, so that they are the ones who close. */
const KEEP_ALIVE_MILLISECONDS = 72_000;
/** A reader who takes nothing of an answer for so long has gone, or does not want it. */
const IDLE_MILLISECONDS = 60_000;
/** Headers and address together; above: 431. */
const HEADER_BYTES_MAX = 16 * 1024;

type ServerOptions = FastifyHttpOptions<RawServerDefault>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The version that the answer speaks; the latest stable one until the request's own is known. */
    apiVersion: VersionName;
    /**
     * Where the request came from, kept at its begin: Fastify's own `ip` is gone as soon as the caller is. Empty where it
     * was gone before.
     */
    remoteAddress: string;
  }
}

/** How a failure is told where no route answers. Handed in by who knows envelopes and pages. */
export interface UnroutedAnswers {
  version: VersionName;
  /** The envelope, as JSON. */
  textOf(failure: Failure, requestId: string): string;
  /** The envelope, or a page for a person. Status and headers are set before. */
  send(failure: Failure, request: FastifyRequest, reply: FastifyReply): void;
}

/**
 * Time-outs, limits, and answers to what never becomes a request. Fastify's own `handlerTimeout` stays off: it also counts
 * the time in which the body arrives, and makes and aborts a signal for every request, which took 4 % of the time of
 * small ones. Handlers are held to their time where they are called.
 */
export function serverOptions(config: ServiceConfig, answers: UnroutedAnswers): ServerOptions {
  const headersOf = (requestId: string) => basicHeaders(requestId, config.BASE_URL, answers.version);
  return {
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    /* Without a byte in either direction; between two requests the limit above stands in its place. */
    connectionTimeout: IDLE_MILLISECONDS,
    http: {
      connectionsCheckingInterval: CONNECTIONS_CHECK_MILLISECONDS,
      maxHeaderSize: HEADER_BYTES_MAX,
      /*
       * Measured on Node 26: with the default of 60 s, which is longer than the limit of the whole request, a request
       * whose body never ends is never given up.
       */
      requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
      headersTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    },
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      /* With the default of 100 a long id would be 414, not 404. */
      maxParamLength: HEADER_BYTES_MAX,
    },
    trustProxy: config.TRUSTED_PROXIES.length > 0 ? [...config.TRUSTED_PROXIES] : false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    exposeHeadRoutes: true,
    /* Fastify's own 503 while closing has no envelope; what still arrives is served, and its connection closed. */
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerOnSocket(error, socket, answers, headersOf),
    /* The path cannot be decoded: no route, no hook and no error handler sees such a request. */
    frameworkErrors: (error, request, anyReply) => {
      const reply = anyReply as unknown as FastifyReply;
      const failure = bodyFailure('The path cannot be decoded', { status: error.statusCode ?? 400 });
      reply.code(failure.status).headers(headersOf(request.id));
      answers.send(failure, request, reply);
    },
  };
}

/** RFC 6797: a browser that was here once asks by https only. Not in a local start, which has no https. */
const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=31536000' };

/** On every answer; what may be kept by a cache says so itself later. */
function basicHeaders(requestId: string, address: string, version: VersionName) {
  return {
    ...(address.startsWith('https://') ? STRICT_TRANSPORT : {}),
    'x-request-id': requestId,
    'x-api-version': version,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
}

const SOCKET_ANSWERS: Readonly<Record<string, { status: number; reason: string; message: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: 'Request Header Fields Too Large',
    message: `Address and headers together are larger than ${HEADER_BYTES_MAX} bytes`,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    reason: 'Payload Too Large',
    message: 'The extensions of a chunk are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    reason: 'Request Timeout',
    message: `The request did not arrive completely within ${REQUEST_TIMEOUT_MILLISECONDS / 1_000} seconds`,
  },
};
const MALFORMED = { status: 400, reason: 'Bad Request', message: 'Not a well-formed HTTP/1.1 request' };

/** Framing errors have neither request nor reply: status line and envelope go to the socket as they are. */
function answerOnSocket(
  error: NodeJS.ErrnoException,
  socket: Socket,
  answers: UnroutedAnswers,
  headersOf: (requestId: string) => Record<string, string>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunToAnswer(socket)) {
    socket.destroy(error);
    return;
  }
  const { status, reason, message } = SOCKET_ANSWERS[error.code ?? ''] ?? MALFORMED;
  const requestId = randomUUID();
  const body = answers.textOf(bodyFailure(message, { status }), requestId);
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(headersOf(requestId)).map(([name, value]) => `${name}: ${value}`),
  ].join('\r\n');
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
}

const replies = new WeakMap<Socket, FastifyReply>();

/** A second status line in the middle of an answer would be read as a part of it. */
function hasBegunToAnswer(socket: Socket): boolean {
  const reply = replies.get(socket);
  return reply?.raw.headersSent === true && !reply.raw.writableFinished;
}

/** Paths that a prober inside the network asks without TLS. */
export const PLAIN_HTTP_PATHS: readonly string[] = ['/health', '/livez', '/readyz', '/metrics'];

/**
 * The first hook of every request: what Node lets pass and no proxy would read the same way. Two `Host` headers and a
 * request line without a version are refused, as is plain HTTP where the service is reached by https.
 */
export function installFramingChecks(
  app: FastifyInstance,
  config: Pick<ServiceConfig, 'BASE_URL'>,
  readiness: Pick<Readiness, 'closing'>,
): void {
  const isHttpsOnly = config.BASE_URL.startsWith('https://');

  holdExpectedBodies(app.server);

  app.addHook('onRequest', (request, reply, done) => {
    replies.set(request.raw.socket, reply);
    request.remoteAddress = request.ip ?? '';
    reply.headers(basicHeaders(request.id, config.BASE_URL, request.apiVersion));
    done(framingProblem(request) ?? (isHttpsOnly ? plainHttpProblem(request) : undefined));
  });

  /* A kept-alive connection would hold up the end of the process for as long as it may idle. */
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (readiness.closing || isBodyHeldBack(request.raw)) reply.header('connection', 'close');
    done();
  });

  /* An answer whose head was sent before says nothing of it, and Node closes only what idles when the end begins. */
  app.addHook('preClose', async () => {
    const sweep = setInterval(() => app.server.closeIdleConnections(), CLOSING_SWEEP_MILLISECONDS);
    app.server.once('close', () => clearInterval(sweep));
  });
}

function framingProblem(request: FastifyRequest): Failure | undefined {
  if (hasUnknownExpectation(request.raw)) {
    return bodyFailure('The only expectation is 100-continue', {
      status: 417,
      headers: { connection: 'close' },
    });
  }
  const { httpVersion, rawHeaders } = request.raw;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts <= 1 && (httpVersion === '1.1' || httpVersion === '1.0')) return undefined;
  const message = hosts > 1 ? 'More than one Host header' : 'The request line must name HTTP/1.1 or HTTP/1.0';
  return bodyFailure(message, { headers: { connection: 'close' } });
}

function plainHttpProblem(request: FastifyRequest): Failure | undefined {
  if (request.protocol === 'https' || PLAIN_HTTP_PATHS.includes(request.routeOptions.url ?? ''))
    return undefined;
  return new Failure('BAD_REQUEST', {
    message:
      'This service answers over https only. Behind a proxy that ends TLS, TRUSTED_PROXIES has to name where it comes from',
  });
}
