import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SubscriptionRow } from '../../contracts/subscriptions/queries.ts';
import type { Deps } from '../../platform/deps.ts';
import { Failure } from '../../platform/errors.ts';
import {
  hostedHeaders,
  PageFailure,
  type ShownBrand,
  sendHostedPage,
  sitePath,
  sitePaths,
} from '../../platform/http/pages/hosted.ts';
import { pageRenderer } from '../../platform/http/pages/render.ts';
import { textsFor } from '../../platform/http/pages/texts.ts';
import {
  addDays,
  berlinDayOf,
  berlinMilliseconds,
  type CalendarDay,
  isBerlinMidnight,
} from '../../platform/time/berlin-calendar.ts';
import type { CostlyWork, VisitTrace } from '../sign-in/offer.ts';
import type { Visitor } from './session.ts';
import { type ErrorKind, type Texts, textsIn } from './texts.ts';

export const VIEWS = join(import.meta.dirname, 'views');
const renderPage = pageRenderer(VIEWS, VIEWS);

/** In front of every path of the portal: `/portal`; empty where it has a host of its own. */
export function portalPath({ portalUrl }: { portalUrl: string }): string {
  return sitePath(portalUrl);
}

/**
 * The portal's style and icon, and all pages behind the sign-in, lie below its first page: so no route of the interface has
 * the same address.
 */
export function filesPath(path: string): string {
  return `${path}/overview`;
}

/** A page about one contract. */
export function contractPath(path: string, contract: string, page: ContractPageName): string {
  return `${path}/overview/contracts/${contract}/${page}`;
}

/** The programs that a customer has let in. */
export function consentsPath(path: string): string {
  return `${path}/overview/consents`;
}

/** `terminate` and `withdraw` end a contract, `ended` is the receipt. */
export type ContractPageName = 'prices' | 'usage' | 'reading' | 'terminate' | 'withdraw' | 'ended';

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

/** What a page of somebody who is signed in is made of. */
export interface PortalPage {
  template: string;
  title: string;
  status?: number;
  /** Draws the table `chart-table` of the page. */
  hasChart?: boolean;
  values?: Record<string, unknown>;
}

/** One visit of a page, by somebody who is signed in. */
export interface Visit {
  visitor: Visitor;
  t: Texts;
  query: unknown;
  body: unknown;
  trace: VisitTrace;
  costly: CostlyWork;
}

/** The outcome of a form: a page below the portal's address, or the form again. */
export type FormOutcome = PortalPage | { to: string };

/** A page about one contract of the visitor; of somebody else's contract, and of none, there is no page. */
export interface ContractPage {
  name: ContractPageName;
  show(visit: Visit, contract: SubscriptionRow): Promise<FormOutcome>;
  /** What its form does. */
  send?(visit: Visit, contract: SubscriptionRow): Promise<FormOutcome>;
}

/** What the pages are registered with. */
export interface PortalSite {
  deps: Deps;
  path: string;
  /** A page, for who is signed in; all others are told how to sign in and led back. */
  page(
    below: string,
    show: (visit: Visit) => Promise<FormOutcome>,
    /** What its form does. */
    send?: (visit: Visit) => Promise<FormOutcome>,
  ): void;
  contractPage(page: ContractPage): void;
}

export interface Supplier {
  name: string;
  email: string | null;
  phone: string | null;
}

export function showPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { template, title, status = 200, hasChart = false, values }: PortalPage,
  {
    path,
    csrf,
    brand,
    supplier,
    script,
    formTargets,
  }: {
    path: string;
    csrf: string;
    brand: ShownBrand | null;
    supplier: Supplier;
    script: string;
    formTargets: string[];
  },
): FastifyReply {
  const t = textsFor(request, textsIn);
  const address = request.url.split('?', 1)[0];
  const navigation = [
    { address: `${path}/overview`, name: t.overviewTitle },
    { address: consentsPath(path), name: t.consentsTitle },
  ].map((entry) => ({ ...entry, isCurrent: entry.address === address }));
  const page = renderPage(template, {
    ...{
      t,
      path: filesPath(path),
      title,
      csrf,
      brand,
      supplier,
      visit: { navigation, signOut: `${path}/sign-out` },
    },
    ...{ scripts: hasChart ? [script] : [], overview: `${path}/overview`, ...values },
  });
  if (hasChart) reply.headers(hostedHeaders(formTargets, { scripts: true }));
  return sendHostedPage(reply.code(status), t.lang, page);
}

export function showConfirm(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, ...form }: { path: string; action: string; next: string; csrf: string; brand: ShownBrand | null },
): FastifyReply {
  const t = textsFor(request, textsIn);
  const page = { t, path: filesPath(path), title: t.confirmTitle, ...form };
  return sendHostedPage(reply, t.lang, renderPage('confirm', page));
}

/** A link on a page of an error, and the name of its words. */
export interface WayOn {
  to: string;
  words: 'confirm' | 'seeWho' | 'signIn';
}

export function showError(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, kind, status, wayOn }: { path: string; kind: ErrorKind; status: number; wayOn: WayOn | null },
): FastifyReply {
  const t = textsFor(request, textsIn);
  const page = renderPage('error', {
    t,
    path: filesPath(path),
    title: t.errorTitles[kind],
    hint: t.errorHints[kind],
    wayOn,
    requestId: kind === 'left' ? null : request.id,
  });
  return sendHostedPage(reply.code(status), t.lang, page);
}

const localeOf = (t: Texts) => (t.lang === 'de' ? 'de-DE' : 'en-GB');

/** `31. Dezember 2026`. */
export function dayText(t: Texts, day: CalendarDay): string {
  const written = new Intl.DateTimeFormat(localeOf(t), { dateStyle: 'long', timeZone: 'Europe/Berlin' });
  return written.format(berlinMilliseconds(day));
}

/** Supply ends at the midnight behind its last day. */
export function lastDayBefore(end: string): CalendarDay {
  const day = berlinDayOf(end);
  return isBerlinMidnight(end) ? addDays(day, -1) : day;
}

/** A contract that was refused, or withdrawn from before its supply began. */
export function isNeverSupplied({ start_at, end_at }: Pick<SubscriptionRow, 'start_at' | 'end_at'>): boolean {
  return end_at !== null && (start_at === null || start_at >= end_at);
}

export function monthText(t: Texts, year: number, month: number): string {
  const written = new Intl.DateTimeFormat(localeOf(t), { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return written.format(Date.UTC(year, month - 1));
}

/** EUR, from decimal text. */
export function moneyText(t: Texts, amount: string): string {
  const written = new Intl.NumberFormat(localeOf(t), { style: 'currency', currency: 'EUR' });
  return written.format(amount as Intl.StringNumericLiteral);
}

/** A failure of a rule as a page tells it: the first of its codes for which the page has words, and the field it is about. */
export function toldFailure(
  error: unknown,
  words: Readonly<Record<string, string>>,
): { status: number; code: string; field: string; words: string } | undefined {
  if (!(error instanceof Failure)) return undefined;
  for (const { code, field } of error.entries) {
    const told = words[code];
    if (told !== undefined) return { status: error.status, code, field, words: told };
  }
  return undefined;
}
