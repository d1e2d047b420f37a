import { randomInt } from 'node:crypto';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { CommitUnknown } from '../database/db.ts';
import { isDatabaseUnavailable } from '../database/pg-errors.ts';
import { Failure, unavailable } from '../errors.ts';

/** Clients that were turned away together must not come back together. */
const RETRY_AFTER_SECONDS_MIN = 5;
const RETRY_AFTER_SECONDS_MAX = 15;

export function isRead({ method }: Pick<FastifyRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** What Fastify and its parts throw by themselves, as a failure of the catalogue. */
function failureOf(error: FastifyError, request: FastifyRequest): Failure {
  if (error instanceof CommitUnknown && isRead(request)) return unavailable(undefined, error.cause);
  if (error instanceof Failure) return error;
  if (isDatabaseUnavailable(error)) return unavailable(undefined, error);
  const status = error.statusCode ?? 500;
  if (status === 503) return unavailable(undefined, error);
  if (status >= 400 && status < 500) {
    return new Failure('BAD_REQUEST', {
      status,
      entries: [{ code: 'custom', field: '', message: error.message }],
      cause: error,
    });
  }
  return new Failure('INTERNAL_SERVER_ERROR', { cause: error });
}

/** Status and headers of a failure. Its body is an envelope or a page, as the place has it. */
export function prepareReply(error: FastifyError, request: FastifyRequest, reply: FastifyReply): Failure {
  const failure = failureOf(error, request);
  if (failure.status === 500) request.log.error({ err: error }, 'unforeseen failure');
  else if (failure.status === 503) request.log.warn({ err: failure.cause ?? failure }, 'turned away');
  reply.code(failure.status).headers(failure.headers);
  if (failure.status === 503) {
    reply.header('retry-after', randomInt(RETRY_AFTER_SECONDS_MIN, RETRY_AFTER_SECONDS_MAX + 1));
  }
  return failure;
}
