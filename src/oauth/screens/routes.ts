import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream';
import cookie from '@fastify/cookie';
import csrf from '@fastify/csrf-protection';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { shortAddress } from '../../platform/audit.ts';
import { installFormParser } from '../../platform/body/form-parser.ts';
import { networkOf } from '../../platform/http/network.ts';
import { SCREEN_FRAME } from '../../platform/http/pages.ts';
import { prepareReply } from '../../platform/interface/error-handler.ts';
import { keyedHash } from '../../platform/keyed-hash.ts';
import { type RequestParts, refuse } from '../authorize/consent.ts';
import type { AuthorizationRequest } from '../authorize/request-queries.ts';
import { newBrowserKey } from '../secrets.ts';
import { consentScreen } from './consent-screen.ts';
import { createScreenLimits } from './limits.ts';
import { loginScreen } from './login-screen.ts';
import { screenHeaders, screensPath, showError, showScreen } from './pages.ts';
import { ForeignForm } from './schema.ts';
import type { Screens } from './screens.ts';
import { signUpScreen } from './sign-up-screen.ts';
import { verifyScreen } from './verify-screen.ts';
import { ScreenFailure, type Visit, visit } from './visit.ts';

const COOKIE_SECONDS = 15 * 60;

declare module 'fastify' {
  interface FastifyRequest {
    /** What the screen is about, once it is known: where a failure is answered to. */
    authorization: AuthorizationRequest | null;
  }
}

/**
 * Where customers sign in and say what a client may do. Plain pages and forms, without any script. What a request is
 * about never travels through a form; a cookie holds the browser to it.
 */
export async function hostedScreens(app: FastifyInstance, { deps }: { deps: Deps }): Promise<void> {
  const { config } = deps;
  const path = screensPath(config);
  const isSecure = config.authUrl.startsWith('https:');
  /* With this prefix a browser takes the cookie from this very host only, never from a neighbour below its domain. */
  const prefix = isSecure ? '__Host-' : '';
  const cookieName = `${prefix}voltstream-browser`;
  const cookieOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const;

  app.removeAllContentTypeParsers();
  await app.register(cookie);
  await app.register(csrf, {
    cookieKey: `${prefix}voltstream-form`,
    cookieOpts: cookieOptions,
    csrfOpts: {
      hmacKey: keyedHash(config.SECRET_PEPPER, 'forms', '').toString('base64url'),
      userInfo: true,
    },
    getUserInfo: (request) => textOf(request.query, 'transaction'),
    getToken: (request) => textOf(request.body, '_csrf'),
  });
  installFormParser(app, deps.bodyRoom);
  app.decorateRequest('authorization', null);
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(screenHeaders());
  });

  const limits = createScreenLimits(deps);
  const screens: Screens = {
    deps,
    path,
    addressOf: (screen, { id }) => `${config.authUrl}/${screen}?transaction=${id}`,
    answer: async (request, reply, options, work) => {
      const seconds = request.method === 'POST' ? await limits.secondsToWait(request.remoteAddress) : 0;
      if (seconds > 0) {
        reply.header('retry-after', seconds);
        throw new ScreenFailure('slow_down', 429);
      }
      let browserKey = request.cookies[cookieName];
      const looks = request.method === 'HEAD';
      if (browserKey === undefined && options.claims === true && !looks) browserKey = newBrowserKey();
      const visitor = { transaction: (request.query as Record<string, unknown>).transaction, browserKey };
      const next = await visit(deps, visitor, { ...options, looks }, async (visited) => {
        request.authorization = visited.request;
        return await work(requestParts(deps, request, visited));
      });
      if (browserKey !== undefined) {
        reply.setCookie(cookieName, browserKey, { ...cookieOptions, maxAge: COOKIE_SECONDS });
      }
      if (next.counts === true) await limits.count(request.remoteAddress);
      if (next.guess !== undefined) limits.noteGuess(next.guess, request.authorization);
      const { mail } = next;
      /*
       * Behind the answer: putting a message together takes 0.6 ms, by which customers could be told from strangers. Also when
       * nobody waits for the answer any more: who clicks twice drops the first one, and its code is the one that counts.
       */
      if (mail) finished(reply.raw, () => deps.mail.send(mail));
      const asked = request.authorization as AuthorizationRequest;
      if ('to' in next) return reply.headers(screenHeaders(asked.redirect_uri)).redirect(next.to, 303);
      return showScreen(request, reply, { request: asked, path }, next);
    },
  };

  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const shown = errorOf(error, request, reply);
    const back = shown.kind === 'failed' ? await failedRequest(deps, request) : undefined;
    return back === undefined
      ? showError(request, reply, path, shown)
      : reply.headers(screenHeaders(request.authorization?.redirect_uri)).redirect(back, 303);
  });
  loginScreen(app, screens);
  signUpScreen(app, screens);
  verifyScreen(app, screens);
  consentScreen(app, screens);
  fixedFiles(app, path);
}

function textOf(fields: unknown, name: string): string {
  const value = (fields as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

function requestParts(
  deps: Deps,
  request: FastifyRequest,
  { connection, request: asked }: Visit,
): RequestParts {
  return {
    connection,
    request: asked,
    pepper: deps.config.SECRET_PEPPER,
    issuer: deps.config.BASE_URL,
    nowMilliseconds: deps.clock.nowMilliseconds(),
    network: networkOf(request.remoteAddress),
    trace: {
      route: `${request.method} ${request.routeOptions.url ?? ''}`,
      request_id: request.id,
      address: shortAddress(request.remoteAddress) || null,
    },
  };
}

function errorOf(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof ScreenFailure) return { kind: error.kind, status: error.status };
  if (error instanceof ForeignForm) return { kind: 'foreign_form', status: 400 } as const;
  if (error.code?.startsWith('FST_CSRF_')) return { kind: 'forgery', status: 403 } as const;
  const { status } = prepareReply(error, request, reply);
  if (status === 503) return { kind: 'busy', status } as const;
  return status >= 500 ? ({ kind: 'failed', status } as const) : ({ kind: 'foreign_form', status } as const);
}

/** After a defect the client hears of it, if the request can still be ended; undefined where it cannot. */
async function failedRequest(deps: Deps, request: FastifyRequest): Promise<string | undefined> {
  const asked = request.authorization;
  if (asked === null) return undefined;
  try {
    return await deps.database.inOrganization({ organization: asked.organization_id }, (connection) =>
      refuse(requestParts(deps, request, { connection, request: asked }), {
        error: 'server_error',
        description: 'The service cannot answer now',
      }),
    );
  } catch (error) {
    request.log.error({ err: error }, 'a failed authorization could not be ended');
    return undefined;
  }
}

function fixedFiles(app: FastifyInstance, path: string): void {
  const style = readFileSync(join(SCREEN_FRAME, 'style.css'));
  const icon = readFileSync(join(import.meta.dirname, '../../docs/views/icon.svg'));
  const forAnHour = { 'cache-control': 'public, max-age=3600' };
  app.get(`${path}/style.css`, async (_request, reply) =>
    reply.headers(forAnHour).type('text/css; charset=utf-8').send(style),
  );
  app.get(`${path}/icon.svg`, async (_request, reply) =>
    reply.headers(forAnHour).type('image/svg+xml').send(icon),
  );
  if (path === '') return;
  app.get(`${path}/*`, async () => {
    throw new ScreenFailure('not_found', 404);
  });
}
