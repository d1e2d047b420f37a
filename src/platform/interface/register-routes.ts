import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { IF_OUTCOME_UNKNOWN, unavailable } from '../errors.ts';
import { type FairQueue, type InTurn, ownPiece } from '../fair-queue.ts';
import { isRead } from '../http/prepare-reply.ts';
import type { Principal } from '../principal.ts';
import { answerText } from './answer-text.ts';
import { bodyAndHeadersOf } from './answer-with-headers.ts';
import { checkInput, isUnread, keptInput, readAndCheck } from './check-input.ts';
import { assertPathIds, CheckedRequest } from './checked-request.ts';
import { encode, encodeOne } from './encode.ts';
import { type FindPrepared, preparedAnswers } from './prepared-answer.ts';
import { callerOfRequest, principalOf } from './request-context.ts';
import {
  type ApiRequest,
  type ApiRoute,
  type Page,
  type PreparedAnswer,
  type Redirect,
  routeName,
} from './route.ts';
import type { VersionEngine } from './versioning.ts';
import { wholeList } from './whole-list.ts';

/** How long the work on one request may take once its body has arrived. */
export const HANDLER_TIMEOUT_MILLISECONDS = 20_000;

export interface RegisterOptions {
  versions: VersionEngine;
  queue: FairQueue;
  cursorKey: string;
  /** Keeps in the audit log who read personal data, of a list with the items of a page; must not throw. */
  onPersonalRead(
    principal: Principal,
    request: FastifyRequest,
    route: ApiRoute,
    shown?: readonly unknown[],
  ): void;
  /** Counts what a request newly stored, whoever still waits for its answer; must not throw. */
  onStored(principal: Principal, rows: number): void;
  /** How long the work on one request may take; 20 s where absent. */
  handlerMilliseconds?: number;
}

interface AnswerOptions extends RegisterOptions {
  findPrepared: FindPrepared;
}

/** Puts every route of the interface into Fastify: one handler shape, validation by the request's own version. */
export function registerRoutes(app: FastifyInstance, options: RegisterOptions): void {
  const answering: AnswerOptions = { ...options, findPrepared: preparedAnswers() };
  const milliseconds = options.handlerMilliseconds ?? HANDLER_TIMEOUT_MILLISECONDS;
  for (const route of options.versions.routes) {
    const name = routeName(route);
    const inputOf =
      route.prepared === true
        ? keptInput(options, route)
        : (request: FastifyRequest) => checkInput(options, route, request);
    app.route({
      method: route.method,
      url: route.path.replace(/\{([a-z_]+)\}/g, ':$1'),
      config: { api: { route, name } },
      /* Prepared answers are compressed once for all callers. */
      ...(route.prepared === true && { compress: false }),
      preValidation: (request, _reply, done) => {
        try {
          if (!isUnread(route, request)) request.checked = inputOf(request);
        } catch (error) {
          request.releaseBody?.();
          throw error;
        }
        done();
      },
      handler: async (request, reply) => {
        let send: SendAnswer;
        try {
          send = await withinTime(milliseconds, request, answerInTurn(answering, route, request, reply));
        } finally {
          request.releaseBody?.();
        }
        return send();
      },
    });
  }
}

/** Of a request that reads and of one that may have changed something. */
const TOO_LATE = {
  read: 'The request took too long; nothing was changed, and it may be sent again',
  change: `The request took too long; its outcome is unknown. ${IF_OUTCOME_UNKNOWN}`,
} as const;

/**
 * The caller hears 503 when the work takes too long; the work itself goes on to its own limits (statement time-outs of
 * the database, the signal of the request). Counted from here, not from the first byte of a slow body. One promise: a
 * race of two has five.
 */
export function withinTime<Result>(
  milliseconds: number,
  request: FastifyRequest,
  work: Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      request.isTooLate = true;
      reject(unavailable(isRead(request) ? TOO_LATE.read : TOO_LATE.change));
    }, milliseconds);
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/**
 * Sends the answer that was found. Not part of the work that is held to its time: a long list is written for as long as
 * its reader takes something of it, and an answer that was begun cannot become a 503.
 */
type SendAnswer = () => FastifyReply;

function answerInTurn(options: AnswerOptions, route: ApiRoute, request: FastifyRequest, reply: FastifyReply) {
  const answer = () => answerOf(options, route, request, reply);
  const isGone = () => reply.raw.destroyed;
  if (isUnread(route, request)) {
    const readAndAnswer = async () => {
      await ownPiece();
      readAndCheck(options, route, request);
      return await answer();
    };
    return options.queue.inTurn(callerOfRequest(request), readAndAnswer, { isGone });
  }
  const length = request.checked?.turn ?? null;
  if (length === null) return answer();
  return options.queue.inTurn(callerOfRequest(request), answer, { length, isGone });
}

async function answerOf(
  options: AnswerOptions,
  route: ApiRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SendAnswer> {
  assertPathIds(request);
  const principal = principalOf(request);
  const apiRequest = new CheckedRequest(options, route, request, reply);
  /* Also of a HEAD: the length of an answer tells whether somebody is in it. */
  const keepRead = (shown?: readonly unknown[]) => {
    if (route.readsPersonalData === true) options.onPersonalRead(principal, request, route, shown);
  };
  if (route.list !== undefined && !options.versions.hasPages(request.apiVersion)) {
    const inTurn: InTurn = (work) => options.queue.inTurn(callerOfRequest(request), work);
    const isHead = request.method === 'HEAD';
    /* Of a HEAD neither the items are shown nor their length. */
    const onPage = isHead ? () => {} : keepRead;
    const texts = await answerWhole(options.versions, route, apiRequest, inTurn, onPage);
    if (!isHead) return () => reply.type('application/json; charset=utf-8').send(texts);
    /* Fastify would read the list to its end for an answer without a body. */
    texts.destroy();
    return () => reply.type('application/json; charset=utf-8').send(Readable.from([]));
  }
  const result = await route.handler(apiRequest);
  if (route.storedRows !== undefined) {
    request.rowsStored = route.storedRows(result);
    options.onStored(principal, request.rowsStored);
  }
  if (route.prepared === true) {
    const send = await options.findPrepared(request, reply, result as PreparedAnswer);
    keepRead();
    return send;
  }
  if (route.redirectsTo !== undefined) {
    const { location } = result as Redirect;
    keepRead();
    return () => reply.redirect(location, 302);
  }
  const { body, headers } = bodyAndHeadersOf(result);
  const text = answerText(encode(options.versions, route, request.apiVersion, body));
  keepRead(route.list === undefined ? undefined : (body as Page<unknown>).items);
  return () => reply.headers(headers).type('application/json; charset=utf-8').send(text);
}

function answerWhole(
  versions: VersionEngine,
  route: ApiRoute,
  apiRequest: ApiRequest,
  inTurn: InTurn,
  onPage: (items: readonly unknown[]) => void,
) {
  return wholeList(
    inTurn,
    async (portion) => {
      const part: ApiRequest = Object.create(apiRequest, {
        list: { value: { ...apiRequest.list, ...portion } },
      });
      const page = (await route.handler(part)) as Page<unknown>;
      onPage(page.items);
      return page;
    },
    (item) => encodeOne(versions, route, apiRequest.version, item),
  );
}
