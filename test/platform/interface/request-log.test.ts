import Fastify, { type FastifyBaseLogger, LogController } from 'fastify';
import { describe, expect, test } from 'vitest';
import { NEWEST_VERSION } from '../../../src/config/versions.ts';
import { installRequestLog } from '../../../src/platform/interface/request-log.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import type { Principal } from '../../../src/platform/principal.ts';

const SECRET = 'canary-of-an-address';

const principal: Principal = {
  organization: 'org_1',
  client: 'oac_1',
  scopes: ['read:*'],
  version: NEWEST_VERSION,
};

/** The lines of a service that answers `/things/{id}`, as what the library writes they would be. */
async function linesOf(level: string, url: string) {
  const written: string[] = [];
  const log = createLogger({
    level,
    name: 'test',
    destination: { write: (line) => void written.push(line) },
  });
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => '5c8b7f0e-0000-4000-8000-000000000000',
  });
  app.decorateRequest('apiVersion', NEWEST_VERSION);
  app.decorateRequest('principal', null);
  installRequestLog(app, log, createMetrics({ runtime: false }));
  app.get('/things/:id', async (request) => {
    request.principal = principal;
    return 'OK';
  });
  await app.ready();
  await app.inject(url);
  log.info('of the library');
  await app.close();
  return {
    text: written.join(''),
    lines: written.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

describe('the line of an answer', () => {
  test('says route, status, version, time and caller, behind the members of every line', async () => {
    const { lines } = await linesOf('info', '/things/7');
    const [answered, ofLibrary] = lines;
    expect(answered).toMatchObject({
      level: 'info',
      reqId: '5c8b7f0e-0000-4000-8000-000000000000',
      route: 'GET /things/:id',
      status: 200,
      version: NEWEST_VERSION,
      milliseconds: expect.any(Number),
      organization: 'org_1',
      client: 'oac_1',
      msg: 'answered',
    });
    expect(answered).toMatchObject({
      name: ofLibrary?.name,
      pid: ofLibrary?.pid,
      hostname: ofLibrary?.hostname,
    });
    expect(new Date(String(answered?.time)).toISOString()).toBe(answered?.time);
  });

  test('holds nothing of the address, known or not', async () => {
    for (const url of [`/things/${SECRET}?token=${SECRET}`, `/${SECRET}?${SECRET}="`]) {
      const { lines, text } = await linesOf('info', url);
      expect(lines[0]?.msg).toBe('answered');
      expect(text).not.toContain(SECRET);
    }
  });

  test('is not written above its level', async () => {
    expect((await linesOf('warn', '/things/7')).lines).toEqual([]);
  });
});
