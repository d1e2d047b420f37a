import Fastify, { type FastifyBaseLogger, LogController } from 'fastify';
import { expect, test } from 'vitest';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { requestLogger } from '../../../src/platform/log/request-logger.ts';

/** An app as the service makes it, and the loggers that were made for requests of it. */
function recordingApp() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    level: 'debug',
    name: 'test',
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  }) as FastifyBaseLogger;
  const made: unknown[] = [];
  const { child } = log;
  log.child = function (this: FastifyBaseLogger, bindings, options) {
    if ('reqId' in bindings) made.push(bindings);
    return child.call(this, bindings, options);
  };
  const app = Fastify({
    loggerInstance: log,
    childLoggerFactory: requestLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => 'one',
  });
  return { app, lines, made };
}

test('a request that says nothing makes no logger of its own', async () => {
  const { app, lines, made } = recordingApp();
  app.get('/', async () => 'OK');
  expect((await app.inject('/')).body).toBe('OK');
  expect({ lines, made }).toEqual({ lines: [], made: [] });
});

test('every line of a request carries its id; its logger is made once', async () => {
  const { app, lines, made } = recordingApp();
  app.get('/', async ({ log }) => {
    log.info('first');
    log.warn({ count: 2 }, 'second');
    log.trace('below the level');
    log.child({ part: 'inner' }).error({ err: new Error('why') }, 'third');
    return log.level;
  });
  expect((await app.inject('/')).body).toBe('debug');
  expect(lines).toMatchObject([
    { level: 'info', reqId: 'one', msg: 'first' },
    { level: 'warn', reqId: 'one', count: 2, msg: 'second' },
    { level: 'error', reqId: 'one', part: 'inner', msg: 'third', err: { message: 'why' } },
  ]);
  expect(made).toEqual([{ reqId: 'one' }]);
});

test('what Fastify itself says of a request carries its id, too', async () => {
  const { app, lines } = recordingApp();
  app.get('/', async (_request, reply) => {
    await reply.send('once');
    return reply.send('twice');
  });
  await app.inject('/');
  expect(lines).toMatchObject([{ level: 'warn', reqId: 'one' }]);
});
