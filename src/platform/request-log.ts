import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';
import { apiRouteOf } from './request-context.ts';

/** One line and one measurement per answer; the route's pattern stands for the URL, which may carry ids and secrets. */
export function installRequestLog(app: FastifyInstance, metrics: Metrics): void {
  const seconds = metrics.histogram('http_request_duration_seconds', 'Time to answer, by route and status', [
    'route',
    'status',
  ]);
  app.addHook('onResponse', async (request, reply) => {
    const route = apiRouteOf(request)?.name ?? `${request.method} ${request.routeOptions.url ?? 'unknown'}`;
    seconds.observe({ route, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
    request.log.info(
      {
        route,
        status: reply.statusCode,
        version: request.apiVersion,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.principal === null
          ? {}
          : { organization: request.principal.organization, client: request.principal.client }),
      },
      'answered',
    );
  });
}
