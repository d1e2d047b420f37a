import type { FastifyCorsOptions, FastifyCorsOptionsDelegateCallback } from '@fastify/cors';

/** A day would keep browsers from noticing that an origin was taken away; this saves most of the extra requests. */
const PREFLIGHT_SECONDS = 600;

/**
 * Pages of these origins may call the interface from a browser. Tokens travel in a header, never in a cookie, so no
 * credentials are allowed. Pages on which people sign in are for people: no script of another origin reads them. The
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
    ],
    maxAge: PREFLIGHT_SECONDS,
    /* A strict one answers an incomplete preflight in plain text, past the error envelope. */
    strictPreflight: false,
  };
  const delegator: FastifyCorsOptionsDelegateCallback = (request, answer) => {
    const path = (request.raw.url ?? '').split('?', 1)[0] ?? '';
    answer(null, pathsWithout.includes(path) ? { origin: false } : options);
  };
  return { delegator };
}
