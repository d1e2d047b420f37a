import { expect } from 'vitest';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createTenant } from '../../setup/factories.ts';
import { insertReferenceRows } from '../../setup/reference-rows.ts';
import { type CollectedSpan, type Collector, startCollector } from './collector.ts';

export const [SERVER, CLIENT, CONSUMER] = [2, 3, 5];

export interface TracedApi {
  api: TestApi;
  organization: string;
  clientId: string;
  token: string;
  /** What it logs, from level info on. */
  lines: Record<string, unknown>[];
  close(): Promise<void>;
}

/** A service that sends its spans to a collector, nearly at once, and an organization. */
export async function startTraced(url: string, changes: Record<string, string> = {}): Promise<TracedApi> {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const api = await startApi({
    log: createLogger({ level: 'info', name: 'api', destination }),
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20secret',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      /* One group at a time: those that wait come together. */
      INGEST_SMALL_GROUPS_MAX: '1',
      ...changes,
    },
  });
  await insertReferenceRows(api);
  const { organization, token, client } = await createTenant(api);
  return { api, organization, token, clientId: client.client_id, lines, close: api.close };
}

export interface Collected extends TracedApi {
  collector: Collector;
  /** The span of an answer and all of its trace, once they were sent. */
  traceOf(answer: { headers: Headers }): Promise<{ server: CollectedSpan; spans: CollectedSpan[] }>;
}

export async function startCollected(): Promise<Collected> {
  const collector = await startCollector();
  const traced = await startTraced(collector.url);
  return {
    ...traced,
    collector,
    traceOf: async ({ headers }) => {
      const id = headers.get('x-request-id');
      const find = () => collector.spans.find(({ attributes }) => attributes['voltstream.request.id'] === id);
      await expect.poll(find).toBeDefined();
      const server = find() as CollectedSpan;
      return { server, spans: collector.spans.filter(({ traceId }) => traceId === server.traceId) };
    },
    close: async () => {
      await traced.close();
      await collector.close();
    },
  };
}

export const childrenOf = (spans: readonly CollectedSpan[], parent: CollectedSpan | undefined) =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId);

export const named = (spans: readonly CollectedSpan[], name: string) =>
  spans.filter((span) => span.name === name);
