import { Writable } from 'node:stream';
import { inject } from 'vitest';
import { createLogger, type Logger } from '../../src/platform/log/logger.ts';
import type { TestApi } from '../setup/api.ts';
import { createTenant } from '../setup/factories.ts';

/**
 * The database of the tests' Redis that no other test empties: counts that have to be exact are kept there, under names
 * that no other test has.
 */
export const quietRedis = () => inject('servers').redisAdminUrl;

export interface Counted {
  status: number;
  headers: Headers;
  body: { message?: string };
}

/** One request with this token to a route that answers quickly. */
export async function counted(
  baseUrl: string,
  token: string,
  { path = '/households?limit=1', method = 'GET', headers = {} as Record<string, string> } = {},
): Promise<Counted> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'x-api-version': '2026-09-08.gauss', ...headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : (JSON.parse(text) as Counted['body']),
  };
}

export function atOnce(amount: number, send: (index: number) => Promise<Counted>): Promise<Counted[]> {
  return Promise.all(Array.from({ length: amount }, (_, index) => send(index)));
}

/** Begins to connect when the service starts: asked until an answer was counted there. */
export async function waitForSharedCount(api: TestApi): Promise<void> {
  const { token } = await createTenant(api);
  while (!(await counted(api.baseUrl, token)).headers.has('ratelimit-limit'));
}

export interface LogLines {
  log: Logger;
  /** How often this message was logged. */
  count(message: string): number;
  text(): string;
}

export function logLines(): LogLines {
  let text = '';
  const destination = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return {
    log: createLogger({ level: 'trace', name: 'api', destination }),
    count: (message) => text.split('\n').filter((line) => line.includes(message)).length,
    text: () => text,
  };
}

/** The value of a metric without labels. */
export async function metric(api: TestApi, name: string): Promise<number> {
  const found = new RegExp(`^voltstream_${name} (\\S+)$`, 'm').exec(await api.deps.metrics.text())?.[1];
  return Number(found);
}
