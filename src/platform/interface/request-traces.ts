import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PLAIN_HTTP_PATHS } from '../http/server.ts';
import type { Traces } from '../traces.ts';
import { apiRouteOf } from './request-context.ts';

/**
 * A span around each request, begun by its first hook and ended with its connection or its answer. The gate, the body and
 * the handler run in it, as promises carry it on. Probers are left out: one asks every few seconds. The route's pattern
 * stands for the URL, which may carry ids and secrets.
 */
export function installRequestTraces(app: FastifyInstance, traces: Traces | null): void {
  if (traces === null) return;
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const { url } = request.routeOptions;
    if (PLAIN_HTTP_PATHS.includes(url ?? '')) {
      done();
      return;
    }
    const { method } = request;
    const route = apiRouteOf(request)?.route.path ?? url;
    const span = traces.begin(
      {
        name: route === undefined ? method : `${method} ${route}`,
        kind: 'SERVER',
        attributes: {
          'http.request.method': method,
          'url.scheme': request.protocol,
          'network.protocol.version': request.raw.httpVersion,
          'voltstream.request.id': request.id,
          ...(route === undefined ? {} : { 'http.route': route }),
        },
      },
      traceparentOf(request),
    );
    if (!span.isRecording()) {
      done();
      return;
    }
    request.span = span;
    reply.raw.once('close', () => end(traces, request, reply));
    traces.within(span, done);
  });
}

/** Of several that were sent Node gives one text, which is malformed. */
function traceparentOf({ headers }: FastifyRequest): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? traceparent : undefined;
}

function end(traces: Traces, request: FastifyRequest, reply: FastifyReply): void {
  const { span, principal } = request;
  if (span === undefined) return;
  span.setAttribute('voltstream.api.version', request.apiVersion);
  if (principal !== null) {
    span.setAttributes({
      'voltstream.organization.id': principal.organization,
      'voltstream.client.id': principal.client,
    });
  }
  const { statusCode } = reply;
  /* A caller that left before has no status. */
  if (reply.raw.headersSent) span.setAttribute('http.response.status_code', statusCode);
  if (statusCode >= 500) traces.fail(span, String(statusCode));
  span.end();
}
