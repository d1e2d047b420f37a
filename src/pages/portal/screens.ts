import { join } from 'node:path';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { linkForTenant } from '../../billing/invoices/files/link.ts';
import { findIssuer } from '../../billing/issuers/queries.ts';
import { checkoutAddress } from '../../contracts/leads/checkout.ts';
import type { SubscriptionRow } from '../../contracts/subscriptions/queries.ts';
import { brandsOf } from '../../identity/brands/service.ts';
import { consentsOf, endConsent } from '../../identity/oauth/service.ts';
import { findOrganization, listOrganizations } from '../../identity/organizations/queries.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { momentText } from '../../platform/http/pages/chart.ts';
import {
  addressBelow,
  commonFailure,
  installHostedSite,
  loginAddress,
  mayStrangerAsk,
  type SiteCookies,
  textOf,
} from '../../platform/http/pages/hosted.ts';
import { COOKIE_SECONDS_MAX } from '../../platform/http/pages/language.ts';
import { installLastingFiles, TABLE_CHART, UPLOT } from '../../platform/http/pages/lasting-files.ts';
import { textsFor } from '../../platform/http/pages/texts.ts';
import { isId } from '../../platform/ids.ts';
import type { Scope } from '../../platform/principal.ts';
import { costlyWork, isForeignForm, mayOpenPage, offerCodeSignIn, traceOf } from '../sign-in/offer.ts';
import { endingPages } from './ending.ts';
import { contractOf, hasContract, invoicePath, overviewPage } from './overview.ts';
import {
  type ContractPage,
  consentsPath,
  contractPath,
  type FormOutcome,
  filesPath,
  PortalFailure,
  type PortalSite,
  portalPath,
  type Supplier,
  showConfirm,
  showError,
  showPage,
  VIEWS,
  type Visit,
  type WayOn,
} from './pages.ts';
import { pricesPage } from './prices.ts';
import { readingPage } from './readings.ts';
import {
  beginSession,
  enter,
  isOpen,
  justBegun,
  leave,
  organizationOfLink,
  SESSION_SECONDS,
  sessionOf,
  type Visitor,
  visitorOf,
} from './session.ts';
import { type ErrorKind, type Texts, textsIn } from './texts.ts';
import { usagePage } from './usage.ts';

/** Their contracts cannot be had now either. */
const LEADING_NOWHERE: ReadonlySet<ErrorKind> = new Set(['closed', 'no_mail', 'no_supplier', 'slow_down']);

/** Whom a customer asks: who bills, with the addresses on the bills. */
async function findSupplier(connection: Connection, organization: string): Promise<Supplier> {
  const issuer = await findIssuer(connection, organization);
  const name = issuer?.name ?? (await findOrganization(connection, organization))?.name ?? '';
  return { name, email: issuer?.email ?? null, phone: issuer?.phone ?? null };
}

/** Remembers whose customer uses this browser, and nothing of the customer. */
function organizationCookie(cookies: SiteCookies) {
  const cookie = cookies.signed('voltstream-portal-organization');
  return {
    of: (request: FastifyRequest) => cookie.of(request),
    keep: (reply: FastifyReply, organization: string) => cookie.set(reply, organization, COOKIE_SECONDS_MAX),
  };
}

/**
 * Where a customer who was handed a link sees contracts and invoices. The first page has one button and opening it changes
 * nothing: scanners of mail open links. Plain pages and forms; a script only draws what a table says.
 */
