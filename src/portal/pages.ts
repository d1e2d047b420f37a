import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendHostedPage, sitePath, sitePaths } from '../platform/http/pages/hosted.ts';
import { pageRenderer, SCREEN_FRAME } from '../platform/http/pages/render.ts';
import { textsFor } from '../platform/http/pages/texts.ts';
import { berlinMilliseconds, type CalendarDay } from '../platform/time/berlin-calendar.ts';
import type { Overview } from './overview.ts';
import { type ErrorKind, textsIn } from './texts.ts';

const renderPage = pageRenderer(join(import.meta.dirname, 'views'), SCREEN_FRAME);

/** In front of every path of the portal: `/portal`; empty where it has a host of its own. */
export function portalPath({ portalUrl }: { portalUrl: string }): string {
  return sitePath(portalUrl);
}

/** Where the portal's style and icon are: below one of its pages, so that no other page can have the same address. */
export function filesPath(path: string): string {
  return `${path}/overview`;
}

export function portalPaths({ portalUrl }: { portalUrl: string }): string[] {
  const path = portalPath({ portalUrl });
  const paths = sitePaths(portalUrl, ['auth/confirm', 'overview', 'sign-out']);
  return path === '' ? paths : [path, ...paths];
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
  const t = textsFor(request, textsIn);
  const page = { t, path: filesPath(path), title: t.confirmTitle, ...form };
  return sendHostedPage(reply, t.lang, renderPage('confirm', page));
}

export function showOverview(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, csrf, overview }: Page & { csrf: string; overview: Overview },
): FastifyReply {
  const t = textsFor(request, textsIn);
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
  return sendHostedPage(reply, t.lang, renderPage('overview', { ...page, ...leave }));
}

export function showError(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, kind, status, signedIn = false }: Page & { kind: ErrorKind; status: number; signedIn?: boolean },
): FastifyReply {
  const t = textsFor(request, textsIn);
  const page = renderPage('error', {
    t,
    path: filesPath(path),
    title: t.errorTitles[kind],
    hint: t.errorHints[kind],
    overview: signedIn ? `${path}/overview` : null,
    requestId: request.id,
  });
  return sendHostedPage(reply.code(status), t.lang, page);
}
