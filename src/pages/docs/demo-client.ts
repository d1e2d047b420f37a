import type { FastifyRequest } from 'fastify';
import type { ServiceConfig } from '../../config/config.ts';
import type { Clock } from '../../platform/clock.ts';

/** Id and secret of the client that `npm start` made. */
export interface DemoClient {
  readonly id: string;
  readonly secret: string;
}

/**
 * What the pages fill into their examples. Only where the service is a demo, and only under the very name that it gave
 * itself: a page of another site whose name was led to this machine gets nothing.
 */
export function demoClientFor(
  request: Pick<FastifyRequest, 'headers'>,
  { BASE_URL, DEMO_CLIENT }: Pick<ServiceConfig, 'BASE_URL' | 'DEMO_CLIENT'>,
): DemoClient | null {
  if (DEMO_CLIENT === undefined || request.headers.host !== new URL(BASE_URL).host) return null;
  const [id = '', secret = ''] = DEMO_CLIENT.split(':');
  return { id, secret };
}

/** Half of the life of a token: what was copied from the page works for as long again. */
const TOKEN_MILLISECONDS = 30 * 60_000;
const ANSWER_MILLISECONDS_MAX = 5_000;

/**
 * The client with a token as anybody gets one, from the service itself; null where it gives none now. It is asked for once in
 * half an hour, however often the page is opened.
 */
export function demoAccess(baseUrl: string, clock: Clock) {
  let kept: { token: string; until: number } | undefined;
  return async (client: DemoClient): Promise<DemoClient & { token: string | null }> => {
    const now = clock.nowMilliseconds();
    if (kept === undefined || kept.until <= now) {
      const token = await newToken(baseUrl, client).catch(() => undefined);
      kept = token === undefined ? undefined : { token, until: now + TOKEN_MILLISECONDS };
    }
    return { ...client, token: kept?.token ?? null };
  };
}

async function newToken(baseUrl: string, { id, secret }: DemoClient): Promise<string | undefined> {
  const answer = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    signal: AbortSignal.timeout(ANSWER_MILLISECONDS_MAX),
  });
  const { access_token } = (await answer.json()) as { access_token?: string };
  return access_token;
}
