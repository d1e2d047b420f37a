import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi, testEnvironment } from '../../setup/api.ts';
import { addressOf, startApiProcess } from '../../setup/api-process.ts';
import { createTenant } from '../../setup/factories.ts';
import { type ServiceProcess, startService } from '../../setup/service-process.ts';
import { type Collector, startCollector } from './collector.ts';

let api: TestApi;
let token: string;
let collector: Collector;
const running: ServiceProcess[] = [];

beforeAll(async () => {
  api = await startApi({ alone: true });
  ({ token } = await createTenant(api));
  collector = await startCollector();
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.kill()));
});

afterAll(async () => {
  await collector?.close();
  await api?.close();
});

/** Writes each package of OpenTelemetry that something else asks for, with who asks. */
const WATCH = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(name, context, next) {
    const found = next(name, context);
    const by = context.parentURL ?? '';
    if (found.url.includes('/@opentelemetry/') && !by.includes('/@opentelemetry/')) process.stderr.write('LOADED ' + name + ' BY ' + by + '\\n');
    return found;
  },
});`;
const watched = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WATCH)}` };

const loadedBy = (service: ServiceProcess) =>
  [...service.errors().matchAll(/^LOADED (\S+) BY \S*?\/((?:node_modules\/[^/\s]+|src|workers)\S*)$/gm)].map(
    ([, name = '', by = '']) => `${name} by ${by.replace(/^(node_modules\/[^/]+)\/.*/, '$1')}`,
  );

function startWorker(changes: Record<string, string>): ServiceProcess {
  const { ENCRYPTION_KEY, REDIS_URL } = api.deps.config;
  const environment = { ...testEnvironment(api.database, REDIS_URL), ENCRYPTION_KEY, BASE_URL: api.baseUrl };
  return startService('workers/main.ts', { ...environment, WORKER_PORT: '0', LOG_LEVEL: 'info', ...changes });
}

const traced = (changes: Record<string, string> = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_BSP_SCHEDULE_DELAY: '20',
  ...changes,
});

function keep(service: ServiceProcess): ServiceProcess {
  running.push(service);
  return service;
}

async function askPlans(url: string): Promise<void> {
  const answer = await fetch(`${url}/plans`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
}

test('without a collector nothing of OpenTelemetry is loaded but what the metrics bring along', async () => {
  const processes = [keep(startApiProcess(api, watched)), keep(startWorker(watched))] as const;
  await askPlans(await addressOf(processes[0]));
  await processes[1].line('worker ready');
  for (const service of processes) {
    expect(loadedBy(service)).toEqual(['@opentelemetry/api by node_modules/prom-client']);
  }
  const other = keep(startApiProcess(api, { ...watched, ...traced() }));
  await addressOf(other);
  expect(loadedBy(other)).toContain('@opentelemetry/sdk-trace by src/platform/traces.ts');
});

test('the worker sends its runs, and each of several API processes its requests', async () => {
  keep(startWorker(traced()));
  const url = await addressOf(
    keep(startApiProcess(api, traced({ API_PROCESSES: '2', DATABASE_CONNECTIONS_MAX: '8' }))),
  );
  const instancesOf = (service: string, kind: number) =>
    new Set(
      collector.spans
        .filter((span) => span.kind === kind && span.resource['service.name'] === service)
        .map(({ resource }) => resource['service.instance.id']),
    ).size;
  await expect
    .poll(async () => {
      await Promise.all(Array.from({ length: 8 }, () => askPlans(url)));
      return instancesOf('voltstream-api', 2);
    })
    .toBe(2);
  /* Something is due every minute. */
  await expect.poll(() => instancesOf('voltstream-worker', 5)).toBe(1);
});

test('an ending process sends what waits', async () => {
  const service = keep(
    startApiProcess(api, traced({ OTEL_BSP_SCHEDULE_DELAY: '60000', OTEL_SERVICE_NAME: 'ending' })),
  );
  await askPlans(await addressOf(service));
  service.child.kill('SIGTERM');
  expect(await service.ended).toMatchObject({ code: 0 });
  const sent = collector.spans.filter(({ resource }) => resource['service.name'] === 'ending');
  expect(sent.map(({ name }) => name)).toContain('GET /plans');
});

test('an ending process does not wait for a collector that never answers', async () => {
  const silent = await startCollector();
  onTestFinished(() => silent.close());
  silent.status = null;
  const changes = traced({ OTEL_EXPORTER_OTLP_ENDPOINT: silent.url, OTEL_EXPORTER_OTLP_TIMEOUT: '60000' });
  const service = keep(startApiProcess(api, changes));
  await askPlans(await addressOf(service));
  await expect.poll(() => silent.posts.length).toBeGreaterThan(0);
  const since = performance.now();
  service.child.kill('SIGTERM');
  expect(await service.ended).toMatchObject({ code: 0 });
  expect(performance.now() - since).toBeLessThan(6_000);
});