export async function portalScreens(app: FastifyInstance, { deps }: { deps: Deps }): Promise<void> {
  const { config } = deps;
  const path = portalPath(config);
  const checkout = checkoutAddress(config);
  /* A redirect leads those who have no contract to the sign-up. */
  const formTargets = [new URL(checkout).origin];
  const cookie = await installHostedSite(app, deps, {
    url: config.portalUrl,
    cookies: { visit: 'voltstream-portal', form: 'voltstream-portal-form' },
    formSecret: 'portal-forms',
    formSubject: (request) => subjectOf(request),
    formTargets,
    filesPath: filesPath(path),
    styles: [UPLOT.style, join(VIEWS, 'style.css')],
  });
  const script = installLastingFiles(app, `${filesPath(path)}/files`)(
    'js',
    'text/javascript; charset=utf-8',
    TABLE_CHART,
  );

  /** A form belongs to its link; without one to the session, or to nobody's: then to its cookie alone. */
  function subjectOf(request: FastifyRequest): string {
    return textOf(request.query, 'token_hash') || cookie.of(request) || 'signed out';
  }
  const brandShown = brandsOf(app, deps, filesPath(path));
  const supplierOf = (organization: string) =>
    deps.database.inOrganization({ organization }, (connection) => findSupplier(connection, organization));
  const visitor = (request: FastifyRequest) => visitorOf(deps, cookie.of(request));
  const organizations = organizationCookie(cookie);
  const isBelow = (request: FastifyRequest) => request.url.startsWith(`${path}/overview`);
  const below = (next: string) => addressBelow(config.portalUrl, next, `${config.portalUrl}/overview`);

  /** Whose portal it is: the one that the address names, or this browser knows, or the only one there is. */
  async function organizationOf(request: FastifyRequest, reply: FastifyReply): Promise<string | undefined> {
    const named = textOf(request.query, 'organization');
    if (isId(named) && (await isOrganization(named))) {
      organizations.keep(reply, named);
      return named;
    }
    const known = organizations.of(request);
    if (known !== undefined) return known;
    const all = await deps.database.asService((connection) => listOrganizations(connection));
    const [only, ...others] = all.filter(
      ({ standing }) => standing === 'in_order' || standing === 'past_due',
    );
    return others.length === 0 ? only?.id : undefined;
  }

  const isOrganization = async (id: string) =>
    (await deps.database.inOrganization({ organization: id }, (connection) =>
      findOrganization(connection, id),
    )) !== undefined;

  async function letIn(
    reply: FastifyReply,
    entered: Visitor & { cookie: string },
    next: string,
  ): Promise<FastifyReply> {
    cookie.set(reply, entered.cookie, SESSION_SECONDS);
    organizations.keep(reply, entered.organization);
    /* Whoever signed up with a program may have no contract, and has to be able to end its access. */
    const to = below(next);
    const isForConsents = new URL(to).pathname === consentsPath(path);
    const staysIn = isForConsents || (await hasContract(deps, entered));
    return reply.redirect(staysIn ? to : checkout, 303);
  }

  /** What a person may do who is not let in here. */
  async function wayOn(request: FastifyRequest, kind: ErrorKind): Promise<WayOn | null> {
    /* Whoever is not signed in is told so there, with a way to the sign-in: nothing is asked here that may be busy. */
    const home = { to: `${path}/overview`, words: 'confirm' } as const;
    if (kind === 'signed_in') return { ...home, words: 'seeWho' };
    if (kind === 'left') return { to: loginAddress(path, '/overview'), words: 'signIn' };
    if (kind !== 'spent' && kind !== 'signed_out') return LEADING_NOWHERE.has(kind) ? null : home;
    if (kind === 'spent' && (await visitor(request)) !== undefined) return home;
    const next = kind === 'spent' ? textOf(request.query, 'next') : request.url.slice(path.length);
    return { to: loginAddress(path, next), words: 'signIn' };
  }

  async function assertMayAsk(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!(await mayStrangerAsk(deps, request, reply))) throw new PortalFailure('slow_down', 429);
  }

  app.get(`${path}/auth/confirm`, async (request, reply) => {
    await assertMayAsk(request, reply);
    const secret = textOf(request.query, 'token_hash');
    const link = await organizationOfLink(deps, secret);
    if (link === undefined) throw new PortalFailure('spent', 410);
    const { organization, isClosed } = link;
    if (isClosed) throw new PortalFailure('closed', 403);
    organizations.keep(reply, organization);
    if (!(await isOpen(deps, organization, secret))) throw new PortalFailure('spent', 410);
    return showConfirm(request, reply, {
      path,
      brand: await brandShown(organization),
      action: `${path}/auth/confirm?token_hash=${secret}`,
      next: textOf(request.query, 'next'),
      csrf: reply.generateCsrf({ userInfo: secret }),
    });
  });

  app.post(`${path}/auth/confirm`, { preHandler: app.csrfProtection }, async (request, reply) => {
    await assertMayAsk(request, reply);
    const form = textOf(request.body, '_csrf');
    const entered = await enter(deps, textOf(request.query, 'token_hash'), form, traceOf(request));
    if (entered === undefined) throw new PortalFailure('spent', 410);
    return await letIn(reply, entered, textOf(request.body, 'next') || textOf(request.query, 'next'));
  });

  async function visitOf(request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
    const who = await visitor(request);
    if (who === undefined)
      throw textOf(request.query, 'left') === ''
        ? new PortalFailure('signed_out', 401)
        : new PortalFailure('left', 200);
    if (!(await mayOpenPage(deps, reply, who.customer))) throw new PortalFailure('slow_down', 429);
    return {
      ...{ visitor: who, t: textsFor(request, textsIn), query: request.query, body: request.body },
      ...{ trace: traceOf(request), costly: costlyWork(deps, request, reply, who) },
    };
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { organization }: Visitor,
    outcome: FormOutcome,
  ): Promise<FastifyReply> {
    if ('to' in outcome) return reply.redirect(new URL(outcome.to, config.portalUrl).href, 303);
    const csrf = reply.generateCsrf({ userInfo: subjectOf(request) });
    const brand = await brandShown(organization);
    const supplier = await supplierOf(organization);
    return showPage(request, reply, outcome, { path, csrf, brand, supplier, script, formTargets });
  }

  /** Registers what is had, and what is sent, at one address: who has to sign in first is led back to it. */
  function contractPage({ name, show, send }: ContractPage): void {
    const url = contractPath(path, ':id', name);
    type Work = (visit: Visit, contract: SubscriptionRow) => Promise<FormOutcome>;
    const about = (work: Work) => async (request: FastifyRequest, reply: FastifyReply) => {
      const visit = await visitOf(request, reply);
      const { id } = request.params as { id: string };
      const { contract, plan } = await contractOf(deps, visit, id);
      const outcome = await work(visit, contract);
      if ('to' in outcome) return await answer(request, reply, visit.visitor, outcome);
      const values = { about: visit.t.about(plan, contract.number), action: request.url, ...outcome.values };
      return await answer(request, reply, visit.visitor, { ...outcome, values });
    };
    app.get(url, about(show));
    if (send !== undefined) app.post(url, { preHandler: app.csrfProtection }, about(send));
  }

  const site: PortalSite = {
    ...{ deps, path, contractPage },
    page: (below, show, send) => {
      const url = `${path}/overview${below}`;
      const of = (work: typeof show) => async (request: FastifyRequest, reply: FastifyReply) => {
        const visit = await visitOf(request, reply);
        return await answer(request, reply, visit.visitor, await work(visit));
      };
      app.get(url, of(show));
      if (send !== undefined) app.post(url, { preHandler: app.csrfProtection }, of(send));
    },
  };
  overviewPage(site, checkout);
  pricesPage(site);
  usagePage(site);
  readingPage(site);
  endingPages(site);
  consentsPage(site);

  /* The link behind it is over in an hour, this page is read for longer: it is made at the click. */
  app.get<{ Params: { id: string } }>(invoicePath(path, ':id'), async (request, reply) => {
    const { visitor: who } = await visitOf(request, reply);
    const { id } = request.params;
    const link = isId(id) ? await linkForTenant(deps, who, id) : undefined;
    if (link === undefined) throw new PortalFailure('not_found', 404);
    return reply.redirect(link, 302);
  });

  const signOut = (reply: FastifyReply) => {
    cookie.clear(reply);
    return reply.redirect(`${config.portalUrl}/overview?left=1`, 303);
  };
  /* Who signed out in another tab, or whose session is over, is out already: the token of the form was the session's. */
  const outAlready = async (request: FastifyRequest, reply: FastifyReply) =>
    (await visitor(request)) === undefined ? signOut(reply) : undefined;
  const leaving = { preHandler: [outAlready, app.csrfProtection] };
  app.post(`${path}/sign-out`, leaving, async (request, reply) => {
    const who = await visitor(request);
    if (who !== undefined) await leave(deps, cookie.of(request) ?? '', who, traceOf(request));
    return signOut(reply);
  });

  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const failure = errorOf(error, request, reply, { canLook: isBelow(request) });
    /* A form that was open for longer than the session belongs to nobody any more. */
    const isOver = failure.kind === 'forgery' && cookie.of(request) === undefined && isBelow(request);
    const shown = isOver ? ({ kind: 'signed_out', status: 401 } as const) : failure;
    return showError(request, reply, { path, ...shown, wayOn: await wayOn(request, shown.kind) });
  });
  offerCodeSignIn(app, deps, {
    ...{ url: config.portalUrl, filesPath: filesPath(path), cookie: 'voltstream-portal', cookies: cookie },
    ...{ subjectOf, brandShown, sessionOf },
    organizationOf: (request, _email, reply) => organizationOf(request, reply),
    nameOf: ({ name }) => name,
    placeOf: async (request, next) => ((await visitor(request)) === undefined ? undefined : below(next)),
    beginSession: (parts, { organization, account }) =>
      beginSession(parts, { organization, customer: account }),
    justBegun: async (parts, organization) => {
      const begun = await justBegun(parts, organization);
      return begun && { organization, account: begun.customer, cookie: begun.cookie };
    },
    letIn: (reply, { organization, account, cookie }, next) =>
      letIn(reply, { organization, customer: account, cookie }, next),
    failure: (kind, status) => new PortalFailure(kind, status),
  });
  if (path === '') return;
  app.get(path, async (_request, reply) => reply.redirect(`${config.portalUrl}/overview`, 303));
  app.get(`${path}/*`, async () => {
    throw new PortalFailure('not_found', 404);
  });
}

