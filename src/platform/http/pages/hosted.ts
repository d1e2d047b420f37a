import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import cookie, { Signer } from '@fastify/cookie';
import csrf from '@fastify/csrf-protection';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { installFormParser } from '../../body/form-parser.ts';
import type { BodyRoom } from '../../body/room.ts';
import { CommitUnknown } from '../../database/db.ts';
import { keyedHash } from '../../keyed-hash.ts';
import type { RateLimiter } from '../../rate-limit/rate-limit.ts';
import { networkOf } from '../network.ts';
import { isRead, prepareReply } from '../prepare-reply.ts';
import { keepLanguage } from './language.ts';
import { styleOf } from './look.ts';
import { pageHeaders, screenPolicy } from './policies.ts';
import { ICON_FILE, SCREEN_FRAME } from './render.ts';
import { type CommonErrorKind, errorKindOf } from './texts.ts';

/*
 * Common to all sites on which people sign in or look at their own data: plain pages and forms without any script, a cookie,
 * forms that no other page can send, and pages for failures.
 */

export interface HostedSite {
  /** Where its pages are: `https://auth.example.org`, or below a path of the service. */
  url: string;
  /** Names of its cookies: the one that holds a browser to its visit, and the one that goes with its forms. */
  cookies: { visit: string; form: string };
  /** The kind of secret that its forms are signed with. */
  formSecret: string;
  /** What a form belongs to: sent with another one it is refused. */
  formSubject(request: FastifyRequest): string;
  /** Where else forms may lead, by a redirect. */
  formTargets: readonly string[];
  /** Address below which its style and icon are. */
  filesPath: string;
  /** Style files of its own, behind the common one. */
  styles?: readonly string[];
}

/** Whose a page is, as its customers know it: its files are below the site. */
export interface ShownBrand {
  name: string;
  /** Address of its colour. */
  style: string | null;
  logo: { address: string; width: number; height: number } | null;
}

export interface VisitCookie {
  of(request: FastifyRequest): string | undefined;
  set(reply: FastifyReply, value: string, seconds: number): void;
  clear(reply: FastifyReply): void;
}

/**
 * The cookie of a visit, and others of the site: signed, so that a browser brings back only what it was given, and the database
 * is asked for no session that somebody made up.
 */
export interface SiteCookies extends VisitCookie {
  signed(name: string): VisitCookie;
}

/** In front of every path of a site: `/auth`; empty where it has a host of its own. */
export function sitePath(url: string): string {
  const { pathname } = new URL(url);
  return pathname === '/' ? '' : pathname;
}

/** The paths of a site's pages, for what has to tell them from the interface. */
export function sitePaths(url: string, pages: readonly string[]): string[] {
  const path = sitePath(url);
  const paths = pages.map((page) => `${path}/${page}`);
  return path === '' ? paths : [...paths, `${path}/*`];
}

/** The address of a path below a site; whatever leads elsewhere leads to `fallback` instead. */
export function addressBelow(siteUrl: string, next: string, fallback: string): string {
  /* Browsers read a backslash as a slash, and leave out tabs and line ends. */
  if (!/^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(next)) return fallback;
  const target = new URL(siteUrl + next);
  const inside = target.href.startsWith(`${siteUrl}/`) && !/%2e|%2f|%5c/i.test(target.pathname);
  return inside ? target.href : fallback;
}

/** More than any path of a site has. */
const NEXT_CHARACTERS_MAX = 500;

/** Where one signs in with a mailed code, to be led to `next` afterwards; `screen`: of its second page. */
export function loginAddress(site: string, next: string, screen: '' | '/code' = ''): string {
  const query = next === '' ? '' : `?next=${encodeURIComponent(next.slice(0, NEXT_CHARACTERS_MAX))}`;
  return `${site}/login${screen}${query}`;
}

/** Nothing runs but scripts of ours where a page has some, nothing is framed or kept, no address is passed on. */
export function hostedHeaders(
  formTargets: readonly string[],
  { scripts = false } = {},
): Record<string, string> {
  const policy = screenPolicy(formTargets);
  return {
    ...pageHeaders(scripts ? { ...policy, 'script-src': ["'self'"] } : policy),
    'cache-control': 'no-store',
    vary: 'accept-language',
  };
}

