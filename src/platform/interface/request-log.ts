import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Logger, plainLines } from '../log/logger.ts';
import type { Metrics } from '../metrics.ts';
import { apiRouteOf } from './request-context.ts';

/**
 * One line and one measurement per answer; the route's pattern stands for the URL, which may carry ids and secrets. The
 * line is not masked: every value of it is out of the code or made by this service.
 */
export function installRequestLog(app: FastifyInstance, log: Logger, metrics: Metrics): void {
  const seconds = metrics.histogram('http_request_duration_seconds', 'Time to answer, by route and status', [
    'route',
    'status',
  ]);
  const write = plainLines(log);
  app.addHook('onResponse', (request, reply, done) => {
    const route = apiRouteOf(request)?.name ?? `${request.method} ${request.routeOptions.url ?? 'unknown'}`;
    const status = reply.statusCode;
    const milliseconds = reply.elapsedTime;
    seconds.observe({ route, status: String(status) }, milliseconds / 1000);
    write?.(
      `"reqId":"${request.id}","route":${JSON.stringify(route)},"status":${status},"version":"${request.apiVersion}",` +
        `"milliseconds":${Math.round(milliseconds * 10) / 10}${callerOf(request)}${traceOf(request)},"msg":"answered"`,
    );
    done();
  });
}

function traceOf({ span }: FastifyRequest): string {
  return span === undefined ? '' : `,"trace":"${span.spanContext().traceId}"`;
}

function callerOf({ principal }: FastifyRequest): string {
  return principal === null
    ? ''
    : `,"organization":"${principal.organization}","client":"${principal.client}"`;
}
