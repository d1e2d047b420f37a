import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mayAct } from '../../identity/oauth/clients/presented.ts';
import { createScreenLimits, type SettledForm, withLetterhead } from '../../identity/oauth/screens/limits.ts';
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
import { type Accounts, lockCodesOf } from '../../identity/oauth/sign-in/one-time-codes.ts';
import { checkCode, issueCode } from '../../identity/oauth/sign-in/sign-in.ts';
import { findOrganization } from '../../identity/organizations/queries.ts';
import { type AuditEntry, shortAddress } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { callerOf } from '../../platform/fair-queue.ts';
import { networkOf } from '../../platform/http/network.ts';
import {
  loginAddress,
  type ShownBrand,
  type SiteCookies,
  sitePath,
  textOf,
} from '../../platform/http/pages/hosted.ts';
import type { Language } from '../../platform/http/pages/language.ts';
import { isRead } from '../../platform/http/prepare-reply.ts';
import { isId } from '../../platform/ids.ts';
import { signalOf } from '../../platform/interface/checked-request.ts';
import { HANDLER_TIMEOUT_MILLISECONDS, withinTime } from '../../platform/interface/register-routes.ts';
import { keyedHash } from '../../platform/keyed-hash.ts';

/** As long as an authorization request lives. */
const SIGN_IN_SECONDS = 15 * 60;

/** Between the two clicks of somebody who clicks twice: the browser shows the second answer only. */
export const JUST_MILLISECONDS = 10_000;

/** A sign-in on its way; its browser keeps it, signed. It does not say whose the address is. */
interface SignIn {
  id: string;
  email: string;
  expires: number;
}

interface Organization {
  id: string;
  name: string;
}

/** Where a visit is noted. */
export type VisitTrace = Required<Pick<AuditEntry, 'route' | 'request_id' | 'address'>>;

export function traceOf(request: FastifyRequest): VisitTrace {
  return {
    route: `${request.method} ${request.routeOptions.url ?? ''}`,
    request_id: request.id,
    address: shortAddress(request.remoteAddress) || null,
  };
}

/** As many as a new client makes API calls: each page is some questions to the database, and many are a row of the audit log. */
const OF_PERSON = { perSecond: 50, burst: 1_000 };

/** Whether somebody who is signed in is shown this page: not endlessly many, in however many browsers. */
export async function mayOpenPage(
  { limiter }: Pick<Deps, 'limiter'>,
  reply: FastifyReply,
  person: string,
): Promise<boolean> {
  const taken = await limiter.take(`pages:${person}`, OF_PERSON);
  if (!taken.allowed) reply.header('retry-after', taken.secondsUntilNext);
  return taken.allowed;
}

/** Costly work of a page: a long answer of the database, or many. The signal says that nobody waits for it any more. */
export type CostlyWork = <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;

/** In turn, as long answers of the interface are; what only reads is also given up after as long. `customer`: of the portal. */
export function costlyWork(
  { queue }: Pick<Deps, 'queue'>,
  request: FastifyRequest,
  reply: FastifyReply,
  person: { organization: string; customer?: string },
): CostlyWork {
  const caller = callerOf({ client: 'console', ...person }, OF_PERSON.perSecond);
  return (work) => {
    const signal = signalOf(request, reply);
    const working = queue.inTurn(caller, () => work(signal), { isGone: () => signal.aborted });
    return isRead(request) ? withinTime(HANDLER_TIMEOUT_MILLISECONDS, request, working) : working;
  };
}

/** Who has shown who it is. */
export interface KnownAccount {
  organization: string;
  account: string;
}

/** What the secret of a session comes of. */
export interface SessionSource {
  pepper: string;
  /** What a form was sent with, its token included: both clicks on it have one session. */
  form: string;
}

/** What a session begins with, in the transaction of the code. */
export interface SessionParts extends SessionSource {
  connection: Connection;
  nowMilliseconds: number;
  trace: VisitTrace;
}

/** The outcome of a form: a page, the page for the code, or the page behind the sign-in. */
type Outcome = SettledForm &
  ({ screen: ShownScreen } | { begun: SignIn } | { entered: KnownAccount & { cookie: string } });

