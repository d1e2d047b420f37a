import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type BodyLimits, receiveBody } from '../body/body.ts';
import { checkContentType } from '../body/content-type.ts';
import { SMALL_BODY_BYTES_MAX } from '../body/form-parser.ts';
import { JsonText, PARSED_AT_ONCE_BYTES_MAX } from '../body/json-text.ts';
import { giveBackWhenOver, holdUntilOver } from '../body/release.ts';
import type { BodyRoom } from '../body/room.ts';
import { BufferPool } from '../database/buffer-pool.ts';
import type { FairQueue } from '../fair-queue.ts';
import { apiRouteOf, callerOfRequest } from './request-context.ts';

/** Enough for every JSON body but a batch of snapshots, which names its own limit. */
export const BODY_BYTES_MAX = 1024 * 1024;

/** A batch of 10,000 rows has 1 to 1.5 MB. */
const POOLED_BODY_BYTES = 2 * 1024 * 1024;
const POOLED_BODIES_MAX = 8;

/**
 * Replaces Fastify's own parsers: they accept invalid UTF-8, a byte order mark and foreign charsets, and know no
 * codings. Runs after the gate, so nobody without a token makes the service read a body.
 */
export function installBodyParser(
  app: FastifyInstance,
  { bodyRoom: room, queue }: { bodyRoom: BodyRoom; queue: FairQueue },
): void {
  const pool = new BufferPool({ bytes: POOLED_BODY_BYTES, keepMax: POOLED_BODIES_MAX });
  app.removeAllContentTypeParsers();
  /* Fastify refuses an unreadable content type by itself, without saying which types are accepted. */
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (apiRouteOf(request)?.route.body !== undefined)
      checkContentType(request.headers, ['application/json']);
    if (request.method !== 'GET') giveBackWhenOver(request, reply);
    done();
  });
  const parse = async (request: FastifyRequest, payload: IncomingMessage) => {
    checkContentType(request.headers, ['application/json']);
    const route = apiRouteOf(request)?.route;
    const caller = callerOfRequest(request);
    const isStranger = request.principal === null;
    const limits: BodyLimits = {
      bytesMax: isStranger ? SMALL_BODY_BYTES_MAX : (route?.bodyBytesMax ?? BODY_BYTES_MAX),
      room,
      holder: caller.path[0],
      inTurn: (work) => queue.inTurn(caller, work),
      codings: !isStranger,
    };
    if (route?.readsOwnBody === true) {
      const { bytes, release } = await receiveBody(payload, request.headers, { ...limits, pool });
      holdUntilOver(request, release);
      const looked = queue.whenLooked(caller, bytes.length);
      if (looked !== undefined) await looked;
      return new JsonText(bytes, pool);
    }
    /* Before the body is sent, where the caller waits for that. */
    if (Number(request.headers['content-length']) > PARSED_AT_ONCE_BYTES_MAX) queue.admit(caller);
    const { bytes, release } = await receiveBody(payload, request.headers, limits);
    request.bodyBytes = bytes;
    holdUntilOver(request, () => {
      release();
      forgetUnread(request);
    });
    const text = new JsonText(bytes);
    return bytes.length > PARSED_AT_ONCE_BYTES_MAX ? text : text.parse();
  };
  /* By its name as well: what only `*` takes, Fastify analyses anew for every request, 1 µs. */
  app.addContentTypeParser(['application/json', '*'], parse);
}

/** One that still waits for its turn when its room is given back was told that it takes too long. */
function forgetUnread(request: FastifyRequest): void {
  if (!(request.body instanceof JsonText)) return;
  request.body = undefined;
  request.bodyBytes = null;
}
