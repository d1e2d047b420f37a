import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shortAddress } from '../../../platform/audit.ts';
import type { Connection } from '../../../platform/database/db.ts';
import type { Deps } from '../../../platform/deps.ts';
import { networkOf } from '../../../platform/http/network.ts';
import { commonFailure, installHostedSite, textOf } from '../../../platform/http/pages/hosted.ts';
import { brandsOf } from '../../brands/service.ts';
import { allow, type RequestParts, refuse } from '../authorize/consent.ts';
import type { AuthorizationRequest, SignUp } from '../authorize/request-queries.ts';
import { ScreenFailure, type Visit, visit } from '../authorize/visit.ts';
import { newBrowserKey } from '../protocol/secrets.ts';
import { lockCodesOf } from '../sign-in/one-time-codes.ts';
import { startSignIn } from '../sign-in/sign-in.ts';
import { createScreenLimits, withLetterhead } from './limits.ts';
import { loginScreen } from './login-screen.ts';
import { screenHeaders, screensPath, showError, showScreen, textsFor } from './pages.ts';
import { consentForm, ForeignForm, readForm, signUpForm, typedTexts } from './schema.ts';
import type { NextScreen, Screens } from './screens.ts';
import { messageOf, nextAfterStart } from './sent-code.ts';
import type { Texts } from './texts.ts';
import { verifyScreen } from './verify-screen.ts';

const COOKIE_SECONDS = 15 * 60;

declare module 'fastify' {
  interface FastifyRequest {
    /** The request that the screen is about, once it is known; a failure is answered to its client. */
    authorization: AuthorizationRequest | null;
  }
}

/**
 * Screens where customers sign in and say what a client may do. Plain pages and forms, without any script. The content of a
 * request never travels through a form; a cookie holds the browser to it.
 */
