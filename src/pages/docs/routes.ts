import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NEWEST_VERSION, PREVIEW_VERSION, VERSION_NAMES, type VersionName } from '../../config/versions.ts';
import type { Topic } from '../../events/topic.ts';
import { clientOf, type Database } from '../../platform/database/db.ts';
import { createSharedRead } from '../../platform/database/shared-read.ts';
import type { Deps } from '../../platform/deps.ts';
import { ERROR_CATALOGUE, type ErrorCode, Failure, GENERIC_ENTRY_CODES } from '../../platform/errors.ts';
import { pageOrJson } from '../../platform/http/accept.ts';
import { sendLastingFile } from '../../platform/http/pages/lasting-files.ts';
import { PUBLIC_POLICY, policyText } from '../../platform/http/pages/policies.ts';
import { publicFiles } from '../../platform/http/pages/public.ts';
import { addVary } from '../../platform/http/vary.ts';
import { type RouteName, routeName } from '../../platform/interface/route.ts';
import type { VersionChange } from '../../platform/interface/version-change.ts';
import type { VersionEngine } from '../../platform/interface/versioning.ts';
import type { WebhookDescription } from '../../platform/openapi/webhooks.ts';
import { ruleCodes } from '../../platform/rule-codes.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import { newQuoteExample, quoteExample } from '../../tariffs/quotes/examples.ts';
import { savingsBodyExample, savingsExample } from '../../tariffs/savings/examples.ts';
import {
  type DemoAccess,
  type DemoThings,
  demoAccess,
  demoClientFor,
  demoThings,
  NO_THINGS,
} from './demo-client.ts';
import { readDictionary } from './dictionary.ts';
import { besideFor, documentPages } from './documents.ts';
import { ERROR_PAGES } from './error-codes.ts';
import { filledDescription } from './filled-description.ts';
import { guidePages } from './guide.ts';
import { homePage, noteOn } from './home.ts';
import { partsOf, renderPage, sendPage } from './pages.ts';
import { type DescribedInterface, postmanCollection } from './postman.ts';
import { quotesPage } from './quotes-page.ts';
import { makeReferencePage, type ReferencePage } from './reference.ts';
import { servedZipsPage } from './served-zips.ts';
import { stylePage } from './style-page.ts';

/** Wider than elsewhere by what this one page needs: it writes its own styles and its configuration into itself. */
const REFERENCE_POLICY = policyText({
  ...PUBLIC_POLICY,
  'script-src': ["'self'", "'unsafe-inline'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'", 'data:'],
});

