import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { languageOf } from '../platform/http/language.ts';
import { pageRenderer, SCREEN_FRAME } from '../platform/http/pages.ts';
import { berlinMilliseconds, type CalendarDay } from '../platform/time/berlin-calendar.ts';
import type { Overview } from './overview.ts';
import { type ErrorKind, type Texts, textsIn } from './texts.ts';

const renderPage = pageRenderer(join(import.meta.dirname, 'views'), SCREEN_FRAME);

/** In front of every path of the portal: `/portal`; empty where it has a host of its own. */
export function portalPath({ portalUrl }: { portalUrl: string }): string {
  const { pathname } = new URL(portalUrl);
  return pathname === '/' ? '' : pathname;
}

/** Where the portal's style and icon are: below one of its pages, so that no other page can have the same address. */
export function filesPath(path: string): string {
  return `${path}/overview`;
}

export function portalPaths(config: { portalUrl: string }): string[] {
  const path = portalPath(config);
  const pages = ['auth/confirm', 'overview', 'sign-out'].map((page) => `${path}/${page}`);
  return path === '' ? pages : [...pages, path, `${path}/*`];
}

function textsFor(request: FastifyRequest): Texts {
  return textsIn[languageOf(request.headers['accept-language'])];
}

/**
 * Nothing runs, nothing is framed, nothing is kept, no address is passed on. Forms lead here and, by a redirect, to the
 * sign-up of those who have no contract: browsers hold redirects against this list too.
 */
export function portalHeaders(checkout: string): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self'",
      "base-uri 'none'",
      `form-action 'self' ${new URL(checkout).origin}`,
      "frame-ancestors 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    vary: 'accept-language',
  };
}

interface Page {
  path: string;
  status?: number;
}

export function showConfirm(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, ...form }: Page & { action: string; next: string; csrf: string },
): FastifyReply {
  const t = textsFor(request);
  const page = { t, path: filesPath(path), title: t.confirmTitle, ...form };
  return send(reply, t, renderPage('confirm', page));
}

export function showOverview(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, csrf, overview }: Page & { csrf: string; overview: Overview },
): FastifyReply {
  const t = textsFor(request);
  const written = new Intl.DateTimeFormat(t.lang === 'de' ? 'de-DE' : 'en-GB', {
    dateStyle: 'long',
    timeZone: 'Europe/Berlin',
  });
  const dayText = (day: CalendarDay | null, otherwise: string) =>
    day === null ? otherwise : written.format(berlinMilliseconds(day));
  const contracts = overview.contracts.map(({ firstDay, lastDay, ...contract }) => ({
    ...contract,
    first: dayText(firstDay, contract.status === 'ended' ? t.unknown : t.open),
    last: dayText(lastDay, t.unlimited),
    /* The files of a contract's invoices, with the addresses to fetch them from. */
    invoices: [] as { number: string; address: string }[],
  }));
  const page = { t, path: filesPath(path), title: t.overviewTitle, name: overview.name, contracts };
  const leave = { csrf, action: `${path}/sign-out` };
  return send(reply, t, renderPage('overview', { ...page, ...leave }));
}

export function showError(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, kind, status, signedIn = false }: Page & { kind: ErrorKind; status: number; signedIn?: boolean },
): FastifyReply {
  const t = textsFor(request);
  const page = renderPage('error', {
    t,
    path: filesPath(path),
    title: t.errorTitles[kind],
    hint: t.errorHints[kind],
    overview: signedIn ? `${path}/overview` : null,
    requestId: request.id,
  });
  return send(reply.code(status), t, page);
}

function send(reply: FastifyReply, t: Texts, page: string): FastifyReply {
  return reply.header('content-language', t.lang).type('text/html; charset=utf-8').send(page);
}
