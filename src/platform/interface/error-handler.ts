import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../database/pg-errors.ts';
import { type ErrorCode, Failure, unavailable } from '../errors.ts';
import { sendErrorPage } from '../http/pages/public.ts';
import { apiRouteOf, isPageAsked } from './request-context.ts';
import { problemsOf } from './request-record.ts';
import type { ErrorEnvelope } from './version-change.ts';
import type { VersionEngine } from './versioning.ts';

/** Clients that were turned away together must not come back together. */
const RETRY_AFTER_SECONDS_MIN = 5;
const RETRY_AFTER_SECONDS_MAX = 15;

export interface ErrorAnswers {
  docsBase: string;
  versions: VersionEngine;
}

/** What Fastify and its parts throw by themselves, as a failure of the catalogue. */
function failureOf(error: FastifyError): Failure {
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

export function envelopeOf(failure: Failure, request: FastifyRequest, answers: ErrorAnswers): ErrorEnvelope {
  const envelope: ErrorEnvelope = {
    code: failure.code,
    message: failure.message,
    requestId: request.id,
    docs: `${answers.docsBase}/errors/${failure.code satisfies ErrorCode}`,
    ...(failure.entries.length > 0 ? { errors: failure.entries } : {}),
  };
  return answers.versions.backwardError(apiRouteOf(request)?.name ?? null, request.apiVersion, envelope);
}

/** Status and headers of a failure; the body follows from `envelopeOf`. */
export function prepareReply(error: FastifyError, request: FastifyRequest, reply: FastifyReply): Failure {
  const failure = failureOf(error);
  if (failure.status === 500) request.log.error({ err: error }, 'unforeseen failure');
  else if (failure.status === 503) request.log.warn({ err: failure.cause ?? failure }, 'turned away');
  reply.code(failure.status).headers(failure.headers);
  if (failure.status === 503) {
    reply.header('retry-after', randomInt(RETRY_AFTER_SECONDS_MIN, RETRY_AFTER_SECONDS_MAX + 1));
  }
  return failure;
}

/** So many entries are written at a time: 1 ms. */
const ENTRIES_OF_PIECE = 1_000;

/**
 * The envelope as JSON. A batch of 10,000 rows may have some ten thousand problems: such a list is written piece by piece,
 * as its reader takes it.
 */
function envelopeText(envelope: ErrorEnvelope): string | Readable {
  const { errors = [], ...head } = envelope;
  if (errors.length <= ENTRIES_OF_PIECE) return JSON.stringify(envelope);
  return Readable.from(
    (function* pieces() {
      yield `${JSON.stringify(head).slice(0, -1)},"errors":[`;
      for (let from = 0; from < errors.length; from += ENTRIES_OF_PIECE) {
        const entries = errors.slice(from, from + ENTRIES_OF_PIECE);
        yield `${from === 0 ? '' : ','}${JSON.stringify(entries).slice(1, -1)}`;
      }
      yield ']}';
    })(),
    { objectMode: false },
  );
}

/** The one place where a failure becomes an answer. */
export function installErrorHandler(app: FastifyInstance, answers: ErrorAnswers): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = prepareReply(error, request, reply);
    request.problems = problemsOf(failure.entries);
    if (isPageAsked(request)) return sendErrorPage(reply, failure, request.id);
    return reply
      .type('application/json; charset=utf-8')
      .send(envelopeText(envelopeOf(failure, request, answers)));
  });
}