export async function hostedScreens(app: FastifyInstance, { deps }: { deps: Deps }): Promise<void> {
  const { config } = deps;
  const path = screensPath(config);
  const cookie = await installHostedSite(app, deps, {
    url: config.authUrl,
    cookies: { visit: 'voltstream-browser', form: 'voltstream-form' },
    formSecret: 'forms',
    formSubject: (request) => textOf(request.query, 'transaction'),
    formTargets: [],
    filesPath: path,
  });
  app.decorateRequest('authorization', null);
  const brandShown = brandsOf(app, deps, path);
  const limits = createScreenLimits(deps);
  const lockCodes = (connection: Connection, organization_id: string, email: string) =>
    lockCodesOf({ connection, pepper: config.SECRET_PEPPER, request: { organization_id } }, email);
  const screens: Screens = {
    deps,
    path,
    addressOf: (screen, { id }) => `${config.authUrl}/${screen}?transaction=${id}`,
    answer: async (request, reply, options, work) => {
      if (await limits.isClosed(request, reply)) throw new ScreenFailure('slow_down', 429);
      let browserKey = cookie.of(request);
      const looks = request.method === 'HEAD';
      if (browserKey === undefined && options.claims === true && !looks) browserKey = newBrowserKey();
      const visitor = { transaction: (request.query as Record<string, unknown>).transaction, browserKey };
      const next = await visit({ ...deps, lockCodes }, visitor, { ...options, looks }, async (visited) => {
        request.authorization = visited.request;
        return await work(requestParts(deps, request, visited));
      });
      if (browserKey !== undefined) cookie.set(reply, browserKey, COOKIE_SECONDS);
      const authorization = request.authorization as AuthorizationRequest;
      const { organization_id: organization } = authorization;
      await limits.settle(request, reply, withLetterhead(deps, organization, next), authorization);
      if ('to' in next)
        return reply.headers(screenHeaders(authorization.redirect_uri)).redirect(next.to, 303);
      const brand = await brandShown(organization);
      return showScreen(request, reply, { request: authorization, path, brand }, next);
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
  if (path === '') return;
  app.get(`${path}/*`, async () => {
    throw new ScreenFailure('not_found', 404);
  });
}

function requestParts(
  deps: Deps,
  request: FastifyRequest,
  { connection, request: authorization }: Visit,
): RequestParts {
  return {
    connection,
    request: authorization,
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
  const { kind, status } = commonFailure(error, request, reply);
  return { kind: kind === 'bad_call' ? ('foreign_form' as const) : kind, status };
}

/** After a defect the client hears of it, if the request can still be ended; undefined where it cannot. */
async function failedRequest(deps: Deps, request: FastifyRequest): Promise<string | undefined> {
  const authorization = request.authorization;
  if (authorization === null) return undefined;
  try {
    return await deps.database.inOrganization({ organization: authorization.organization_id }, (connection) =>
      refuse(requestParts(deps, request, { connection, request: authorization }), {
        error: 'server_error',
        description: 'The service cannot answer now',
      }),
    );
  } catch (error) {
    request.log.error({ err: error }, 'a failed authorization could not be ended');
    return undefined;
  }
}

/** What the client would be allowed to do; the customer's answer ends the request. */
function consentScreen(app: FastifyInstance, screens: Screens): void {
  const url = `${screens.path}/consent`;

  app.get(url, (httpRequest, reply) =>
    screens.answer(httpRequest, reply, {}, async ({ request }) =>
      request.customer_id === null
        ? { to: screens.addressOf('login', request) }
        : consentShown(textsFor(httpRequest), request),
    ),
  );

  app.post(url, { preHandler: app.csrfProtection }, (httpRequest, reply) => {
    const read = readForm(consentForm, httpRequest.body);
    if ('wrong' in read) throw new ForeignForm('A consent without a decision');
    return screens.answer(httpRequest, reply, { repeats: true }, async (parts) => {
      if (parts.request.customer_id === null) return { to: screens.addressOf('login', parts.request) };
      if (read.form.decision === 'allow') return { to: await allow(parts) };
      const description = 'The customer did not consent';
      return { to: await refuse(parts, { error: 'access_denied', description }) };
    });
  });
}

function consentShown(t: Texts, request: AuthorizationRequest): NextScreen {
  const { client_name, scopes, email, redirect_uri } = request;
  const { hostname, protocol } = new URL(redirect_uri);
  const rights = [
    ...(scopes.includes('read:*') ? [t.mayRead] : []),
    ...(scopes.includes('write:*') ? [t.mayWrite] : []),
  ];
  const host = hostname === '' ? protocol : hostname;
  return { template: 'consent', title: t.consentTitle(client_name), values: { email, rights, host } };
}

/** Names and address of a customer to be; an address that is known goes on as on the sign-in. */
function signUpScreen(app: FastifyInstance, screens: Screens): void {
  const url = `${screens.path}/signup`;

  app.get(url, (httpRequest, reply) =>
    screens.answer(httpRequest, reply, { claims: true }, async ({ request }) => {
      assertSignUp(request);
      if (request.customer_id !== null) return { to: screens.addressOf('consent', request) };
      return signUpShown(httpRequest);
    }),
  );

  app.post(url, { preHandler: app.csrfProtection }, (httpRequest, reply) => {
    const t = textsFor(httpRequest);
    const read = readForm(signUpForm, httpRequest.body);
    const codesOf = 'form' in read ? read.form.email : undefined;
    return screens.answer(httpRequest, reply, { codesOf }, async (parts) => {
      const { request } = parts;
      assertSignUp(request);
      if (request.customer_id !== null) return { to: screens.addressOf('consent', request) };
      if ('wrong' in read)
        return signUpShown(httpRequest, { status: 400, wrong: read.wrong, error: t.checkFields });
      const { type, first_name, last_name, company_name, email } = read.form;
      const signUp: SignUp = {
        ...{ type, first_name, last_name },
        company_name: type === 'company' ? company_name : null,
      };
      const started = await startSignIn(parts, email, signUp);
      const refused = nextAfterStart(started, t);
      if (refused !== undefined) return signUpShown(httpRequest, refused);
      const to = screens.addressOf('verify', request);
      return { to, mail: messageOf(started, request, t), counts: true };
    });
  });
}

/** Only a client that asks for it lets strangers become customers. */
function assertSignUp(request: AuthorizationRequest): void {
  if (request.flow !== 'signup') throw new ScreenFailure('not_found', 404);
}

interface Problems {
  status?: number;
  retryAfterSeconds?: number;
  error?: string;
  wrong?: readonly string[];
}

function signUpShown(
  httpRequest: FastifyRequest,
  { status = 200, retryAfterSeconds, error, wrong = [] }: Problems = {},
): NextScreen {
  const t = textsFor(httpRequest);
  const fields = fieldsIn(t).map((field) => ({
    ...field,
    problem: wrong.includes(field.name) ? field.advice : null,
  }));
  const typed = typedTexts(httpRequest.body);
  return {
    template: 'signup',
    title: t.signUpTitle,
    status,
    retryAfterSeconds,
    values: { fields, typed, error: error ?? null },
  };
}

function fieldsIn(t: Texts) {
  const name = { type: 'text', max: 100, required: true, advice: t.checkName };
  return [
    { ...name, name: 'first_name', label: t.firstName, autocomplete: 'given-name' },
    { ...name, name: 'last_name', label: t.lastName, autocomplete: 'family-name' },
    { ...name, name: 'company_name', label: t.companyName, autocomplete: 'organization', required: false },
    {
      ...{ name: 'email', label: t.email, autocomplete: 'email', type: 'email', max: 254 },
      ...{ required: true, advice: t.checkEmail },
    },
  ];
}
