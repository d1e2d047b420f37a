import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyInterrupted } from './failures.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives the room of the body back; harmless when it is called twice. */
    releaseBody: (() => void) | null;
    /** Answered, or left by its caller; known of requests that may have a body. */
    isOver: boolean;
  }
}

/*
 * The room of a body is given back when its request is over: answered, or left by its caller. A caller may leave before
 * the body has been read, and then nothing is sent and no `onResponse` runs; the end of the response comes in each case.
 */

/** To be called before the body is read. */
export function giveBackWhenOver(request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once('close', () => {
    request.isOver = true;
    request.releaseBody?.();
  });
}

/** Keeps what was received until the request is over; throws where it is over already. */
export function holdUntilOver(request: FastifyRequest, release: () => void): void {
  request.releaseBody = release;
  if (!request.isOver) return;
  release();
  throw bodyInterrupted();
}
