import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BufferPool } from '../database/buffer-pool.ts';
import { apiRouteOf } from '../interface/request-context.ts';
import { type BodyLimits, readBody, receiveBody } from './body.ts';
import { checkContentType } from './content-type.ts';
import { JsonText } from './json-text.ts';
import { type BodyRoom, STRANGERS } from './room.ts';
import { createBodyTurns } from './turns.ts';

/** Enough for every JSON body but a batch of snapshots, which names its own limit. */
export const BODY_BYTES_MAX = 1024 * 1024;

/** A batch of 10,000 rows has 1 to 1.5 MB. */
const POOLED_BODY_BYTES = 2 * 1024 * 1024;
const POOLED_BODIES_MAX = 8;

/**
 * Replaces Fastify's own parsers: they accept invalid UTF-8, a byte order mark and foreign charsets, and know no
 * codings. Runs after the gate, so nobody without a token makes the service read a body.
 */
export function installBodyParser(app: FastifyInstance, room: BodyRoom): void {
  const pool = new BufferPool({ bytes: POOLED_BODY_BYTES, keepMax: POOLED_BODIES_MAX });
  const turns = createBodyTurns();
  app.removeAllContentTypeParsers();
  /* Fastify refuses an unreadable content type by itself, without saying which types are accepted. */
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (apiRouteOf(request)?.route.body !== undefined)
      checkContentType(request.headers, ['application/json']);
    done();
  });
  const parse = async (request: FastifyRequest, payload: IncomingMessage) => {
    checkContentType(request.headers, ['application/json']);
    const route = apiRouteOf(request)?.route;
    const limits: BodyLimits = {
      bytesMax: route?.bodyBytesMax ?? BODY_BYTES_MAX,
      room,
      holder: request.principal?.organization ?? STRANGERS,
      codings: request.principal !== null,
    };
    if (route?.readsOwnBody === true) {
      const { bytes, release } = await receiveBody(payload, request.headers, { ...limits, pool });
      request.releaseBody = release;
      const turn = turns(bytes.length);
      if (turn !== undefined) await turn;
      return new JsonText(bytes, pool);
    }
    const { bytes, value, release } = await readBody(payload, request.headers, limits);
    request.bodyBytes = bytes;
    request.releaseBody = release;
    return value;
  };
  /* By its name as well: what only `*` takes, Fastify analyses anew for every request, 1 µs. */
  app.addContentTypeParser(['application/json', '*'], parse);
  /* Also runs when the client went away before the answer. */
  app.addHook('onResponse', (request, _reply, done) => {
    request.releaseBody?.();
    done();
  });
}
