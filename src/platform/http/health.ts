import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ServiceConfig } from '../../config/config.ts';
import { Failure, noTokenSent } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import type { Readiness } from './readiness.ts';

export interface HealthOptions {
  config: Pick<ServiceConfig, 'METRICS_TOKEN' | 'BASE_URL'>;
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
    if (!mayReadMetrics(request.raw, options.config)) {
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

/**
 * Whoever knows the token. Without a token a caller on this machine may, but only while the service is reached from this
 * machine alone. With another base address something stands between it and its callers, and a proxy on this machine that
 * sends no forwarding header looks like the machine itself. Looks at the peer, never at what a proxy says of it.
 */
function mayReadMetrics(request: IncomingMessage, config: HealthOptions['config']): boolean {
  const { METRICS_TOKEN: token } = config;
  if (token !== undefined) {
    return equalInConstantTime(request.headers.authorization ?? '', `Bearer ${token}`);
  }
  const isForwarded = FORWARDING_HEADERS.some((name) => request.headers[name] !== undefined);
  return (
    !isForwarded &&
    isLoopback(request.socket.remoteAddress) &&
    isOfThisMachine(new URL(config.BASE_URL).hostname) &&
    isOfThisMachine(hostOf(request))
  );
}

/** The name of the service in the request; a proxy passes on what its own caller typed. */
function hostOf({ headers: { host = '' } }: IncomingMessage): string {
  return URL.parse(`http://${host}`)?.hostname ?? '';
}

function isOfThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || isLoopback(hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);
}

function isLoopback(address = ''): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

function equalInConstantTime(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
