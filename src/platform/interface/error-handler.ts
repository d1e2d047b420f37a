import { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import type { ErrorCode, Failure } from '../errors.ts';
import { sendErrorPage } from '../http/pages/public.ts';
import { prepareReply } from '../http/prepare-reply.ts';
import type { UnroutedAnswers } from '../http/server.ts';
import { apiRouteOf, expectsPage } from './request-context.ts';
import { problemsOf } from './request-record.ts';
import type { ErrorEnvelope } from './version-change.ts';
import type { VersionEngine } from './versioning.ts';

export interface ErrorAnswers {
  docsBase: string;
  versions: VersionEngine;
}

export function envelopeOf(failure: Failure, request: FastifyRequest, answers: ErrorAnswers): ErrorEnvelope {
  const envelope = newestEnvelope(failure, request.id, answers);
  return answers.versions.backwardError(apiRouteOf(request)?.name ?? null, request.apiVersion, envelope);
}

function newestEnvelope(failure: Failure, requestId: string, { docsBase }: ErrorAnswers): ErrorEnvelope {
  return {
    code: failure.code,
    message: failure.message,
    requestId,
    docs: `${docsBase}/errors/${failure.code satisfies ErrorCode}`,
    ...(failure.entries.length > 0 ? { errors: failure.entries } : {}),
  };
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

/** For what the server refuses before its version is known: the latest stable one speaks. */
export function unroutedAnswers(answers: ErrorAnswers): UnroutedAnswers {
  const version = answers.versions.list.latestStable;
  const textOf = (failure: Failure, requestId: string) =>
    JSON.stringify(
      answers.versions.backwardError(null, version, newestEnvelope(failure, requestId, answers)),
    );
  return {
    version,
    textOf,
    send: (failure, request, reply) => {
      if (expectsPage(request)) sendErrorPage(reply, failure, request.id);
      else void reply.type('application/json; charset=utf-8').send(textOf(failure, request.id));
    },
  };
}

/** The one place where a failure becomes an answer. */
export function installErrorHandler(app: FastifyInstance, answers: ErrorAnswers): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = prepareReply(error, request, reply);
    request.problems = problemsOf(failure.entries);
    if (expectsPage(request)) return sendErrorPage(reply, failure, request.id);
    return reply
      .type('application/json; charset=utf-8')
      .send(envelopeText(envelopeOf(failure, request, answers)));
  });
}
