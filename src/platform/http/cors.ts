import type { FastifyCorsOptions, FastifyCorsOptionsDelegateCallback } from '@fastify/cors';
import type { FastifyRequest } from 'fastify';

/** A day would keep browsers from noticing that an origin was taken away; this saves most of the extra requests. */
const PREFLIGHT_SECONDS = 600;

/**
 * Pages of these origins may call the interface from a browser. Tokens travel in a header, never in a cookie, so no
 * credentials are allowed. Pages on which people sign in are for people: no script of another origin reads them, nor
 * anything below a path that ends with `/*`. The
 * plugin's defaults would refuse PATCH and hide every header that clients need.
 */
export function corsOptions(
  origins: readonly string[],
  pathsWithout: readonly string[] = [],
): FastifyCorsOptions {
  const options: FastifyCorsOptions = {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'],
    exposedHeaders: [
      'X-Request-Id',
      'X-API-Version',
      'Retry-After',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'Idempotent-Replayed',
      'WWW-Authenticate',
      'Allow',
      'Link',
      'ETag',
      'Content-Disposition',
    ],
    maxAge: PREFLIGHT_SECONDS,
    /* A strict one answers an incomplete preflight in plain text, past the error envelope. */
    strictPreflight: false,
  };
  const isWithout = (path: string) =>
    pathsWithout.some(
      (pattern) => path === pattern || (pattern.endsWith('/*') && path.startsWith(pattern.slice(0, -1))),
    );
  const delegator: FastifyCorsOptionsDelegateCallback = (request, answer) => {
    answer(null, isWithout(pathOf(request)) ? { origin: false } : options);
  };
  return { delegator };
}

/**
 * The path of the route that answers, never the one that was typed: `/auth/%6cogin` is `/auth/login`. A preflight has no
 * route of its own; its path is decoded as the router does it.
 */
function pathOf(request: FastifyRequest): string {
  const { url } = request.routeOptions;
  if (url !== undefined && url !== '*') return url;
  const typed = (request.raw.url ?? '').split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(typed);
  } catch {
    return typed;
  }
}