/** The doors of the service for people: home, guide, error codes, API reference. No page asks another host. */
export async function docsPages(
  app: FastifyInstance,
  {
    deps,
    versions,
    topics,
    webhooks,
    describe,
  }: {
    deps: Pick<Deps, 'config' | 'database' | 'clock' | 'readiness'>;
    versions: Pick<VersionEngine, 'changes' | 'contracts' | 'routesWithObject'>;
    topics: readonly Topic[];
    webhooks: readonly WebhookDescription[];
    describe(version: VersionName): object;
  },
): Promise<void> {
  let reference: Promise<ReferencePage> | undefined;
  const referencePage = () => {
    reference ??= makeReferencePage();
    return reference;
  };

  homePage(app, deps);
  guidePages(app, deps, callsOfCustomers(versions));
  stylePage(app, deps);
  documentPages(app);

  const changes = changeEntries(versions);
  app.get('/changelog', async (request, reply) => {
    addVary(reply, 'accept');
    if (pageOrJson(request.headers.accept, 'page') === 'page') return sendPage(reply, changelogPage(changes));
    const list = { object: 'list', items: changes, has_more: false, next_page: null };
    return reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(list));
  });

  const accessOfDemo = demoAccess(deps.config.BASE_URL, deps.clock);
  const demoFor = async (request: FastifyRequest) => {
    const client = demoClientFor(request, deps.config);
    return client === null ? null : await accessOfDemo(client);
  };
  const thingsOfDemo = demoThings(deps.config.BASE_URL, deps.clock);
  const things = createShortCache<DemoThings>();
  const sharedThings = createSharedRead<DemoThings>();
  const described = async (version: VersionName, demo: DemoAccess | null) => {
    const read = () => thingsOfDemo(demo?.token ?? null);
    const known = demo === null ? NO_THINGS : await things('demo', () => sharedThings('demo', read));
    return filledDescription(describe(version) as DescribedInterface, known);
  };
  /** What everybody gets who gets nothing of a demo, by its name. */
  const plain: Record<string, string> = {};
  const sendJson = async (
    reply: FastifyReply,
    name: string,
    demo: DemoAccess | null,
    make: () => Promise<object>,
  ) => {
    if (demo === null) plain[name] ??= JSON.stringify(await make());
    return reply
      .header('cache-control', demo === null ? 'public, max-age=300' : 'no-store')
      .type('application/json; charset=utf-8')
      .send(demo === null ? plain[name] : JSON.stringify(await make()));
  };

  app.get('/docs/postman.json', async (request, reply) => {
    const demo = await demoFor(request);
    reply.header('content-disposition', 'attachment; filename="voltstream.postman_collection.json"');
    return sendJson(reply, 'postman', demo, async () =>
      postmanCollection(await described(NEWEST_VERSION, demo), demo),
    );
  });

  const dictionary = createShortCache<string>();
  const sharedDictionary = createSharedRead<string>();
  app.get('/docs/dictionary', async (_request, reply) =>
    sendPage(
      reply,
      await dictionary('page', () => sharedDictionary('page', () => dictionaryPage(deps.database))),
    ),
  );

  const priced = {
    ...{ quoteBody: newQuoteExample, quote: quoteExample },
    ...{ savingsBody: savingsBodyExample, savings: savingsExample },
  };
  app.get('/docs/quotes', async (_request, reply) =>
    sendPage(reply, quotesPage(priced, deps.config.BASE_URL, PREVIEW_VERSION)),
  );

  servedZipsPage(app, deps);

  app.get('/docs/topics', async (_request, reply) => sendPage(reply, topicsPage(topics, webhooks)));

  app.get('/docs/errors', async (_request, reply) => {
    const errors = Object.entries(ERROR_CATALOGUE).map(([code, { status, message }]) => {
      const others = ERROR_PAGES[code as ErrorCode].otherStatuses ?? [];
      return { ...withWords(code), message, statuses: [status, ...others.map((other) => other.status)] };
    });
    const routes = versions.contracts(NEWEST_VERSION).map(({ route }) => route);
    const rules = ruleCodes().map(({ code, meaning }) => ({
      ...{ ...withWords(code), meaning: partsOf(meaning) },
      calls: routes.filter(({ refusals }) => refusals?.some((rule) => rule === code)).map(routeName),
    }));
    const codes = { entryCodes: GENERIC_ENTRY_CODES, ruleCodes: rules };
    return sendPage(reply, renderPage('errors', { title: 'Error codes', errors, ...codes }));
  });

  app.get<{ Params: { code: string } }>('/docs/errors/:code', async (request, reply) => {
    const { code } = request.params;
    if (!isErrorCode(code)) throw new Failure('NOT_FOUND');
    const example = exampleOf(code, deps.config.docsBase);
    return sendPage(
      reply,
      renderPage('error', { title: code, code, ...ERROR_CATALOGUE[code], ...ERROR_PAGES[code], example }),
    );
  });

  app.get('/docs/reference', async (request, reply) => {
    const page = await referencePage();
    const demo = await demoFor(request);
    reply.header('content-security-policy', REFERENCE_POLICY);
    return sendPage(reply, await page.html(demo), { isKept: demo === null });
  });

  app.get<{ Params: { file: string } }>('/docs/reference/:file', async (request, reply) => {
    const { file } = request.params;
    const version = VERSION_NAMES.find((name) => file === `${name}.json`);
    if (version !== undefined) {
      const demo = await demoFor(request);
      return sendJson(reply, version, demo, () => described(version, demo));
    }
    const page = await referencePage();
    if (file !== page.script.name) throw new Failure('NOT_FOUND');
    return sendLastingFile(request, reply, page.script);
  });

  publicFiles(app);
}

