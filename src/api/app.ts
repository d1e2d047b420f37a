import { getHeapStatistics } from 'node:v8';
import compress from '@fastify/compress';
import cors from '@fastify/cors';
import underPressure from '@fastify/under-pressure';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { invoiceFileRoutes } from '../billing/invoices/files/routes.ts';
import { invoiceRoutes } from '../billing/invoices/routes.ts';
import { VERSIONS } from '../config/versions.ts';
import { gridFeeReductionRoutes } from '../contracts/grid-fee-reductions/routes.ts';
import { leadRoutes } from '../contracts/leads/routes.ts';
import { loadForecastRoutes } from '../contracts/load-forecasts/routes.ts';
import { marketPartnerRoutes } from '../contracts/market-partners/routes.ts';
import { meterOrderRoutes } from '../contracts/meter-orders/routes.ts';
import { meterReadingRoutes } from '../contracts/meter-readings/routes.ts';
import { subscriptionPriceRoutes } from '../contracts/subscription-prices/routes.ts';
import { subscriptionRoutes } from '../contracts/subscriptions/routes.ts';
import { usageRoutes } from '../contracts/usage/routes.ts';
import { webhookDescriptions } from '../events/description.ts';
import { eventRoutes } from '../events/routes.ts';
import { customerRoutes } from '../identity/customers/routes.ts';
import { householdRoutes } from '../identity/households/routes.ts';
import { createAuthenticator } from '../identity/oauth/access/access.ts';
import { accessDescription } from '../identity/oauth/description.ts';
import { authorizeRoutes, oauthRoutes } from '../identity/oauth/routes.ts';
import { screenPaths } from '../identity/oauth/screens/pages.ts';
import { hostedScreens } from '../identity/oauth/screens/routes.ts';
import { consolePaths } from '../pages/console/pages.ts';
import { consoleScreens } from '../pages/console/screens.ts';
import { docsPages } from '../pages/docs/routes.ts';
import { portalPaths } from '../pages/portal/pages.ts';
import { portalRoutes } from '../pages/portal/routes.ts';
import { portalScreens } from '../pages/portal/screens.ts';
import { createReadAudit } from '../platform/audit.ts';
import type { Deps } from '../platform/deps.ts';
import { unavailable } from '../platform/errors.ts';
import { limitConnections } from '../platform/http/connection-limit.ts';
import { corsOptions } from '../platform/http/cors.ts';
import { healthRoutes } from '../platform/http/health.ts';
import { installPublicPages } from '../platform/http/pages/public.ts';
import { installFramingChecks, serverOptions } from '../platform/http/server.ts';
import { installBodyParser } from '../platform/interface/body-parser.ts';
import { installErrorHandler, unroutedAnswers } from '../platform/interface/error-handler.ts';
import { registerRoutes } from '../platform/interface/register-routes.ts';
import { installRequestGate } from '../platform/interface/request-gate.ts';
import { installRequestLog } from '../platform/interface/request-log.ts';
import { installRequestRecords } from '../platform/interface/request-record.ts';
import { installRequestTraces } from '../platform/interface/request-traces.ts';
import type { ApiRoute } from '../platform/interface/route.ts';
import { createVersionEngine, type VersionEngine } from '../platform/interface/versioning.ts';
import { requestLogger } from '../platform/log/request-logger.ts';
import { openApiDocument, openApiRoutes } from '../platform/openapi/openapi.ts';
import { metricsOfGroup } from '../platform/process/group/shared-metrics.ts';
import { pricePages } from '../spot-prices/page/routes.ts';
import { spotPriceRoutes } from '../spot-prices/routes.ts';
import { planRoutes } from '../tariffs/plans/routes.ts';
import { quoteRoutes } from '../tariffs/quotes/routes.ts';
import { savingsRoutes } from '../tariffs/savings/routes.ts';
import { assetRoutes } from '../telemetry/assets/routes.ts';
import { snapshotRoutes } from '../telemetry/snapshots/routes.ts';
import { tags } from './tags.ts';
import { topics } from './topics.ts';
import { versionChanges } from './versions/index.ts';

/** Above this share of the heap's limit the garbage collector takes most of the time. */
const HEAP_SHARE_MAX = 0.7;

/** Every route of the interface, one line per resource. */
export function apiRoutes(deps: Deps): ApiRoute[] {
  return [
    ...customerRoutes(deps),
    ...subscriptionRoutes(deps),
    ...gridFeeReductionRoutes(deps),
    ...meterOrderRoutes(deps),
    ...meterReadingRoutes(deps),
    ...usageRoutes(deps),
    ...invoiceRoutes(deps),
    ...loadForecastRoutes(deps),
    ...subscriptionPriceRoutes(deps),
    ...planRoutes(deps),
    ...quoteRoutes(deps),
    ...savingsRoutes(deps),
    ...leadRoutes(deps),
    ...marketPartnerRoutes(deps),
    ...householdRoutes(deps),
    ...assetRoutes(deps),
    ...snapshotRoutes(deps),
    ...spotPriceRoutes(deps),
    ...eventRoutes(deps, topics),
    ...portalRoutes(deps),
  ];
}

