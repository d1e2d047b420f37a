import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { STRANGERS } from '../fair-queue.ts';
import { receiveBody } from './body.ts';
import { holdUntilOver } from './release.ts';
import type { BodyRoom } from './room.ts';

/** The limit for callers who are not known yet: it fits a form, or a token request. */
export const SMALL_BODY_BYTES_MAX = 16 * 1024;

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A small body of somebody who is not known yet. Its room is given back when the request was answered. */
export async function receiveSmallBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  room: BodyRoom,
): Promise<Buffer> {
  const limits = { bytesMax: SMALL_BODY_BYTES_MAX, room, holder: STRANGERS.path[0], codings: false };
  const { bytes, release } = await receiveBody(payload, request.headers, limits);
  holdUntilOver(request, release);
  return bytes;
}

/** Forms of pages. A name that was sent more than once has an array of texts. */
export function installFormParser(app: FastifyInstance, room: BodyRoom): void {
  app.addContentTypeParser(FORM_TYPE, async (request: FastifyRequest, payload: IncomingMessage) => {
    const bytes = await receiveSmallBody(request, payload, room);
    return parse(bytes.toString(), '&', '=', { maxKeys: 0 });
  });
}
