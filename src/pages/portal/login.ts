import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mayAct } from '../../identity/oauth/clients/presented.ts';
import { createScreenLimits, type SettledForm } from '../../identity/oauth/screens/limits.ts';
import { askForAddress } from '../../identity/oauth/screens/login-screen.ts';
import { screensPath, sendScreen, textsFor } from '../../identity/oauth/screens/pages.ts';
import {
  ForeignForm,
  loginForm,
  newCodeForm,
  readForm,
  typedTexts,
  verifyForm,
} from '../../identity/oauth/screens/schema.ts';
import type { ShownScreen } from '../../identity/oauth/screens/screens.ts';
import { messageOf, nextAfterStart, refusalIn } from '../../identity/oauth/screens/sent-code.ts';
import { askForCode } from '../../identity/oauth/screens/verify-screen.ts';
import { checkCode, issueCode } from '../../identity/oauth/sign-in/sign-in.ts';
import { findOrganization, listOrganizations } from '../../identity/organizations/queries.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { networkOf } from '../../platform/http/network.ts';
import { type SiteCookies, textOf } from '../../platform/http/pages/hosted.ts';
import { isId, newId } from '../../platform/ids.ts';
import { addressBelow, filesPath, loginAddress, PortalFailure, portalPath } from './pages.ts';
import { beginSession, type Visitor, type VisitTrace } from './session.ts';

/** As long as an authorization request lives. */
const SIGN_IN_SECONDS = 15 * 60;
/** As long as browsers keep a cookie (RFC 6265bis: 400 days). */
const ORGANIZATION_SECONDS = 400 * 86_400;

/** A sign-in on its way; its browser keeps it, signed. */
interface SignIn {
  id: string;
  organization: string;
  email: string;
  expires: number;
}

interface Organization {
  id: string;
  name: string;
}

/** What a form leads to: a page, the page for the code, or the portal. */
type Outcome = SettledForm &
  ({ screen: ShownScreen } | { begun: SignIn } | { entered: Visitor; session: string });

/** What the pages of the portal do for it. */
export interface LoginParts {
  deps: Deps;
  cookies: SiteCookies;
  organizations: ReturnType<typeof organizationCookie>;
  /** What a form belongs to. */
  subjectOf(request: FastifyRequest): string;
  traceOf(request: FastifyRequest): VisitTrace;
  visitorOf(request: FastifyRequest): Promise<Visitor | undefined>;
  /** Sets the session and sends the browser on. */
  letIn(reply: FastifyReply, entered: Visitor & { cookie: string }, next: string): Promise<FastifyReply>;
}

/** Remembers whose customer uses this browser, and nothing of the customer. */
export function organizationCookie(cookies: SiteCookies) {
  const cookie = cookies.signed('voltstream-portal-organization');
  return {
    of: (request: FastifyRequest) => cookie.of(request),
    keep: (reply: FastifyReply, organization: string) =>
      cookie.set(reply, organization, ORGANIZATION_SECONDS),
  };
}

/**
 * Signing in to the portal with a code that is mailed, as on the hosted screens: their pages, limits and answers, the
 * same for customers and for strangers. Where it leads to stands in the address, what it is about in a signed cookie.
 */
