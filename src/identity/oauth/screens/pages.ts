import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  hostedHeaders,
  type ShownBrand,
  sendHostedPage,
  sitePath,
  sitePaths,
} from '../../../platform/http/pages/hosted.ts';
import { pageRenderer, SCREEN_FRAME } from '../../../platform/http/pages/render.ts';
import { textsFor as textsForReader } from '../../../platform/http/pages/texts.ts';
import { needsConsent } from '../authorize/consent.ts';
import type { AuthorizationRequest } from '../authorize/request-queries.ts';
import { formActionSource, lastFormActionSources } from '../protocol/redirect-uris.ts';
import type { ShownScreen } from './screens.ts';
import { type ErrorKind, type Texts, textsIn } from './texts.ts';

const views = join(import.meta.dirname, 'views');
const renderPage = pageRenderer(views, SCREEN_FRAME);

/** In front of every screen's path: `/auth`; empty where the screens have a host of their own. */
export function screensPath({ authUrl }: { authUrl: string }): string {
  return sitePath(authUrl);
}

export function screenPaths({ authUrl }: { authUrl: string }): string[] {
  return sitePaths(authUrl, ['login', 'verify', 'signup', 'consent']);
}

export function textsFor(request: FastifyRequest): Texts {
  return textsForReader(request, textsIn);
}

/** Forms lead to the screens and, by a redirect, to where the answer goes. */
export function screenHeaders(redirectUri?: string): Record<string, string> {
  return hostedHeaders(redirectUri === undefined ? [] : [formActionSource(redirectUri)]);
}

/** Whether the form of this screen may send the browser back to the client. */
function leadsBack(template: ShownScreen['template'], request: AuthorizationRequest): boolean {
  return template === 'consent' || (template === 'verify' && !needsConsent(request));
}

/** Sends one screen of a request. */
export function showScreen(
  httpRequest: FastifyRequest,
  reply: FastifyReply,
  { request, path, brand }: { request: AuthorizationRequest; path: string; brand: ShownBrand | null },
  screen: ShownScreen,
): FastifyReply {
  const address = (screen: string) => `${path}/${screen}?transaction=${request.id}`;
  const headers = leadsBack(screen.template, request)
    ? hostedHeaders(lastFormActionSources(request.redirect_uri))
    : screenHeaders(request.redirect_uri);
  return sendScreen(httpRequest, reply.headers(headers), screen, {
    ...{ path, brand },
    client: request.client_name,
    action: address(screen.template),
    back: address(request.flow === 'signup' ? 'signup' : 'login'),
    login: address('login'),
    csrf: reply.generateCsrf({ userInfo: request.id }),
  });
}

/** Where a screen stands: its forms and links lead to `action`, `back` and `login`. */
interface ScreenPlace {
  /** Below it are style and icon. */
  path: string;
  /** Of whose customers sign in; null on a site of the service itself. */
  brand: ShownBrand | null;
  /** The client that asks for the sign-in. */
  client: string;
  action: string;
  back: string;
  login: string;
  csrf: string;
}

/** Sends a screen, wherever it stands: the portal has some of them too. */
export function sendScreen(
  httpRequest: FastifyRequest,
  reply: FastifyReply,
  { template, title, status = 200, retryAfterSeconds, values = {} }: ShownScreen,
  place: ScreenPlace,
): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  const t = textsFor(httpRequest);
  const page = renderPage(template, { t, title, ...place, error: null, notice: null, typed: {}, ...values });
  return sendHostedPage(reply.code(status), t.lang, page);
}

/** With these a person can do nothing but begin anew. */
const WITHOUT_START: ReadonlySet<ErrorKind> = new Set(['not_found', 'busy', 'slow_down']);

export function showError(
  httpRequest: FastifyRequest,
  reply: FastifyReply,
  path: string,
  { kind, status }: { kind: ErrorKind; status: number },
): FastifyReply {
  const t = textsFor(httpRequest);
  const page = renderPage('error', {
    t,
    path,
    title: t.errorTitles[kind],
    hint: t.errorHints[kind],
    startAgain: !WITHOUT_START.has(kind),
    requestId: httpRequest.id,
  });
  return sendHostedPage(reply.code(status).headers(screenHeaders()), t.lang, page);
}
