import { connect } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { batman } from '../../src/api/versions/2025-12-16-batman.ts';
import { readServiceConfig, type ServiceConfig } from '../../src/config/config.ts';
import { LATEST_STABLE_VERSION, VERSIONS } from '../../src/config/versions.ts';
import { accessDescription } from '../../src/identity/oauth/description.ts';
import { BodyRoom } from '../../src/platform/body/room.ts';
import { Failure } from '../../src/platform/errors.ts';
import { FairQueue } from '../../src/platform/fair-queue.ts';
import { healthRoutes } from '../../src/platform/http/health.ts';
import { installFramingChecks, serverOptions } from '../../src/platform/http/server.ts';
import { installBodyParser } from '../../src/platform/interface/body-parser.ts';
import { installErrorHandler, unroutedAnswers } from '../../src/platform/interface/error-handler.ts';
import { registerRoutes } from '../../src/platform/interface/register-routes.ts';
import { installRequestGate } from '../../src/platform/interface/request-gate.ts';
import { createVersionEngine } from '../../src/platform/interface/versioning.ts';
import { openApiRoutes } from '../../src/platform/openapi/openapi.ts';
import type { Principal } from '../../src/platform/principal.ts';
import { type Gate, type Portions, wireRoutes } from './wire-routes.ts';

/** The token that the small application takes; every other one is refused. */
export const TOKEN = 'good-token';

const principal: Principal = {
  organization: 'org_000000000000000000000001',
  client: 'oac_000000000000000000000001',
  scopes: ['read:*', 'write:*'],
  version: LATEST_STABLE_VERSION,
};

const UNCOUNTED = {
  allowed: true,
  limit: 1,
  remaining: 1,
  secondsUntilFull: 0,
  secondsUntilNext: 1,
  shared: false,
};

export interface WireApp {
  app: FastifyInstance;
  port: number;
  baseUrl: string;
  room: BodyRoom;
  /** Portions of the list of things that were read by now. */
  portionsRead(): number;
  /** Batches whose handler was called by now. */
  batchesBegun(): number;
  /** Batches whose handler was told to stop by now. */
  stoppedBatches(): number;
  /** Rows of batches that were counted as stored by now. */
  rowsStored(): number;
  /** Keeps batches from being answered until the returned function is called. */
  holdBatches(): () => void;
  /** Sends a body with the good token, as JSON unless the headers say otherwise. */
  post(path: string, body: Body, headers?: Record<string, string>): Promise<JsonAnswer>;
  close(): Promise<void>;
}

type Body = string | Uint8Array | ReadableStream | null;

export interface JsonAnswer {
  status: number;
  headers: Headers;
  json: Record<string, unknown>;
}

async function postTo(baseUrl: string, path: string, body: Body, headers: Record<string, string> = {}) {
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
    body,
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  } as RequestInit);
  const json = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, json };
}

/**
 * The platform on a real port, with small routes and one token: everything of HTTP, nothing of a database.
 * `patience`: milliseconds after which an incomplete request is given up. `portions`: length of the list of things, 100 kB
 * each, which the oldest version then gets at once. `extend`: adds a route of the caller's own.
 */