function errorOf(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  options: { canLook: boolean },
) {
  if (error instanceof PortalFailure) return { kind: error.kind, status: error.status };
  if (isForeignForm(error)) return { kind: 'forgery', status: 400 } as const;
  return commonFailure(error, request, reply, options);
}

/** Which programs the customer has let in, and the end of each. */
function consentsPage({ deps, path, page }: PortalSite): void {
  page(
    '/consents',
    async ({ visitor, t, query }) => {
      const consents = (await consentsOf(deps, visitor)).map(
        ({ client_id, client_name, scopes, created_at }) => ({
          id: client_id,
          name: client_name,
          since: t.letInOn(momentText(created_at, t.lang) ?? ''),
          rights: rightsIn(t, scopes),
        }),
      );
      return {
        template: 'consents',
        title: t.consentsTitle,
        values: { consents, action: consentsPath(path), isEnded: textOf(query, 'ended') !== '' },
      };
    },
    async ({ visitor, body, trace }) => {
      await endConsent(deps, visitor, textOf(body, 'consent'), trace);
      return { to: `${consentsPath(path)}?ended=1` };
    },
  );
}

/**
 * In the words with which the customer was asked. A grant has at least one of the two, and a refresh of its tokens never
 * widens it.
 */
function rightsIn(t: Texts, scopes: readonly Scope[]): string[] {
  return [
    ...(scopes.includes('read:*') ? [t.mayRead] : []),
    ...(scopes.includes('write:*') ? [t.mayWrite] : []),
  ];
}