async function dictionaryPage(database: Database): Promise<string> {
  const entries = await database.asService((connection) => readDictionary(clientOf(connection)));
  const dictionary = entries
    .filter(({ columns }) => columns.length > 0)
    .map((entry) => ({
      ...{ ...entry, words: wordsOf(entry.name) },
      columns: entry.columns.map((column) => ({ ...column, words: wordsOf(column.name) })),
    }));
  return renderPage('dictionary', { title: 'Dictionary', dictionary, beside: besideFor('/docs/dictionary') });
}

/** One change as its reader sees it. */
interface ChangeEntry {
  version: VersionName;
  /** The routes it concerns, separated by commas. */
  route: string;
  summary: string;
  before: string;
  after: string;
}

type ChangeList = Pick<VersionEngine, 'changes' | 'routesWithObject'>;

const EVERYWHERE = { lists: 'every list', all: 'every route' } as const;

/** What changed from version to version, the newest first. */
function changeEntries({ changes, routesWithObject }: ChangeList): ChangeEntry[] {
  return VERSION_NAMES.toReversed().flatMap((version) =>
    changes
      .filter((change) => change.version === version)
      .toReversed()
      .map((change) => ({
        version,
        route: [...routesOf(change), ...routesWithObject(change)].join(', '),
        summary: change.summary,
        before: change.before,
        after: change.after,
      })),
  );
}

function routesOf({ appliesTo = [], added = [], removed = [] }: VersionChange): string[] {
  const changed =
    typeof appliesTo === 'string' ? [EVERYWHERE[appliesTo]] : 'object' in appliesTo ? [] : appliesTo;
  return [...new Set([...changed, ...added, ...removed.map(({ route }) => route)])];
}

function changelogPage(changes: readonly ChangeEntry[]): string {
  const shown = VERSION_NAMES.toReversed().map((name) => ({
    name,
    note: noteOn(name),
    isFirst: name === VERSION_NAMES[0],
    entries: changes
      .filter(({ version }) => version === name)
      .map(({ summary, route, before, after }) => ({
        summary,
        routes: route.split(', '),
        before: partsOf(before),
        after: partsOf(after),
      })),
  }));
  return renderPage('changelog', { title: 'Changes', versions: shown });
}

/** What the service tells by itself: every topic, and what a receiver gets. */
function topicsPage(topics: readonly Topic[], webhooks: readonly WebhookDescription[]): string {
  const topicOf = new Map(topics.map((topic) => [topic.name, topic]));
  const shown = webhooks.map(({ name, description }) => {
    const { since = null, context = {} } = topicOf.get(name) ?? {};
    const members = Object.entries(context).map(([member, { optional }]) => ({
      ...{ name: member, isOptional: optional === true },
    }));
    return { name, words: name.split(/(?<=[._])/), when: partsOf(description), since, members };
  });
  const headers = webhooks[0]?.parameters.map(({ name, description }) => ({
    ...{ name, description: partsOf(String(description)) },
  }));
  const example = JSON.stringify(webhooks[0]?.example, null, 2);
  return renderPage('topics', { title: 'Events and webhooks', topics: shown, headers, example });
}

/** A code with the places at which a narrow screen may break it. */
function withWords(code: string): { code: string; words: string[] } {
  return { code, words: wordsOf(code) };
}

const wordsOf = (name: string) => name.split(/(?<=_)/);

/** The calls that a token of one customer may make. */
function callsOfCustomers(versions: Pick<VersionEngine, 'contracts'>): RouteName[] {
  return versions
    .contracts(NEWEST_VERSION)
    .filter(({ route }) => route.customerTokens !== 'no')
    .map(({ route }) => routeName(route));
}

function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CATALOGUE, text);
}

const TOO_BIG = '16.2 kW is more than 1.5 times the rating of 10 kW';

function exampleOf(code: ErrorCode, docsBase: string): string {
  const errors =
    code === 'BAD_REQUEST'
      ? {
          errors: [
            {
              code: 'too_big',
              field: 'snapshots.17.power_kw',
              message: TOO_BIG,
            },
          ],
        }
      : {};
  const message =
    code === 'BAD_REQUEST' ? `too_big in 'snapshots.17.power_kw': ${TOO_BIG}` : ERROR_CATALOGUE[code].message;
  const requestId = '0f8c1d52-6a3e-4b0e-9d57-2c1f7be3a940';
  return JSON.stringify({ code, message, requestId, docs: `${docsBase}/errors/${code}`, ...errors }, null, 2);
}
