import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attributes, Context, Link, Span, SpanKind, Tracer } from '@opentelemetry/api';
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace';
import pg from 'pg';
import { type TracesConfig, tracesAddress } from '../config/traces.ts';
import { BoundedCache } from './bounded-cache.ts';
import { Failure } from './errors.ts';
import { addToLines, type Logger } from './log/logger.ts';

/*
 * Traces by OpenTelemetry, sent by OTLP where the configuration names a collector. Elsewhere there are no `Traces`: none of its
 * packages is loaded by this file, and whoever would have spans asks for null. A span has names, numbers and ids of this
 * service, and no value that somebody sent: no address, no parameter, no text of an error.
 */

/** Group commit brings more batches together than the default of 128 links. */
const LINKS_MAX = 1_024;
const ATTRIBUTE_CHARACTERS_MAX = 4_096;
/** What an ending process gives a collector that does not answer. */
const FLUSH_MILLISECONDS_MAX = 2_000;

/**
 * The span of the work under way. Node's own storage in place of the global context manager of the packages: several services
 * of one process do not see each other's spans.
 */
const underWay = new AsyncLocalStorage<Span | undefined>();

/** The span of the work under way, where one is recorded. What a request has left behind, a timer, is work of nobody. */
function activeSpan(): Span | undefined {
  const span = underWay.getStore();
  return span?.isRecording() === true ? span : undefined;
}

/** What is known of a span when it begins. */
interface SpanStart {
  name: string;
  kind: keyof typeof SpanKind;
  attributes: Attributes;
}

interface TraceParts {
  api: typeof import('@opentelemetry/api');
  tracer: Tracer;
  /** Reads a header `traceparent` of W3C Trace Context; null where it is malformed. */
  parseTraceParent: typeof import('@opentelemetry/core').parseTraceParent;
  close(): Promise<void>;
}

export class Traces {
  readonly #parts: TraceParts;

  constructor(parts: TraceParts) {
    this.#parts = parts;
  }

  /**
   * The first span of a trace, or of this service in a trace that a caller began. The caller's `tracestate` is left out: it is
   * free text. Not recorded where the sampler does not take it; nothing below it is then.
   */
  begin(start: SpanStart, traceparent?: string): Span {
    const { api, parseTraceParent } = this.#parts;
    const caller = traceparent === undefined ? null : parseTraceParent(traceparent);
    if (caller === null) return this.#start(start, api.ROOT_CONTEXT);
    return this.#start(start, api.trace.setSpanContext(api.ROOT_CONTEXT, { ...caller, isRemote: true }));
  }

  /** Does work whose statements and requests belong to the span. */
  within<Result>(span: Span | undefined, work: () => Result): Result {
    return underWay.run(span, work);
  }

  /** The span of the work under way, for what is done for several of them together later. */
  active(): Span | undefined {
    return activeSpan();
  }

  /** A trace of its own around work. */
  alone<Result>(start: SpanStart, work: (span: Span) => Promise<Result>): Promise<Result> {
    const span = this.begin(start);
    return span.isRecording() ? this.#during(span, work) : underWay.run(undefined, () => work(span));
  }

  /** A span around a part of the work under way; the work alone where nothing is traced. */
  part<Result>(start: SpanStart, work: (span?: Span) => Promise<Result>): Promise<Result> {
    const parent = activeSpan();
    return parent === undefined ? work() : this.#during(this.#below(parent, start), work);
  }

  /**
   * Work that is done for several at once, each with a trace of its own: a child of the first one, linked with all of them, and
   * they with it. So it is in a trace wherever one of them is.
   */
  together<Result>(
    start: SpanStart,
    spans: readonly (Span | undefined)[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    const members = spans.filter((span) => span !== undefined);
    const [first, ...others] = members;
    if (first === undefined) return underWay.run(undefined, work);
    const span = this.#below(
      first,
      start,
      members.map((member) => ({ context: member.spanContext() })),
    );
    for (const other of others) other.addLink({ context: span.spanContext() });
    return this.#during(span, work);
  }

