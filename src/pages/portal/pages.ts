import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ListedDocument } from '../../billing/invoices/queries.ts';
import { PageFailure, sendHostedPage, sitePath, sitePaths } from '../../platform/http/pages/hosted.ts';
import { pageRenderer, SCREEN_FRAME } from '../../platform/http/pages/render.ts';
import { textsFor } from '../../platform/http/pages/texts.ts';
import { berlinMilliseconds, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { Overview } from './overview.ts';
import { type ErrorKind, type Texts, textsIn } from './texts.ts';

const renderPage = pageRenderer(join(import.meta.dirname, 'views'), SCREEN_FRAME);

/** In front of every path of the portal: `/portal`; empty where it has a host of its own. */
export function portalPath({ portalUrl }: { portalUrl: string }): string {
  return sitePath(portalUrl);
}

/** Where the portal's style and icon are: below one of its pages, so that no other page can have the same address. */
export function filesPath(path: string): string {
  return `${path}/overview`;
}

/** The document of an invoice, for who is signed in. Below the overview, so that no route of the interface has this address. */
export function invoicePath(path: string, id: string): string {
  return `${path}/overview/invoices/${id}`;
}

export function portalPaths({ portalUrl }: { portalUrl: string }): string[] {
  const path = portalPath({ portalUrl });
  const paths = sitePaths(portalUrl, [
    'auth/confirm',
    'login',
    'login/code',
    'overview',
    'overview/*',
    'sign-out',
  ]);
  return path === '' ? paths : [path, ...paths];
}

/** What a person is told on a page of its own. */
export class PortalFailure extends PageFailure<ErrorKind> {}

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
  const locale = t.lang === 'de' ? 'de-DE' : 'en-GB';
  const written = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'Europe/Berlin' });
  const dayText = (day: CalendarDay | null, otherwise: string) =>
    day === null ? otherwise : written.format(berlinMilliseconds(day));
  const shownInvoice = invoiceTexts(t, locale, path);
  const contracts = overview.contracts.map(({ firstDay, lastDay, invoices, ...contract }) => ({
    ...contract,
    first: dayText(firstDay, contract.status === 'ended' ? t.unknown : t.open),
    last: dayText(lastDay, t.unlimited),
    invoiceLists: [
      { invoices: invoices.slice(0, NEWEST_INVOICES).map(shownInvoice), isOlder: false },
      { invoices: invoices.slice(NEWEST_INVOICES).map(shownInvoice), isOlder: true },
    ].filter((list) => list.invoices.length > 0),
  }));
  const page = { t, path: filesPath(path), title: t.overviewTitle, name: overview.name, contracts };
  const leave = { csrf, action: `${path}/sign-out` };
  return sendHostedPage(reply, t.lang, renderPage('overview', { ...page, ...leave }));
}

/** So many are seen at once; older ones are opened with a click. */
const NEWEST_INVOICES = 12;

/** How an invoice is written for a customer: what it is called, its month, its amount, and how far it is. */
function invoiceTexts(t: Texts, locale: string, path: string) {
  const months = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const amounts = new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' });
  return (document: ListedDocument) => {
    const { id, type, invoice_number, month, year, status, total, has_document, taken_over_by } = document;
    const isPaidOut = total.startsWith('-');
    return {
      name: `${type === 'usage' && isPaidOut ? t.credit : t.invoiceTypes[type]} ${invoice_number}`,
      month: months.format(Date.UTC(year, month - 1)),
      amount: amounts.format(total as Intl.StringNumericLiteral),
      status:
        taken_over_by === null
          ? (isPaidOut ? t.creditStatuses : t.invoiceStatuses)[status]
          : t.takenOver(taken_over_by),
      /* What the customer has to do himself. */
      hint:
        status === 'uncollectible' && taken_over_by === null && !isPaidOut ? t.toPay(invoice_number) : null,
      address: has_document ? invoicePath(path, id) : null,
    };
  };
}

/** A link on a page that lets nobody in, and the name of its words. */
export interface WayOn {
  to: string;
  words: 'confirm' | 'signIn';
}

export function showError(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, kind, status, wayOn }: Page & { kind: ErrorKind; status: number; wayOn: WayOn | null },
): FastifyReply {
  const t = textsFor(request, textsIn);
  const page = renderPage('error', {
    t,
    path: filesPath(path),
    title: t.errorTitles[kind],
    hint: t.errorHints[kind],
    wayOn,
    requestId: request.id,
  });
  return sendHostedPage(reply.code(status), t.lang, page);
}