/** A site on which accounts sign in. */
export interface SignInSite {
  url: string;
  filesPath: string;
  /** Beginning of its cookies' names. */
  cookie: string;
  cookies: SiteCookies;
  /** Customers where absent. */
  accounts?: Accounts;
  /** How an organization's customers see it, on pages and mails; absent where the site is the service's own. */
  brandShown?(organization: string): Promise<ShownBrand | null>;
  /** What one signs in to. */
  nameOf(organization: Organization, language: Language): string;
  /** Whose site it is for this browser, or for somebody with this address. */
  organizationOf(request: FastifyRequest, email: string, reply: FastifyReply): Promise<string | undefined>;
  /** What a form belongs to. */
  subjectOf(request: FastifyRequest): string;
  /** Where who is signed in already is led. */
  placeOf(request: FastifyRequest, next: string): Promise<string | undefined>;
  /** What the browser keeps of the session that this form begins. */
  sessionOf(parts: SessionSource): string;
  /** Begins a session and returns what the browser keeps. */
  beginSession(parts: SessionParts, entered: KnownAccount): Promise<string>;
  /** The session that the same form has begun a moment ago. */
  justBegun(
    parts: SessionParts,
    organization: string,
  ): Promise<(KnownAccount & { cookie: string }) | undefined>;
  /** Sets the session and sends the browser on. */
  letIn(reply: FastifyReply, entered: KnownAccount & { cookie: string }, next: string): Promise<FastifyReply>;
  /** A page of its own. */
  failure(kind: 'no_supplier' | 'slow_down' | 'no_mail' | 'closed' | 'signed_in', status: number): Error;
}

/**
 * Signing in to a site with a code that is mailed, as on the hosted screens: their pages, limits and answers, the same for
 * who is known and for strangers. The target stands in the address, the matter in a signed cookie.
 */