  /** A request to another server. It gets no `traceparent`: whom this service asks need not know how it works. */
  outgoing<Answer>(
    method: string,
    { hostname, port, protocol }: URL,
    request: () => Promise<Answer>,
    outcomeOf: (answer: Answer) => { status: number } | { error: string },
  ): Promise<Answer> {
    const attributes = {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    };
    return this.part({ name: method, kind: 'CLIENT', attributes }, async (span) => {
      const answer = await request();
      const outcome = outcomeOf(answer);
      if ('status' in outcome) span?.setAttribute('http.response.status_code', outcome.status);
      const failed = 'status' in outcome ? outcome.status >= 400 && String(outcome.status) : outcome.error;
      if (failed !== false) this.fail(span, failed);
      return answer;
    });
  }

  /** Each statement of a client becomes a span of the work under way. COPY is no statement for pg: who writes rows says so. */
  traceStatements(client: pg.PoolClient): void {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    const place = {
      'db.system.name': 'postgresql',
      ...(client.database === undefined ? {} : { 'db.namespace': client.database }),
      'server.address': client.host,
      'server.port': client.port,
    };
    const traced = (...given: unknown[]): unknown => {
      const parent = activeSpan();
      const text = parent === undefined ? null : textOf(given);
      if (parent === undefined || text === null) return query(...given);
      const { name, attributes } = describeStatement(text);
      const span = this.#below(parent, { name, kind: 'CLIENT', attributes: { ...place, ...attributes } });
      const answer = query(...given) as Promise<pg.QueryResult>;
      answer.then(
        ({ rowCount }) => {
          /* None of several statements in one text. */
          if (typeof rowCount === 'number') span.setAttribute('db.response.returned_rows', rowCount);
          span.end();
        },
        (error: unknown) => {
          this.#failBy(span, error);
          span.end();
        },
      );
      return answer;
    };
    client.query = traced as typeof client.query;
  }