/** Makes an instance one for the pages of a site: those that are registered on it afterwards. */
export async function installHostedSite(
  app: FastifyInstance,
  { config, bodyRoom }: { config: { SECRET_PEPPER: string }; bodyRoom: BodyRoom },
  site: HostedSite,
): Promise<SiteCookies> {
  const isSecure = site.url.startsWith('https:');
  /* With this prefix a browser takes the cookie from this very host only, never from a neighbour below its domain. */
  const prefix = isSecure ? '__Host-' : '';
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const;

  app.removeAllContentTypeParsers();
  await app.register(cookie);
  await app.register(csrf, {
    cookieKey: prefix + site.cookies.form,
    cookieOpts: options,
    csrfOpts: {
      hmacKey: keyedHash(config.SECRET_PEPPER, site.formSecret, '').toString('base64url'),
      userInfo: true,
    },
    getUserInfo: site.formSubject,
    getToken: (request) => textOf(request.body, '_csrf'),
  });
  installFormParser(app, bodyRoom);
  const headers = hostedHeaders(site.formTargets);
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
  /* A request that a hook of the whole service refuses comes to the error page of the site without the hook above. */
  app.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('content-security-policy')) reply.headers(headers);
  });
  const { origin } = new URL(site.url);
  app.addHook('onRequest', async (request) => {
    if (request.method === 'POST' && isOfOtherSite(request, origin)) throw new ForeignOrigin();
  });
  fixedFiles(app, site);
  const signed = (own: string): VisitCookie => {
    const name = prefix + own;
    const signer = new Signer(keyedHash(config.SECRET_PEPPER, 'signed-cookie', own));
    return {
      of: (request) => {
        const value = request.cookies[name];
        const read = value === undefined ? undefined : signer.unsign(value);
        return read?.valid === true ? read.value : undefined;
      },
      set: (reply, value, seconds) =>
        void reply.setCookie(name, signer.sign(value), { ...options, maxAge: seconds }),
      clear: (reply) => void reply.clearCookie(name, options),
    };
  };
  return { ...signed(site.cookies.visit), signed };
}

/** Pages and forms for whoever comes: far more than people behind one address open. */
const PER_NETWORK = { perSecond: 50, burst: 1_000 };

/** Whether somebody who is not signed in may have the database asked; the answer says when again. */
export async function mayStrangerAsk(
  { limiter }: { limiter: RateLimiter },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const taken = await limiter.take(`screens:${networkOf(request.remoteAddress)}`, PER_NETWORK);
  if (!taken.allowed) reply.header('retry-after', taken.secondsUntilNext);
  return taken.allowed;
}

/** A form that was sent from elsewhere. The token inside the form would tell as well: this holds where a token leaked. */
class ForeignOrigin extends Error {}

/**
 * Browsers say where a form comes from. Our own pages hide their address, so that their `Origin` is `null`; then
 * `Sec-Fetch-Site` tells them from a sandboxed page, in browsers that send it.
 */
function isOfOtherSite({ headers }: FastifyRequest, own: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return true;
  return headers.origin !== undefined && headers.origin !== 'null' && headers.origin !== own;
}

function fixedFiles(app: FastifyInstance, { filesPath, styles = [] }: HostedSite): void {
  const css = styleOf([join(SCREEN_FRAME, 'style.css'), ...styles]);
  const icon = readFileSync(ICON_FILE);
  const forAnHour = { 'cache-control': 'public, max-age=3600' };
  app.get(`${filesPath}/style.css`, async (_request, reply) =>
    reply.headers(forAnHour).type('text/css; charset=utf-8').send(css),
  );
  app.get(`${filesPath}/icon.svg`, async (_request, reply) =>
    reply.headers(forAnHour).type('image/svg+xml').send(icon),
  );
}

/** The text of a parameter that was sent once. */
export function textOf(fields: unknown, name: string): string {
  const value = (fields as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

export function sendHostedPage(reply: FastifyReply, lang: string, page: string): FastifyReply {
  keepLanguage(reply);
  return reply.header('content-language', lang).type('text/html; charset=utf-8').send(page);
}

/** What a person is told on a page of its own. */
export class PageFailure<Kind extends string> extends Error {
  readonly kind: Kind;
  readonly status: number;

  constructor(kind: Kind, status = 400) {
    super(kind);
    this.kind = kind;
    this.status = status;
  }
}

/**
 * Which page tells of an error. A site handles its own `PageFailure` before. `canLook`: whoever sent the form sees on a page what
 * is stored; all others can only send it again.
 */
export function commonFailure(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  { canLook = false } = {},
): { kind: CommonErrorKind; status: number } {
  if (error instanceof ForeignOrigin || error.code?.startsWith('FST_CSRF_'))
    return { kind: 'forgery', status: 403 };
  const { status } = prepareReply(error, request, reply);
  const isUnknown = canLook && error instanceof CommitUnknown && !isRead(request);
  return { kind: isUnknown ? 'unknown' : errorKindOf(status), status };
}
