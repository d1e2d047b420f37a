import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { tracesEnvironment } from '../../../src/cli/demo/start/environment.ts';
import { readServiceConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { startTraces, type Traces } from '../../../src/platform/traces.ts';
import { testEnvironment } from '../../setup/api.ts';
import { type Collector, startCollector } from './collector.ts';
import { named, startTraced } from './fixture.ts';

describe('a collector', () => {
  test('that refuses is told of once, and once when it takes spans again', async () => {
    const refusing = await startCollector();
    refusing.status = 400;
    /* A busy machine may take long to answer, which is no refusal. */
    const patient = { OTEL_EXPORTER_OTLP_TIMEOUT: '60000' };
    const own = await startTraced(refusing.url.replace('//', '//user:geheim@'), patient);
    onTestFinished(async () => {
      await own.close();
      await refusing.close();
    });
    const said = () =>
      own.lines.filter(({ msg }) => String(msg).startsWith('traces are')).map(({ msg }) => msg);
    const untilPosts = async (posts: number) => {
      while (refusing.posts.length < posts) await fetch(`${own.api.baseUrl}/prices`);
    };
    await untilPosts(3);
    await expect.poll(() => said()).toEqual(['traces are not taken, and dropped']);
    refusing.status = 200;
    const answered = async () => {
      await untilPosts(refusing.posts.length + 1);
      return said();
    };
    await expect.poll(answered).toEqual(['traces are not taken, and dropped', 'traces are taken again']);
    expect(JSON.stringify(own.lines)).not.toContain('geheim');
  });

  test.each(['is away', 'never answers'])('that %s neither holds up a request nor the end', async (how) => {
    const silent = await startCollector();
    silent.status = null;
    if (how === 'is away') await silent.close();
    /* The collector may take longer than the end waits. */
    const own = await startTraced(silent.url, { OTEL_EXPORTER_OTLP_TIMEOUT: '20000' });
    const client = own.api.client(own.token);
    for (let request = 0; request < 50; request += 1) {
      expect((await client.get('/plans')).status).toBe(200);
    }
    if (how === 'never answers') await expect.poll(() => silent.posts.length).toBeGreaterThan(0);
    const since = performance.now();
    await own.api.deps.traces?.close();
    expect(performance.now() - since).toBeLessThan(3_000);
    await own.close();
    if (how === 'never answers') await silent.close();
  });
});

describe('the configuration', () => {
  let collector: Collector;

  beforeAll(async () => {
    collector = await startCollector();
  });

  afterAll(() => collector?.close());

  const read = (changes: Record<string, string>) => () =>
    readServiceConfig({
      ...testEnvironment({ appUrl: 'postgres://x/x', maintenanceUrl: 'postgres://x/x' }, 'redis://x'),
      BASE_URL: 'http://127.0.0.1:1',
      ...changes,
    });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'needs an http(s) address'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'http://:x', 'needs an http(s) address'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'needs http/json, which is the only one here'],
    [
      'OTEL_EXPORTER_OTLP_HEADERS',
      'geheim',
      'needs name=value, several separated by commas, other signs percent-encoded',
    ],
    [
      'OTEL_RESOURCE_ATTRIBUTES',
      'a=%',
      'needs name=value, several separated by commas, other signs percent-encoded',
    ],
    ['OTEL_TRACES_SAMPLER', 'some', 'Invalid option'],
    ['OTEL_TRACES_SAMPLER_ARG', '2', 'Too big'],
  ])('names %s where it is wrong, and not its value', (name, value, rule) => {
    expect(read({ [name]: value })).toThrow(`${name}: ${rule}`);
    if (value === 'geheim') expect(read({ [name]: value })).not.toThrow(/geheim/);
  });

  test('of npm start is that of its shell', () => {
    const shell = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_OTHER: 'x', PATH: '/bin' };
    expect(tracesEnvironment(shell)).toEqual({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' });
  });

  test.each([
    ['always_on', '1', 1],
    ['always_off', '1', 0],
    ['traceidratio', '0', 0],
    ['parentbased_traceidratio', '1', 1],
    ['parentbased_always_off', '1', 0],
  ])('of the sampler %s with %s decides what is recorded', async (OTEL_TRACES_SAMPLER, ratio, recorded) => {
    const config = read({
      OTEL_TRACES_SAMPLER,
      OTEL_TRACES_SAMPLER_ARG: ratio,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path`,
      OTEL_SERVICE_NAME: 'own-name',
    })();
    const log = createLogger({ level: 'silent', name: 'test' });
    const traces = (await startTraces(config, { service: 'voltstream-worker', log })) as Traces;
    const name = `sampled by ${OTEL_TRACES_SAMPLER}`;
    await traces.alone({ name, kind: 'INTERNAL', attributes: {} }, async () => {});
    await traces.close();
    const spans = named(collector.spans, name);
    expect(spans).toHaveLength(recorded);
    if (recorded === 0) return;
    expect(spans[0]?.resource).toMatchObject({ 'service.name': 'own-name' });
    expect(collector.posts.at(-1)?.path).toBe('/own/path');
  });
});