  fail(span: Span | undefined, type: string): void {
    span?.setAttribute('error.type', type);
    span?.setStatus({ code: this.#parts.api.SpanStatusCode.ERROR });
  }

  /** Sends what waits, for a while: an ending process does not wait for a collector. */
  async close(): Promise<void> {
    await Promise.race([this.#parts.close(), wait(FLUSH_MILLISECONDS_MAX, undefined, { ref: false })]);
  }

  #start({ name, kind, attributes }: SpanStart, context: Context, links: Link[] = []): Span {
    const { api, tracer } = this.#parts;
    return tracer.startSpan(name, { kind: api.SpanKind[kind], attributes, links }, context);
  }

  #below(parent: Span, start: SpanStart, links?: Link[]): Span {
    const { api } = this.#parts;
    return this.#start(start, api.trace.setSpan(api.ROOT_CONTEXT, parent), links);
  }

  /** The work begins at once: a group of snapshots follows another one on its connection in the same turn of the event loop. */
  async #during<Result>(span: Span, work: (span: Span) => Promise<Result>): Promise<Result> {
    try {
      return await underWay.run(span, () => work(span));
    } catch (error) {
      this.#failBy(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  /** By SQLSTATE, code or class: the text of an error quotes values. That a request is refused is no error of its parts. */
  #failBy(span: Span, error: unknown): void {
    if (error instanceof Failure && error.status < 500) return;
    const state = error instanceof pg.DatabaseError ? error.code : undefined;
    if (state !== undefined) span.setAttribute('db.response.status_code', state);
    this.fail(span, state ?? typeOf(error));
  }
}

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  const code = 'code' in error ? String(error.code) : '';
  return /^[A-Z0-9_]{1,64}$/.test(code) ? code : error.name;
}

/**
 * The text of a statement whose answer is a promise. Null otherwise: pg calls back for its pool, and COPY brings its own way
 * of speaking.
 */
function textOf(given: readonly unknown[]): string | null {
  const [statement] = given;
  if (typeof given.at(-1) === 'function') return null;
  if (typeof statement === 'string') return statement;
  const { text, submit } = statement as { text?: unknown; submit?: unknown };
  return typeof text === 'string' && submit === undefined ? text : null;
}

interface DescribedStatement {
  name: string;
  attributes: Attributes;
}

/** The texts of this service are a few hundred. */
const described = new BoundedCache<DescribedStatement>(1_000);

/**
 * Values are parameters, which are never read here. What stands in quotes becomes `?` all the same: BEGIN goes with the ids of
 * its tenant in its text, and commands that take no parameters with what they set.
 */
function describeStatement(statement: string): DescribedStatement {
  const known = described.get(statement);
  if (known !== undefined) return known;
  const text = statement
    .replaceAll(/'[^']*'/g, '?')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const operation = /^\w+/.exec(text)?.[0].toUpperCase() ?? 'STATEMENT';
  const target = /\b(?:from|into|update|join) "?([a-z_]\w*)/i.exec(text)?.[1];
  const name = target === undefined ? operation : `${operation} ${target}`;
  const made = { name, attributes: { 'db.query.summary': name, 'db.query.text': text } };
  described.set(statement, made);
  return made;
}

/** Spans for the collector of the configuration. Null where it names none, and then nothing of OpenTelemetry is loaded. */
export async function startTraces(
  config: TracesConfig,
  { service, log }: { service: 'voltstream-api' | 'voltstream-worker'; log: Logger },
): Promise<Traces | null> {
  const address = tracesAddress(config);
  if (address === null) return null;
  const [api, core, resources, sdk, otlp] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const exporter = new otlp.OTLPTraceExporter({
    url: address,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMillis: config.OTEL_EXPORTER_OTLP_TIMEOUT,
  });
  const provider = new sdk.TracerProvider({
    resource: resources.defaultResource().merge(
      resources.resourceFromAttributes({
        'service.name': service,
        'service.version': String(manifest.version),
        'service.instance.id': randomUUID(),
        ...config.OTEL_RESOURCE_ATTRIBUTES,
        ...(config.OTEL_SERVICE_NAME === undefined ? {} : { 'service.name': config.OTEL_SERVICE_NAME }),
      }),
    ),
    sampler: samplerOf(config, sdk),
    spanLimits: { linkCountLimit: LINKS_MAX, attributeValueLengthLimit: ATTRIBUTE_CHARACTERS_MAX },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: telling(exporter, new URL(address).host, log),
        maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
        scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
      }),
    ],
  });
  addToLines(log, () => {
    const trace = activeSpan()?.spanContext().traceId;
    return trace === undefined ? {} : { trace };
  });
  return new Traces({
    api,
    tracer: provider.getTracer('voltstream'),
    parseTraceParent: core.parseTraceParent,
    close: () => provider.shutdown(),
  });
}

function samplerOf(
  { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TracesConfig,
  sdk: typeof import('@opentelemetry/sdk-trace'),
): Sampler {
  const [kind, isParentBased] = name.startsWith('parentbased_')
    ? [name.slice('parentbased_'.length), true]
    : [name, false];
  const samplers: Record<string, () => Sampler> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  };
  const root = samplers[kind]?.() ?? new sdk.AlwaysOnSampler();
  return isParentBased ? new sdk.ParentBasedSampler({ root }) : root;
}

/** Says once that a collector takes nothing, and once that it takes spans again. What it did not take is gone. */
function telling(exporter: SpanExporter, collector: string, log: Logger): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        /* 0: SUCCESS. */
        const failed = result.code !== 0;
        if (failed && !isFailing) {
          log.warn({ collector, reason: typeOf(result.error) }, 'traces are not taken, and dropped');
        } else if (!failed && isFailing) log.info({ collector }, 'traces are taken again');
        isFailing = failed;
        done({ code: 0 });
      }),
    shutdown: () => exporter.shutdown(),
  };
}
