import { join } from 'node:path';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Topic } from '../../events/topic.ts';
import { findConsoleOrganization, findConsoleUserByEmail } from '../../identity/console-users/service.ts';
import { CommitUnknown } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { Failure } from '../../platform/errors.ts';
import {
  addressBelow,
  commonFailure,
  installHostedSite,
  loginAddress,
  textOf,
} from '../../platform/http/pages/hosted.ts';
import { installLastingFiles, TABLE_CHART, UPLOT } from '../../platform/http/pages/lasting-files.ts';
import { textsFor } from '../../platform/http/pages/texts.ts';
import { costlyWork, isForeignForm, mayOpenPage, offerCodeSignIn, traceOf } from '../sign-in/offer.ts';
import { billPages } from './bill.ts';
import { contractPages } from './contracts.ts';
import { correctionPages } from './correction.ts';
import { fleetPages } from './fleet.ts';
import { onceForForm } from './forms.ts';
import { homePage } from './home.ts';
import { householdPage } from './household.ts';
import { keyPages } from './keys.ts';
import {
  CONSOLE_PATH,
  ConsoleFailure,
  type ConsolePage,
  type ConsoleSite,
  FILES_PATH,
  type FormBack,
  type Notice,
  type RefusedForm,
  showError,
  showPage,
  VIEWS,
  type Visit,
} from './pages.ts';
import { toldProblem } from './refusals.ts';
import { requestPages } from './requests.ts';
import {
  beginSession,
  justBegun,
  leave,
  SESSION_SECONDS,
  sessionOf,
  type Visitor,
  visitorOf,
} from './session.ts';
import { textsIn } from './texts.ts';
import { receiverPages, webhookPages } from './webhooks.ts';
import { workPages } from './work/work.ts';