export function portalLogin(app: FastifyInstance, parts: LoginParts): void {
  const { deps, organizations, subjectOf, traceOf } = parts;
  const { config } = deps;
  const path = portalPath(config);
  const limits = createScreenLimits(deps);
  const kept = parts.cookies.signed('voltstream-portal-sign-in');
  /* The hosted screens have a page of this name as well: where both have a host of their own, the host tells. */
  const constraints = path === screensPath(config) ? { host: new URL(config.portalUrl).host } : {};
  const loginUrl = `${path}/login`;
  const codeUrl = `${path}/login/code`;
  const nextOf = (request: FastifyRequest) => textOf(request.query, 'next');

  function signInOf(request: FastifyRequest): SignIn | undefined {
    const text = kept.of(request);
    if (text === undefined) return undefined;
    const signIn = JSON.parse(Buffer.from(text, 'base64url').toString()) as SignIn;
    return signIn.expires > deps.clock.nowMilliseconds() ? signIn : undefined;
  }

  /** Inside the organization, as long as it is switched on. */
  async function inside<Result>(
    id: string | undefined,
    work: (connection: Connection, organization: Organization) => Promise<Result>,
  ): Promise<Result> {
    if (id === undefined || !isId(id)) throw new PortalFailure('no_supplier', 404);
    return await deps.database.inOrganization({ organization: id }, async (connection) => {
      const organization = await findOrganization(connection, id);
      if (organization === undefined || !mayAct({ standing: organization.standing, disabled_at: null })) {
        throw new PortalFailure('no_supplier', 404);
      }
      return await work(connection, organization);
    });
  }

  /** Whose portal it is: the one that this browser knows, or the only one there is. */
  async function organizationOf(request: FastifyRequest): Promise<string | undefined> {
    const known = organizations.of(request);
    if (known !== undefined) return known;
    const all = await deps.database.asService((connection) => listOrganizations(connection));
    const [only, ...others] = all.filter(({ standing }) => mayAct({ standing, disabled_at: null }));
    return others.length === 0 ? only?.id : undefined;
  }

  const codeParts = (request: FastifyRequest, connection: Connection, { id, organization }: SignIn) => ({
    connection,
    pepper: config.SECRET_PEPPER,
    request: { organization_id: organization, id, client_id: null },
    network: networkOf(request.remoteAddress),
    nowMilliseconds: deps.clock.nowMilliseconds(),
    trace: traceOf(request),
  });

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    screen: ShownScreen,
    { name }: Organization,
  ): FastifyReply {
    const next = nextOf(request);
    const login = loginAddress(path, next);
    return sendScreen(request, reply, screen, {
      path: filesPath(path),
      client: name,
      action: screen.template === 'login' ? login : loginAddress(path, next, '/code'),
      back: login,
      login,
      csrf: reply.generateCsrf({ userInfo: subjectOf(request) }),
    });
  }

  /** Answers after the commit: a browser that is told to go on must find what was written. */
  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    id: string | undefined,
    work: (connection: Connection, organization: Organization) => Promise<Outcome>,
  ): Promise<FastifyReply> {
    if (await limits.isClosed(request, reply)) throw new PortalFailure('slow_down', 429);
    const { organization, ...outcome } = await inside(id, async (connection, organization) => ({
      organization,
      ...(await work(connection, organization)),
    }));
    await limits.settle(request, reply, outcome, { organization_id: organization.id, client_id: null });
    if ('screen' in outcome) return show(request, reply, outcome.screen, organization);
    if ('begun' in outcome) {
      const text = Buffer.from(JSON.stringify(outcome.begun)).toString('base64url');
      kept.set(reply, text, SIGN_IN_SECONDS);
      return reply.redirect(loginAddress(config.portalUrl, nextOf(request), '/code'), 303);
    }
    const { entered, session } = outcome;
    kept.clear(reply);
    return await parts.letIn(reply, { ...entered, cookie: session }, nextOf(request));
  }

  app.get(loginUrl, { constraints }, async (request, reply) => {
    if ((await parts.visitorOf(request)) !== undefined) {
      return reply.redirect(addressBelow(config.portalUrl, nextOf(request)), 303);
    }
    const screen = askForAddress(textsFor(request));
    return await answer(request, reply, await organizationOf(request), async () => ({ screen }));
  });

  app.post(loginUrl, { constraints, preHandler: app.csrfProtection }, async (request, reply) => {
    const t = textsFor(request);
    const read = readForm(loginForm, request.body);
    return await answer(request, reply, await organizationOf(request), async (connection, { id, name }) => {
      const typed = typedTexts(request.body);
      if ('wrong' in read) return { screen: askForAddress(t, { status: 400, typed, error: t.checkEmail }) };
      const { email } = read.form;
      const before = signInOf(request);
      const begun = {
        id: before?.organization === id ? before.id : newId('psi'),
        organization: id,
        email,
        expires: deps.clock.nowMilliseconds() + SIGN_IN_SECONDS * 1000,
      };
      const options = { signsUp: false, atOnce: false };
      const started = await issueCode(codeParts(request, connection, begun), email, options);
      const refused = nextAfterStart(started, t);
      if (refused !== undefined) return { screen: askForAddress(t, { ...refused, typed }) };
      return { begun, mail: messageOf(started, { client_name: name }, t), counts: true };
    });
  });

  app.get(codeUrl, { constraints }, async (request, reply) => {
    const signIn = signInOf(request);
    if (signIn === undefined) return reply.redirect(loginAddress(config.portalUrl, nextOf(request)), 303);
    return await answer(request, reply, signIn.organization, async (connection) => ({
      screen: await askForCode(
        textsFor(request),
        codeParts(request, connection, signIn),
        mailedTo(signIn),
        {},
      ),
    }));
  });

  app.post(codeUrl, { constraints, preHandler: app.csrfProtection }, async (request, reply) => {
    const t = textsFor(request);
    const signIn = signInOf(request);
    if (signIn === undefined) return reply.redirect(loginAddress(config.portalUrl, nextOf(request)), 303);
    const wantsNewCode = Object.hasOwn((request.body ?? {}) as object, 'again');
    const read = wantsNewCode ? readForm(newCodeForm, request.body) : readForm(verifyForm, request.body);
    return await answer(request, reply, signIn.organization, async (connection, { name }) => {
      const of = codeParts(request, connection, signIn);
      const shown = (screen: Parameters<typeof askForCode>[3]) => askForCode(t, of, mailedTo(signIn), screen);
      if ('wrong' in read) return { screen: await shown({ status: 400, error: 'shape' }) };
      if ('code' in read.form) {
        const checked = await checkCode(of, { email: signIn.email, typed: read.form.code });
        if (checked.check === 'right') {
          const entered = { organization: signIn.organization, customer: checked.customer };
          return { entered, session: await beginSession(of, entered) };
        }
        const { check, ...guess } = checked;
        const error = check === 'spent' ? t.codeSpent : t.codeWrong;
        const screen = await shown({ status: 400, error });
        return { screen, counts: true, ...('guess' in guess ? { guess: guess.guess } : {}) };
      }
      const started = await issueCode(of, signIn.email, { signsUp: false, atOnce: false });
      if ('refused' in started) {
        const error = refusalIn(t, started);
        return { screen: await shown({ status: 429, retryAfterSeconds: started.seconds, error }) };
      }
      const screen = await shown({ notice: t.newCodeSent });
      return { screen, mail: messageOf(started, { client_name: name }, t), counts: true };
    });
  });
}

function mailedTo({ email }: SignIn) {
  return { email, signsUp: false };
}

/** Fields that no form here has. */
export function isForeignForm(error: unknown): boolean {
  return error instanceof ForeignForm;
}