/** Every route as each version has it. */
export function versionEngine(deps: Deps): VersionEngine {
  return createVersionEngine(VERSIONS, versionChanges, apiRoutes(deps));
}

/** Builds the API: platform first, in the order in which a request passes it, then the routes. */
export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const { config } = deps;
  const versions = versionEngine(deps);
  const webhooks = webhookDescriptions(topics);
  const answers = { docsBase: config.docsBase, versions };

  const app: FastifyInstance = Fastify({
    ...serverOptions(config, unroutedAnswers(answers)),
    loggerInstance: deps.log as FastifyBaseLogger,
    childLoggerFactory: requestLogger,
    logController: new LogController({ disableRequestLogging: true }),
  });
  app.decorateRequest('apiVersion', VERSIONS.latestStable);
  app.decorateRequest('principal', null);
  app.decorateRequest('caller', null);
  app.decorateRequest('isUnderPressure', false);
  app.decorateRequest('remoteAddress', '');
  app.decorateRequest('bodyBytes', null);
  app.decorateRequest('releaseBody', null);
  app.decorateRequest('isOver', false);
  app.decorateRequest('isTooLate', false);
  app.decorateRequest('checked', null);
  app.decorateRequest('rowsStored', null);
  app.decorateRequest('problems', null);

  installErrorHandler(app, answers);
  installRequestTraces(app, deps.traces);
  installRequestLog(app, deps.log, deps.metrics);
  const records = installRequestRecords(app, deps);
  installFramingChecks(app, config, deps.readiness);
  limitConnections(app.server, {
    ofAddressMax: config.CONNECTIONS_OF_ADDRESS_MAX,
    trustedProxies: config.TRUSTED_PROXIES,
    metrics: deps.metrics,
    group: deps.group,
  });
  app.addHook('preClose', async () => deps.readiness.startClosing());
  if (config.CORS_ORIGINS.length > 0) {
    await app.register(
      cors,
      corsOptions(config.CORS_ORIGINS, [
        '/oauth/authorize',
        ...screenPaths(config),
        ...portalPaths(config),
        ...consolePaths,
      ]),
    );
  }
  await app.register(compress, { globalDecompression: false, threshold: 1024 });
  await app.register(underPressure, {
    maxEventLoopDelay: config.OVERLOAD_EVENT_LOOP_DELAY_MILLISECONDS,
    maxHeapUsedBytes: Math.floor(getHeapStatistics().heap_size_limit * HEAP_SHARE_MAX),
    maxRssBytes: config.OVERLOAD_RESIDENT_MEBIBYTES * 1024 * 1024,
    pressureHandler: (request, _reply, type, value) => {
      /* Infinity: the loop came round less than twice since the last look, as in the first second of a slow start. */
      if (value === Number.POSITIVE_INFINITY) return;
      /* Who causes a busy event loop is known behind the token. Memory has no owner by then. */
      if (type !== underPressure.TYPE_EVENT_LOOP_DELAY || request.headers.authorization === undefined)
        throw unavailable();
      request.isUnderPressure = true;
    },
  });
  installRequestGate(app, { ...deps, authenticate: createAuthenticator(deps), versions });
  installBodyParser(app, deps);

  const metrics = deps.group === null ? deps.metrics : metricsOfGroup(deps.group, deps.metrics);
  healthRoutes(app, { config, metrics, readiness: deps.readiness });
  const described = { config, versions, access: accessDescription, webhooks, tags };
  openApiRoutes(app, described);
  await app.register(async (pages) => {
    await installPublicPages(pages);
    await pages.register(docsPages, {
      ...{ deps, versions, topics, webhooks },
      describe: (version) => openApiDocument(version, described),
    });
    await pages.register(pricePages, { deps });
  });
  await app.register(oauthRoutes, { deps, answers });
  await app.register(authorizeRoutes, { deps, answers });
  await app.register(hostedScreens, { deps });
  await app.register(portalScreens, { deps });
  await app.register(consoleScreens, { deps, topics });
  await app.register(invoiceFileRoutes, { deps });
  const auditLater = createReadAudit(deps);
  registerRoutes(app, {
    versions,
    queue: deps.queue,
    cursorKey: config.CURSOR_KEY,
    onPersonalRead: (principal, request, route, shown = []) =>
      auditLater(principal, request, route, ownersOf(shown)),
    onStored: records.countStored,
  });
  return app;
}

/** By which an item of a list says whose it is, or else who it is. */
const OWNERS = ['customer', 'household', 'subscription', 'id'];

/**
 * Whose these items of a list are, for the one line of their page in the audit log: a line for each of them would be a
 * hundred, and a column of its own would be in no seal.
 */
function ownersOf(items: readonly unknown[]): string[] {
  const owners = items.map((item) => {
    const fields = item as Readonly<Record<string, unknown>>;
    return OWNERS.map((name) => fields[name]).find((id) => typeof id === 'string');
  });
  return [...new Set(owners)].filter((id) => id !== undefined);
}
