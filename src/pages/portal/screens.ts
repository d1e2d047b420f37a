import { join } from 'node:path';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { linkForCustomer } from '../../billing/invoices/files/link.ts';
import { checkoutAddress } from '../../contracts/leads/checkout.ts';
import { shortAddress } from '../../platform/audit.ts';
import type { Deps } from '../../platform/deps.ts';
import { commonFailure, installHostedSite, textOf } from '../../platform/http/pages/hosted.ts';
import { isId } from '../../platform/ids.ts';
import { isForeignForm, organizationCookie, portalLogin } from './login.ts';
import { hasContract, overviewOf } from './overview.ts';
import {
  addressBelow,
  filesPath,
  invoicePath,
  loginAddress,
  PortalFailure,
  portalPath,
  showConfirm,
  showError,
  showOverview,
  type WayOn,
} from './pages.ts';
import {
  enter,
  isOpen,
  leave,
  organizationOfLink,
  SESSION_SECONDS,
  type Visitor,
  type VisitTrace,
  visitorOf,
} from './session.ts';
import type { ErrorKind } from './texts.ts';

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

  /** A form belongs to its link; without one to the session, or to nobody's: then to its cookie alone. */
  function subjectOf(request: FastifyRequest): string {
    return textOf(request.query, 'token_hash') || cookie.of(request) || 'signed out';
  }
  const visitor = (request: FastifyRequest) => visitorOf(deps, cookie.of(request));
  const organizations = organizationCookie(cookie);
  async function letIn(
    reply: FastifyReply,
    entered: Visitor & { cookie: string },
    next: string,
  ): Promise<FastifyReply> {
    cookie.set(reply, entered.cookie, SESSION_SECONDS);
    organizations.keep(reply, entered.organization);
    const to = (await hasContract(deps, entered)) ? addressBelow(config.portalUrl, next) : checkout;
    return reply.redirect(to, 303);
  }

  /** What a person may do who is not let in here. */
  async function wayOn(request: FastifyRequest, kind: ErrorKind): Promise<WayOn | null> {
    if (kind === 'spent' && (await visitor(request)) !== undefined) {
      return { to: `${path}/overview`, words: 'confirm' };
    }
    if (kind !== 'spent' && kind !== 'signed_out') return null;
    const next = kind === 'spent' ? textOf(request.query, 'next') : request.url.slice(path.length);
    return { to: loginAddress(path, next), words: 'signIn' };
  }

  app.get(`${path}/auth/confirm`, async (request, reply) => {
    const secret = textOf(request.query, 'token_hash');
    const organization = await organizationOfLink(deps, secret);
    if (organization === undefined) throw new PortalFailure('spent', 410);
    organizations.keep(reply, organization);
    if (!(await isOpen(deps, organization, secret))) throw new PortalFailure('spent', 410);
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
    return await letIn(reply, entered, textOf(request.body, 'next') || textOf(request.query, 'next'));
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
    return showError(request, reply, { path, ...shown, wayOn: await wayOn(request, shown.kind) });
  });
  portalLogin(app, { deps, cookies: cookie, organizations, subjectOf, traceOf, visitorOf: visitor, letIn });
  if (path === '') return;
  app.get(path, async (_request, reply) => reply.redirect(`${config.portalUrl}/overview`, 303));
  app.get(`${path}/*`, async () => {
    throw new PortalFailure('not_found', 404);
  });
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
  if (isForeignForm(error)) return { kind: 'forgery', status: 400 } as const;
  return commonFailure(error, request, reply);
}