export function offerCodeSignIn(app: FastifyInstance, deps: Deps, site: SignInSite): void {
  const { config } = deps;
  const path = sitePath(site.url);
  const limits = createScreenLimits(deps);
  const kept = site.cookies.signed(`${site.cookie}-sign-in`);
  /* The hosted screens have a page of this name as well: where both have a host of their own, the host tells. */
  const constraints = path === screensPath(config) ? { host: new URL(site.url).host } : {};
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
    if (id === undefined || !isId(id)) throw site.failure('no_supplier', 404);
    return await deps.database.inOrganization({ organization: id }, async (connection) => {
      const organization = await findOrganization(connection, id);
      if (organization === undefined) throw site.failure('no_supplier', 404);
      if (!mayAct({ standing: organization.standing, disabled_at: null })) throw site.failure('closed', 403);
      return await work(connection, organization);
    });
  }

  const codeParts = (
    request: FastifyRequest,
    connection: Connection,
    organization: Organization,
    id: string,
  ) => ({
    connection,
    pepper: config.SECRET_PEPPER,
    request: { organization_id: organization.id, id, client_id: null },
    network: networkOf(request.remoteAddress),
    nowMilliseconds: deps.clock.nowMilliseconds(),
    trace: traceOf(request),
    ...(site.accounts && { accounts: site.accounts }),
  });

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    screen: ShownScreen,
    organization: Organization,
    brand: ShownBrand | null,
  ): FastifyReply {
    const next = nextOf(request);
    const login = loginAddress(path, next);
    return sendScreen(request, reply, screen, {
      ...{ path: site.filesPath, brand },
      client: site.nameOf(organization, textsFor(request).lang),
      action: screen.template === 'login' ? login : loginAddress(path, next, '/code'),
      back: login,
      login,
      csrf: reply.generateCsrf({ userInfo: site.subjectOf(request) }),
    });
  }

  /** Answers after the commit: a browser that is told to go on must find what was written. */
  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    email: string,
    work: (connection: Connection, organization: Organization) => Promise<Outcome>,
  ): Promise<FastifyReply> {
    if (!deps.mail.isOn) throw site.failure('no_mail', 503);
    if (await limits.isClosed(request, reply)) throw site.failure('slow_down', 429);
    const id = await site.organizationOf(request, email, reply);
    const brand = id === undefined ? null : ((await site.brandShown?.(id)) ?? null);
    const { organization, ...outcome } = await inside(id, async (connection, found) => {
      const organization = brand === null ? found : { id: found.id, name: brand.name };
      return { organization, ...(await work(connection, organization)) };
    });
    const isOwn = site.brandShown === undefined;
    const form = isOwn ? outcome : withLetterhead(deps, organization.id, outcome);
    await limits.settle(request, reply, form, { organization_id: organization.id, client_id: null });
    if ('screen' in outcome) return show(request, reply, outcome.screen, organization, brand);
    if ('begun' in outcome) {
      const text = Buffer.from(JSON.stringify(outcome.begun)).toString('base64url');
      kept.set(reply, text, SIGN_IN_SECONDS);
      return reply.redirect(loginAddress(site.url, nextOf(request), '/code'), 303);
    }
    kept.clear(reply);
    return await site.letIn(reply, outcome.entered, nextOf(request));
  }

  const tokenOf = (request: FastifyRequest) => textOf(request.body, '_csrf');
  const sourceOf = (request: FastifyRequest, code = ''): SessionSource => ({
    pepper: config.SECRET_PEPPER,
    form: `${code}\0${tokenOf(request)}`,
  });

  /** The first of two clicks may have signed in already. A form beside the session of somebody else leads nobody into it. */
  const inAlready = async (request: FastifyRequest, reply: FastifyReply) => {
    const place = await site.placeOf(request, nextOf(request));
    if (place === undefined) return undefined;
    const own = () => site.sessionOf(sourceOf(request, verifyForm.safeParse(request.body).data?.code));
    if (isRead(request) || site.cookies.of(request) === own()) return reply.redirect(place, 303);
    throw site.failure('signed_in', 409);
  };
  const sent = { constraints, preHandler: [inAlready, app.csrfProtection] };

  app.get(loginUrl, { constraints, preHandler: inAlready }, async (request, reply) => {
    const screen = askForAddress(textsFor(request));
    return await answer(request, reply, '', async () => ({ screen }));
  });

  app.post(loginUrl, sent, async (request, reply) => {
    const t = textsFor(request);
    const read = readForm(loginForm, request.body);
    const email = 'form' in read ? read.form.email : '';
    return await answer(request, reply, email, async (connection, organization) => {
      const typed = typedTexts(request.body);
      if ('wrong' in read) return { screen: askForAddress(t, { status: 400, typed, error: t.checkEmail }) };
      const id = signInOf(request)?.id ?? signInIdOf(config.SECRET_PEPPER, tokenOf(request));
      const options = { signsUp: false, atOnce: false };
      const started = await issueCode(codeParts(request, connection, organization, id), email, options);
      const refused = nextAfterStart(started, t);
      if (refused !== undefined) return { screen: askForAddress(t, { ...refused, typed }) };
      const client_name = site.nameOf(organization, t.lang);
      const begun = { id, email, expires: deps.clock.nowMilliseconds() + SIGN_IN_SECONDS * 1000 };
      return { begun, mail: messageOf(started, { client_name }, t), counts: true };
    });
  });

  app.get(codeUrl, { constraints }, async (request, reply) => {
    const signIn = signInOf(request);
    if (signIn === undefined) return reply.redirect(loginAddress(site.url, nextOf(request)), 303);
    return await answer(request, reply, signIn.email, async (connection, organization) => {
      const of = codeParts(request, connection, organization, signIn.id);
      return { screen: await askForCode(textsFor(request), of, mailedTo(signIn), {}) };
    });
  });

  app.post(codeUrl, sent, async (request, reply) => {
    const t = textsFor(request);
    const signIn = signInOf(request);
    if (signIn === undefined) return reply.redirect(loginAddress(site.url, nextOf(request)), 303);
    const wantsNewCode = Object.hasOwn((request.body ?? {}) as object, 'again');
    const read = wantsNewCode ? readForm(newCodeForm, request.body) : readForm(verifyForm, request.body);
    return await answer(request, reply, signIn.email, async (connection, organization) => {
      const of = codeParts(request, connection, organization, signIn.id);
      const shown = (screen: Parameters<typeof askForCode>[3]) => askForCode(t, of, mailedTo(signIn), screen);
      if ('wrong' in read) return { screen: await shown({ status: 400, error: 'shape' }) };
      if ('code' in read.form) {
        const { code } = read.form;
        const parts = { ...of, ...sourceOf(request, code) };
        await lockCodesOf(of, signIn.email);
        const begun = await site.justBegun(parts, organization.id);
        if (begun !== undefined) return { entered: begun };
        const checked = await checkCode(of, { email: signIn.email, typed: code });
        if (checked.check === 'right') {
          const entered = { organization: organization.id, account: checked.account };
          return { entered: { ...entered, cookie: await site.beginSession(parts, entered) } };
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
      const client_name = site.nameOf(organization, t.lang);
      return { screen, mail: messageOf(started, { client_name }, t), counts: true };
    });
  });
}

/** Both clicks of somebody who clicks twice send the same form: they begin one sign-in, with one code. */
function signInIdOf(pepper: string, formToken: string): string {
  const body = keyedHash(pepper, 'sign-in-of-form', formToken).toString('hex').slice(0, 24);
  return `psi_${body}`;
}

function mailedTo({ email }: SignIn) {
  return { email, signsUp: false };
}

/** Fields that no form here has. */
export function isForeignForm(error: unknown): boolean {
  return error instanceof ForeignForm;
}
