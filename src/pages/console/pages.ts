import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageFailure, sendHostedPage } from '../../platform/http/pages/hosted.ts';
import { pageRenderer } from '../../platform/http/pages/render.ts';
import { textsFor } from '../../platform/http/pages/texts.ts';
import type { Visitor } from './session.ts';
import { type ErrorKind, type PageName, type Texts, textsIn } from './texts.ts';

export const VIEWS = join(import.meta.dirname, 'views');
const renderPage = pageRenderer(VIEWS, VIEWS);

export const CONSOLE_PATH = '/console';
export const FILES_PATH = `${CONSOLE_PATH}/files`;

/** For what has to tell pages from the interface. */
export const consolePaths: readonly string[] = [CONSOLE_PATH, `${CONSOLE_PATH}/*`];

/** What the navigation leads to, in its order. */
const NAVIGATION: readonly (readonly [name: PageName, address: string])[] = [['home', CONSOLE_PATH]];

/** What a person is told on a page of its own. */
export class ConsoleFailure extends PageFailure<ErrorKind> {}

/** What a page of somebody who is signed in is made of. */
export interface ConsolePage {
  template: string;
  /** The entry of the navigation it belongs to. */
  of: PageName;
  title?: string;
  values?: Record<string, unknown>;
}

export function showPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { template, of, title, values = {} }: ConsolePage,
  { visitor, csrf }: { visitor: Visitor; csrf: string },
): FastifyReply {
  const t = textsFor(request, textsIn);
  const navigation = NAVIGATION.map(([name, address]) => ({
    address,
    name: t.names[name],
    isCurrent: name === of,
  }));
  const page = renderPage(template, {
    ...{ t, path: FILES_PATH, title: title ?? t.names[of], navigation, visitor, csrf },
    ...{ signOut: `${CONSOLE_PATH}/sign-out`, ...values },
  });
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
    ...{ navigation: [], home: CONSOLE_PATH, requestId: request.id },
  });
  return sendHostedPage(reply.code(status), t.lang, page);
}
