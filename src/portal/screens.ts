import { join } from 'node:path';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { linkForCustomer } from '../invoices/files/link.ts';
import { checkoutAddress } from '../leads/checkout.ts';
import { shortAddress } from '../platform/audit.ts';
import { commonFailure, installHostedSite, PageFailure, textOf } from '../platform/http/pages/hosted.ts';
import { isId } from '../platform/ids.ts';
import { hasContract, overviewOf } from './overview.ts';
import { filesPath, invoicePath, portalPath, showConfirm, showError, showOverview } from './pages.ts';
import {
  enter,
  isOpen,
  leave,
  SESSION_SECONDS,
  type Visitor,
  type VisitTrace,
  visitorOf,
} from './session.ts';
import type { ErrorKind } from './texts.ts';

/** What a person is told on a page of its own. */
class PortalFailure extends PageFailure<ErrorKind> {}

/**
 * Where a customer who was handed a link sees contracts and invoices. The first page has one button and opening it changes
 * nothing: scanners of mail open links. Plain pages and forms, without any script.
 */
export async function portalScreens(app: FastifyInstance, { deps }: { deps: Deps }): Promise<void> {
  const { config } = deps;
  const path = portalPath(config);
  const checkout = checkoutAddress(config);
  const cookie = await installHostedSite(app, deps, {
    url: config.portalUrl,
    cookies: { visit: 'voltstream-portal', form: 'voltstream-portal-form' },
    formSecret: 'portal-forms',
    formSubject: (request) => subjectOf(request),
    /* A redirect leads those who have no contract to the sign-up. */
    formTargets: [new URL(checkout).origin],
    filesPath: filesPath(path),
    style: join(import.meta.dirname, 'views', 'style.css'),
  });

  /** A form belongs to its link; without one to the session. */
  function subjectOf(request: FastifyRequest): string {
    const secret = textOf(request.query, 'token_hash');
    return secret === '' ? (cookie.of(request) ?? '') : secret;
  }
  const visitor = (request: FastifyRequest) => visitorOf(deps, cookie.of(request));
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
    cookie.set(reply, entered.cookie, SESSION_SECONDS);
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

  /* The link behind it is over in an hour, this page is read for longer: it is made at the click. */
  app.get<{ Params: { id: string } }>(invoicePath(path, ':id'), async (request, reply) => {
    const who = await visitor(request);
    if (who === undefined) throw new PortalFailure('signed_out', 401);
    const { id } = request.params;
    const link = isId(id) ? await linkForCustomer(deps, who, id) : undefined;
    if (link === undefined) throw new PortalFailure('not_found', 404);
    return reply.redirect(link, 302);
  });

  app.post(`${path}/sign-out`, { preHandler: app.csrfProtection }, async (request, reply) => {
    const who = await visitor(request);
    if (who !== undefined) await leave(deps, cookie.of(request) ?? '', who, traceOf(request));
    cookie.clear(reply);
    return reply.redirect(`${config.portalUrl}/overview`, 303);
  });

  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const shown = errorOf(error, request, reply);
    const signedIn = shown.kind === 'spent' && (await visitor(request)) !== undefined;
    return showError(request, reply, { path, ...shown, signedIn });
  });
  if (path === '') return;
  app.get(path, async (_request, reply) => reply.redirect(`${config.portalUrl}/overview`, 303));
  app.get(`${path}/*`, async () => {
    throw new PortalFailure('not_found', 404);
  });
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

function traceOf(request: FastifyRequest): VisitTrace {
  return {
    route: `${request.method} ${request.routeOptions.url ?? ''}`,
    request_id: request.id,
    address: shortAddress(request.remoteAddress) || null,
  };
}

function errorOf(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof PortalFailure) return { kind: error.kind, status: error.status };
  return commonFailure(error, request, reply);
}
