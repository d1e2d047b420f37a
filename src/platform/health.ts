import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ServiceConfig } from '../config.ts';
import { Failure, noTokenSent } from './errors.ts';
import type { Metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';

export interface HealthOptions {
  config: Pick<ServiceConfig, 'METRICS_TOKEN'>;
  metrics: Pick<Metrics, 'contentType' | 'text'>;
  readiness: Pick<Readiness, 'reasons'>;
}

/** Set by proxies: a request that carries one was made by somebody else than the peer. */
const FORWARDING_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
] as const;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Answered under overload as well: a process that is turned off because it is busy makes the others busier. */
const NEVER_SHED = { config: { pressureHandler: () => undefined } };

/** Whether the process lives, whether it should get work, and what it measured. None of them needs a token of the interface. */
export function healthRoutes(app: FastifyInstance, options: HealthOptions): void {
  /* The process answers; nothing else is asked, or one outage of the database would restart every process. */
  for (const path of ['/livez', '/health']) {
    app.get(path, NEVER_SHED, async (_request, reply) =>
      uncached(reply).type('text/plain; charset=utf-8').send('OK'),
    );
  }

  app.get('/readyz', NEVER_SHED, async (_request, reply) => {
    const reasons = await options.readiness.reasons();
    return uncached(reply)
      .code(reasons.length === 0 ? 200 : 503)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify({ status: reasons.length === 0 ? 'ready' : 'not_ready', reasons }));
  });

  app.get('/metrics', NEVER_SHED, async (request, reply) => {
    if (!mayReadMetrics(request.raw, options.config.METRICS_TOKEN)) {
      if (request.headers.authorization === undefined) throw noTokenSent();
      throw new Failure('UNAUTHORIZED', { headers: { 'www-authenticate': 'Bearer' } });
    }
    return uncached(reply)
      .type(options.metrics.contentType)
      .send(await options.metrics.text());
  });
}

function uncached(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store');
}

/** The machine itself, directly, or whoever knows the token. Looks at the peer, never at what a proxy says of it. */
export function mayReadMetrics(request: IncomingMessage, token: string | undefined): boolean {
  const isForwarded = FORWARDING_HEADERS.some((name) => request.headers[name] !== undefined);
  if (!isForwarded && isLoopback(request.socket.remoteAddress)) return true;
  if (token === undefined) return false;
  return equalInConstantTime(request.headers.authorization ?? '', `Bearer ${token}`);
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function equalInConstantTime(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
