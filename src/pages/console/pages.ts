import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../platform/deps.ts';
import type { Chart } from '../../platform/http/pages/chart.ts';
import { hostedHeaders, PageFailure, sendHostedPage, textOf } from '../../platform/http/pages/hosted.ts';
import { pageRenderer } from '../../platform/http/pages/render.ts';
import { textsFor } from '../../platform/http/pages/texts.ts';
import type { CostlyWork, VisitTrace } from '../sign-in/offer.ts';
import type { Problem } from './refusals.ts';
import type { Visitor } from './session.ts';
import { type ErrorKind, type PageName, type Texts, textsIn } from './texts.ts';

export const VIEWS = join(import.meta.dirname, 'views');
const renderPage = pageRenderer(VIEWS, VIEWS);

export const CONSOLE_PATH = '/console';
export const FILES_PATH = `${CONSOLE_PATH}/files`;

/** Below it: what waits for a person. */
export const WORK = '/work';

/** For what has to tell pages from the interface. */
export const consolePaths: readonly string[] = [CONSOLE_PATH, `${CONSOLE_PATH}/*`];

/** What the navigation leads to, in its order. */
const NAVIGATION: readonly (readonly [name: PageName, address: string])[] = [
  ['home', CONSOLE_PATH],
  ['work', CONSOLE_PATH + WORK],
  ['fleet', `${CONSOLE_PATH}/fleet`],
  ['contracts', `${CONSOLE_PATH}/contracts`],
  ['requests', `${CONSOLE_PATH}/requests`],
  ['keys', `${CONSOLE_PATH}/keys`],
  ['webhooks', `${CONSOLE_PATH}/webhooks`],
];

/** What a person is told on a page of its own. */
export class ConsoleFailure extends PageFailure<ErrorKind> {}

/** A form that was refused: its page comes again with what was typed, and what is wrong with it. */
export interface RefusedForm {
  /** Where the form leads; a page may have several. */
  readonly action: string;
  typed(name: string): string;
  /** `isBeside`: the view has put it beside the field that it is about. */
  readonly problems: readonly (Problem & { isBeside?: boolean })[];
}

/** What a page of somebody who is signed in is made of. */
export interface ConsolePage {
  template: string;
  /** The entry of the navigation it belongs to. */
  of: PageName;
  title?: string;
  /** Stands at its end. */
  chart?: Chart;
  values?: Record<string, unknown>;
}

/** One visit of a page, by somebody who is signed in. */
export interface Visit {
  visitor: Visitor;
  t: Texts;
  query: unknown;
  params: Readonly<Record<string, string>>;
  /** Of a form that was sent. */
  body: unknown;
  trace: VisitTrace;
  costly: CostlyWork;
}

/** The address behind a form that has nothing to show: a page below the console's address. */
export type FormBack = (visit: Pick<Visit, 'params'>) => string;

/** What the page behind a form says. */
export type Notice = keyof Texts['notices'];

/** What the pages are registered with. */
export interface ConsoleSite {
  deps: Deps;
  /** A page, for who is signed in; all others are led to the sign-in and back. */
  page(below: string, work: (visit: Visit) => Promise<ConsolePage>): void;
  /** An address that leads elsewhere, for who is signed in. */
  link(below: string, work: (visit: Visit) => Promise<string>): void;
  /**
   * What a form does, once; then it leads to the address of `back`, with the notice that the work returns. If the work has
   * something to show that cannot be seen again, it returns a page, and `notice` tells who pressed twice of it. Refused, the form comes again on the nearest page
   * above its address: that is where it stands.
   */
  form(
    below: string,
    back: FormBack,
    work: (visit: Visit) => Promise<ConsolePage | Notice | undefined>,
    notice?: Notice,
  ): void;
}

export function showPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { template, of, title, chart, values = {} }: ConsolePage,
  shown: { visitor: Visitor; csrf: string; script: string; refusedForm: RefusedForm | null },
): FastifyReply {
  const { script, ...frame } = shown;
  const t = textsFor(request, textsIn);
  const navigation = NAVIGATION.map(([name, address]) => ({
    address,
    name: t.names[name],
    isCurrent: name === of,
  }));
  const notice = Object.entries(t.notices).find(([name]) => name === textOf(request.query, 'notice'))?.[1];
  const page = renderPage(template, {
    ...{ t, path: FILES_PATH, title: title ?? t.names[of], navigation, notice, ...frame },
    ...{ chart: chart ?? null, scripts: chart === undefined ? [] : [script] },
    ...{ signOut: `${CONSOLE_PATH}/sign-out`, newFormId: randomUUID, ...values },
  });
  if (chart !== undefined) reply.headers(hostedHeaders([], { scripts: true }));
  return sendHostedPage(reply, t.lang, page);
}

export function showError(
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, status }: { kind: ErrorKind; status: number },
): FastifyReply {
  const t: Texts = textsFor(request, textsIn);
  const page = renderPage('error', {
    ...{ t, path: FILES_PATH, title: t.errorTitles[kind], hint: t.errorHints[kind] },
    ...{ navigation: [], chart: null, refusedForm: null, home: CONSOLE_PATH, requestId: request.id },
  });
  return sendHostedPage(reply.code(status), t.lang, page);
}