export async function startWireApp(
  settings: {
    environment?: Record<string, string>;
    room?: BodyRoom;
    reasons?: () => string[];
    patience?: number;
    handlerMilliseconds?: number;
    idleMilliseconds?: number;
    portions?: number;
    extend?: (app: FastifyInstance) => void;
  } = {},
): Promise<WireApp> {
  const config = wireConfig(settings.environment);
  const room = settings.room ?? new BodyRoom();
  const gate: Gate = { open: Promise.resolve(), begun: 0, stopped: 0 };
  let stored = 0;
  const portions: Portions = { count: settings.portions ?? 0, read: 0 };
  const versions = createVersionEngine(
    VERSIONS,
    portions.count === 0 ? [] : batman,
    wireRoutes(gate, portions),
  );
  const answers = { docsBase: config.docsBase, versions };
  const options = serverOptions(config, unroutedAnswers(answers));
  const { patience, handlerMilliseconds, idleMilliseconds } = settings;
  const app = Fastify({
    ...options,
    ...(idleMilliseconds !== undefined && { connectionTimeout: idleMilliseconds }),
    ...(patience === undefined
      ? {}
      : {
          requestTimeout: patience,
          http: {
            ...options.http,
            requestTimeout: patience,
            headersTimeout: patience,
            connectionsCheckingInterval: 20,
          },
        }),
  });
  app.decorateRequest('apiVersion', LATEST_STABLE_VERSION);
  app.decorateRequest('principal', null);
  app.decorateRequest('caller', null);
  app.decorateRequest('remoteAddress', '');
  app.decorateRequest('bodyBytes', null);
  app.decorateRequest('releaseBody', null);
  app.decorateRequest('isOver', false);
  app.decorateRequest('isTooLate', false);
  app.decorateRequest('checked', null);
  app.decorateRequest('rowsStored', null);

  installErrorHandler(app, answers);
  const queue = new FairQueue();
  const readiness = { closing: false };
  app.addHook('preClose', async () => {
    readiness.closing = true;
  });
  installFramingChecks(app, config, readiness);
  installRequestGate(app, {
    versions,
    authenticate: async (authorization) => {
      if (authorization !== `Bearer ${TOKEN}`) throw new Failure('UNAUTHORIZED');
      return { principal, standing: 'in_order', rate: { perSecond: 1, burst: 1 }, isOfOneCustomer: false };
    },
    limiter: { take: async () => UNCOUNTED },
    queue,
  });
  installBodyParser(app, { bodyRoom: room, queue });
  healthRoutes(app, {
    config,
    metrics: { contentType: 'text/plain; version=0.0.4; charset=utf-8', text: async () => 'up 1\n' },
    readiness: { reasons: async () => settings.reasons?.() ?? [] },
  });
  openApiRoutes(app, { config, versions, access: accessDescription, webhooks: [] });
  registerRoutes(app, {
    versions,
    queue,
    cursorKey: config.CURSOR_KEY,
    onPersonalRead: () => {},
    onStored: (_principal, rows) => {
      stored += rows;
    },
    ...(handlerMilliseconds !== undefined && { handlerMilliseconds }),
  });
  settings.extend?.(app as FastifyInstance);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  return {
    app,
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    room,
    portionsRead: () => portions.read,
    batchesBegun: () => gate.begun,
    stoppedBatches: () => gate.stopped,
    rowsStored: () => stored,
    holdBatches: () => {
      let release = () => {};
      gate.open = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    post: (path, body, headers) => postTo(`http://127.0.0.1:${port}`, path, body, headers),
    close: () => app.close(),
  };
}

function wireConfig(environment: Record<string, string> = {}): ServiceConfig {
  return readServiceConfig({
    APP_ENV: 'test',
    BASE_URL: 'http://127.0.0.1:4300',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    REDIS_URL: 'redis://127.0.0.1:1',
    SECRET_PEPPER: 'p'.repeat(43),
    ENCRYPTION_KEY: 'e'.repeat(43),
    CURSOR_KEY: 'c'.repeat(43),
    ...environment,
  });
}

/** The entries of an answer whose body was refused as a whole. */
export function wholeBody(message: RegExp): unknown {
  return [{ code: 'custom', field: '', message: expect.stringMatching(message) }];
}

export interface RawAnswer {
  /** 0 when the connection ended without an answer. */
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The server ended the connection. */
  closed: boolean;
}

/** Sends bytes as they are and reads one answer; waits for the end of the connection where the answer announces it. */
export function sendRaw(port: number, ...parts: (string | Buffer)[]): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect({ host: '127.0.0.1', port }, () => {
      const bytes = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
      socket.write(Buffer.concat(bytes));
    });
    const finish = (closed: boolean) => {
      socket.destroy();
      resolve(parseAnswer(received, closed));
    };
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const answer = parseAnswer(received, false);
      const isComplete =
        Buffer.byteLength(answer.body) >= Number(answer.headers['content-length'] ?? Infinity);
      if (isComplete && answer.headers.connection !== 'close') finish(false);
    });
    socket.on('end', () => finish(true));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (received.length > 0 || error.code === 'ECONNRESET') finish(true);
      else reject(error);
    });
  });
}

function parseAnswer(received: Buffer, closed: boolean): RawAnswer {
  const text = received.toString();
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return { status: 0, headers: {}, body: '', closed };
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  if (status === 100) return parseAnswer(received.subarray(end + 4), closed);
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  return { status, headers, body: text.slice(end + 4), closed };
}