/** Where developers and the back office of an organization see what is theirs. */
export async function consoleScreens(
  app: FastifyInstance,
  { deps, topics }: { deps: Deps; topics: readonly Topic[] },
): Promise<void> {
  const { config } = deps;
  const url = config.BASE_URL + CONSOLE_PATH;
  const cookie = await installHostedSite(app, deps, {
    url,
    cookies: { visit: 'voltstream-console', form: 'voltstream-console-form' },
    formSecret: 'console-forms',
    formSubject: (request) => subjectOf(request),
    formTargets: [],
    filesPath: FILES_PATH,
    styles: [UPLOT.style, join(VIEWS, 'style.css')],
  });

  /** A form belongs to its session; of who is signed out to its cookie alone. */
  function subjectOf(request: FastifyRequest): string {
    return cookie.of(request) || 'signed out';
  }
  const script = installLastingFiles(app, FILES_PATH)('js', 'text/javascript; charset=utf-8', TABLE_CHART);
  const signedIn = (request: FastifyRequest) => visitorOf(deps, cookie.of(request));
  const below = (next: string) => addressBelow(url, next, url);

  async function visitOf(request: FastifyRequest, reply: FastifyReply, visitor: Visitor): Promise<Visit> {
    if (!(await mayOpenPage(deps, reply, visitor.user))) throw new ConsoleFailure('slow_down', 429);
    return {
      visitor,
      t: textsFor(request, textsIn),
      query: request.query,
      ...placeOf(request),
      body: request.body,
      trace: traceOf(request),
      costly: costlyWork(deps, request, reply, { organization: visitor.organization }),
    };
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    page: ConsolePage,
    { visitor, refusedForm = null }: { visitor: Visitor; refusedForm?: RefusedForm | null },
  ) {
    const csrf = reply.generateCsrf({ userInfo: subjectOf(request) });
    return showPage(request, reply, page, { visitor, csrf, script, refusedForm });
  }

  const pages = new Map<string, (visit: Visit) => Promise<ConsolePage>>();

  /** The nearest page above the address of a form. */
  function pageAbove(address: string) {
    const found = pages.get(address);
    if (found !== undefined) return found;
    if (address === '') throw new Error('A form stands on no page');
    return pageAbove(address.slice(0, address.lastIndexOf('/')));
  }

  const toSignIn = (reply: FastifyReply, next: string) => reply.redirect(loginAddress(url, next), 303);

  const waitedFor = new Set<string>();
  const placeOf = (request: FastifyRequest) => ({ params: request.params as Record<string, string> });

  /** A form that was open for longer than its session: its page is come back to. Its token was the session's. */
  const signedInOrBack = (back: FormBack) => async (request: FastifyRequest, reply: FastifyReply) => {
    if ((await signedIn(request)) === undefined) return toSignIn(reply, back(placeOf(request)));
    return undefined;
  };

  const site: ConsoleSite = {
    deps,
    page: (address, work) => {
      pages.set(address, work);
      app.get(CONSOLE_PATH + address, async (request, reply) => {
        const visitor = await signedIn(request);
        if (visitor === undefined) return toSignIn(reply, request.url.slice(CONSOLE_PATH.length));
        return show(request, reply, await work(await visitOf(request, reply, visitor)), { visitor });
      });
    },
    link: (address, work) =>
      app.get(CONSOLE_PATH + address, async (request, reply) => {
        const visitor = await signedIn(request);
        if (visitor === undefined) return toSignIn(reply, request.url.slice(CONSOLE_PATH.length));
        return reply.redirect(await work(await visitOf(request, reply, visitor)), 302);
      }),
    form: (address, back, work, notice = 'sent') =>
      app.post(
        CONSOLE_PATH + address,
        { preHandler: [signedInOrBack(back), app.csrfProtection] },
        async (request, reply) => {
          const visitor = await signedIn(request);
          if (visitor === undefined) return toSignIn(reply, back(placeOf(request)));
          const visit = await visitOf(request, reply, visitor);
          const leadBack = (told?: Notice) =>
            reply.redirect(below(back(visit)) + (told === undefined ? '' : `?notice=${told}`), 303);
          try {
            const once = await onceForForm({ ...deps, waitedFor }, visit, () => work(visit));
            if (once === 'over') return leadBack(notice);
            if (once === 'under way') return leadBack('working');
            if (typeof once.result !== 'object') return leadBack(once.result);
            return show(request, reply, once.result, { visitor });
          } catch (error) {
            if (error instanceof CommitUnknown)
              return showError(request, reply, commonFailure(error, request, reply, { canLook: true }));
            if (!isRefusal(error)) throw error;
            const refusedForm = refusedFormOf(error, request.url, visit);
            const page = await pageAbove(address)({ ...visit, query: {} });
            return show(request, reply.code(error.status), page, { visitor, refusedForm });
          }
        },
      ),
  };

  homePage(site);
  workPages(site);
  fleetPages(site);
  householdPage(site);
  contractPages(site);
  billPages(site);
  correctionPages(site);
  requestPages(site);
  keyPages(site);
  webhookPages(site, topics);
  receiverPages(site, topics);

  const signOut = (reply: FastifyReply) => {
    cookie.clear(reply);
    return toSignIn(reply, '');
  };
  /* Who signed out in another tab, or whose session is over, is out already: the token of the form was the session's. */
  const outAlready = async (request: FastifyRequest, reply: FastifyReply) =>
    (await signedIn(request)) === undefined ? signOut(reply) : undefined;
  const leaving = { preHandler: [outAlready, app.csrfProtection] };
  app.post(`${CONSOLE_PATH}/sign-out`, leaving, async (request, reply) => {
    const visitor = await signedIn(request);
    if (visitor !== undefined) await leave(deps, cookie.of(request) ?? '', visitor, traceOf(request));
    return signOut(reply);
  });
  app.get(`${CONSOLE_PATH}/*`, async () => {
    throw new ConsoleFailure('not_found', 404);
  });
  app.setErrorHandler(async (error: FastifyError, request, reply) =>
    showError(request, reply, errorOf(error, request, reply)),
  );
  offerCodeSignIn(app, deps, {
    ...{ url, filesPath: FILES_PATH, cookie: 'voltstream-console', cookies: cookie, subjectOf },
    accounts: { noun: 'console_user', find: findConsoleUserByEmail },
    /* Not that of the organization: it would tell strangers from users. */
    nameOf: (_organization, language) => textsIn[language].console,
    organizationOf: (_request, email) =>
      deps.database.asService((connection) => findConsoleOrganization(connection, email)),
    placeOf: async (request, next) => ((await signedIn(request)) === undefined ? undefined : below(next)),
    ...{ beginSession, justBegun, sessionOf },
    letIn: async (reply, entered, next) => {
      cookie.set(reply, entered.cookie, SESSION_SECONDS);
      return reply.redirect(below(next), 303);
    },
    failure: (kind, status) => new ConsoleFailure(kind, status),
  });
}

/** What a service says of a form is shown to whoever sent it. */
function isRefusal(error: unknown): error is Failure {
  return error instanceof Failure && error.status < 500 && error.entries.length > 0;
}

function refusedFormOf({ entries }: Failure, action: string, { body, t }: Visit): RefusedForm {
  return {
    action,
    typed: (name) => textOf(body, name),
    problems: entries.map((entry) => toldProblem(entry, t)),
  };
}

function errorOf(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof ConsoleFailure) return error;
  if (isForeignForm(error)) return { kind: 'forgery', status: 400 } as const;
  return commonFailure(error, request, reply);
}
