import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import cookie from '@fastify/cookie';
import csrf from '@fastify/csrf-protection';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { shortAddress } from '../platform/audit.ts';
import { installFormParser } from '../platform/body/form-parser.ts';
import { checkoutAddress } from '../platform/http/checkout.ts';
import { SCREEN_FRAME } from '../platform/http/pages.ts';
import { prepareReply } from '../platform/interface/error-handler.ts';
import { keyedHash } from '../platform/keyed-hash.ts';
import { hasContract, overviewOf } from './overview.ts';
import { filesPath, portalHeaders, portalPath, showConfirm, showError, showOverview } from './pages.ts';
import { enter, isOpen, leave, SESSION_SECONDS, type Trace, type Visitor, visitorOf } from './session.ts';
import type { ErrorKind } from './texts.ts';

/** What a person is told on a page of its own. */
class PortalFailure extends Error {
  readonly kind: ErrorKind;
  readonly status: number;

  constructor(kind: ErrorKind, status: number) {
    super(kind);
    this.kind = kind;
    this.status = status;
  }
}

/**
 * Where a customer who was handed a link sees contracts and invoices. The first page has one button and opening it changes
 * nothing: scanners of mail open links. Plain pages and forms, without any script.
 */
export async function portalScreens(app: FastifyInstance, { deps }: { deps: Deps }): Promise<void> {
  const { config } = deps;
  const path = portalPath(config);
  const isSecure = config.portalUrl.startsWith('https:');
  /* With this prefix a browser takes the cookie from this very host only, never from a neighbour below its domain. */
  const prefix = isSecure ? '__Host-' : '';
  const cookieName = `${prefix}voltstream-portal`;
  const cookieOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const;
  const checkout = checkoutAddress(config);
  const headers = portalHeaders(checkout);

  app.removeAllContentTypeParsers();
  await app.register(cookie);
  await app.register(csrf, {
    cookieKey: `${prefix}voltstream-portal-form`,
    cookieOpts: cookieOptions,
    csrfOpts: {
      hmacKey: keyedHash(config.SECRET_PEPPER, 'portal-forms', '').toString('base64url'),
      userInfo: true,
    },
    getUserInfo: subjectOf,
    getToken: (request) => textOf(request.body, '_csrf'),
  });
  installFormParser(app, deps.bodyRoom);
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });

  /** A form belongs to its link; without one to the session. */
  function subjectOf(request: FastifyRequest): string {
    const secret = textOf(request.query, 'token_hash');
    return secret === '' ? (request.cookies[cookieName] ?? '') : secret;
  }
  const visitor = (request: FastifyRequest) => visitorOf(deps, request.cookies[cookieName]);
  const onward = async (who: Visitor, next: string) => ((await hasContract(deps, who)) ? next : checkout);

  app.get(`${path}/auth/confirm`, async (request, reply) => {
    const secret = textOf(request.query, 'token_hash');
    if (!(await isOpen(deps, secret))) throw new PortalFailure('spent', 410);
    return showConfirm(request, reply, {
      path,
      action: `${path}/auth/confirm?token_hash=${secret}`,
      next: textOf(request.query, 'next'),
      csrf: reply.generateCsrf({ userInfo: secret }),
    });
  });

  app.post(`${path}/auth/confirm`, { preHandler: app.csrfProtection }, async (request, reply) => {
    const entered = await enter(deps, textOf(request.query, 'token_hash'), traceOf(request));
    if (entered === undefined) throw new PortalFailure('spent', 410);
    reply.setCookie(cookieName, entered.cookie, { ...cookieOptions, maxAge: SESSION_SECONDS });
    const wanted = textOf(request.body, 'next') || textOf(request.query, 'next');
    const next = addressBelow(config.portalUrl, wanted);
    return reply.redirect(await onward(entered, next), 303);
  });

  app.get(`${path}/overview`, async (request, reply) => {
    const who = await visitor(request);
    if (who === undefined) throw new PortalFailure('signed_out', 401);
    const overview = await overviewOf(deps, who, traceOf(request));
    if (overview.contracts.length === 0) return reply.redirect(checkout, 303);
    const csrfText = reply.generateCsrf({ userInfo: subjectOf(request) });
    return showOverview(request, reply, { path, csrf: csrfText, overview });
  });

  app.post(`${path}/sign-out`, { preHandler: app.csrfProtection }, async (request, reply) => {
    const who = await visitor(request);
    if (who !== undefined) await leave(deps, request.cookies[cookieName] ?? '', who, traceOf(request));
    return reply.clearCookie(cookieName, cookieOptions).redirect(`${config.portalUrl}/overview`, 303);
  });

  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const shown = errorOf(error, request, reply);
    const signedIn = shown.kind === 'spent' && (await visitor(request)) !== undefined;
    return showError(request, reply, { path, ...shown, signedIn });
  });
  fixedFiles(app, path);
  if (path === '') return;
  app.get(path, async (_request, reply) => reply.redirect(`${config.portalUrl}/overview`, 303));
  app.get(`${path}/*`, async () => {
    throw new PortalFailure('not_found', 404);
  });
}

/** The text of a parameter that was sent once. */
function textOf(fields: unknown, name: string): string {
  const value = (fields as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

/** The address of a path below the portal; whatever leads elsewhere leads to the overview instead. */
export function addressBelow(portalUrl: string, next: string): string {
  const fallback = `${portalUrl}/overview`;
  /* Browsers read a backslash as a slash, and leave out tabs and line ends. */
  if (!/^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(next)) return fallback;
  const target = new URL(portalUrl + next);
  const inside = target.href.startsWith(`${portalUrl}/`) && !/%2e|%2f|%5c/i.test(target.pathname);
  return inside ? target.href : fallback;
}

function traceOf(request: FastifyRequest): Trace {
  return {
    route: `${request.method} ${request.routeOptions.url ?? ''}`,
    request_id: request.id,
    address: shortAddress(request.remoteAddress) || null,
  };
}

function errorOf(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof PortalFailure) return { kind: error.kind, status: error.status };
  if (error.code?.startsWith('FST_CSRF_')) return { kind: 'forgery', status: 403 } as const;
  const { status } = prepareReply(error, request, reply);
  if (status === 503) return { kind: 'busy', status } as const;
  return status >= 500 ? ({ kind: 'failed', status } as const) : ({ kind: 'bad_call', status } as const);
}

function fixedFiles(app: FastifyInstance, path: string): void {
  const own = join(import.meta.dirname, 'views', 'style.css');
  const style = Buffer.concat([readFileSync(join(SCREEN_FRAME, 'style.css')), readFileSync(own)]);
  const icon = readFileSync(join(import.meta.dirname, '../docs/views/icon.svg'));
  const forAnHour = { 'cache-control': 'public, max-age=3600' };
  app.get(`${filesPath(path)}/style.css`, async (_request, reply) =>
    reply.headers(forAnHour).type('text/css; charset=utf-8').send(style),
  );
  app.get(`${filesPath(path)}/icon.svg`, async (_request, reply) =>
    reply.headers(forAnHour).type('image/svg+xml').send(icon),
  );
}
