import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean; doubleValue?: number };
type Pairs = readonly { key: string; value: Value }[];

/** What the JSON form of OTLP has, as far as tests look at it. */
interface SentSpan {
  name: string;
  /** 1 INTERNAL, 2 SERVER, 3 CLIENT, 4 PRODUCER, 5 CONSUMER. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Pairs;
  links?: readonly { traceId: string; spanId: string }[];
  status: { code?: number; message?: string };
  events?: readonly unknown[];
}

interface SentBatch {
  resourceSpans: readonly {
    resource: { attributes: Pairs };
    scopeSpans: readonly { spans: readonly SentSpan[] }[];
  }[];
}

export interface CollectedSpan extends Omit<SentSpan, 'attributes'> {
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** Of the posts so far. */
  readonly posts: { path: string; headers: IncomingHttpHeaders }[];
  /** All posts as they came. */
  text(): string;
  /** What the next posts are answered; null: nothing at all. */
  status: number | null;
  close(): Promise<void>;
}

const plain = (pairs: Pairs) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0] as unknown]));

/** Takes what the exporter posts, as a collector of OTLP by HTTP does. */
export async function startCollector(): Promise<Collector> {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = (await json(request)) as SentBatch;
      collector.posts.push({ path: request.url ?? '', headers: request.headers });
      const { status } = collector;
      if (status === null) return;
      if (status === 200) {
        bodies.push(body);
        for (const { resource, scopeSpans } of body.resourceSpans) {
          for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
            const attributes = plain(span.attributes);
            collector.spans.push({ ...span, attributes, resource: plain(resource.attributes) });
          }
        }
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    posts: [],
    text: () => JSON.stringify(bodies),
    status: 200,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return collector;
}
