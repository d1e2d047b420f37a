import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type LabelValues,
  type Metric,
  Registry,
} from 'prom-client';

/** Names on `/metrics` begin with this; the runtime's own (`process_…`, `nodejs_…`) keep theirs. */
const PREFIX = 'voltstream_';

/** Seconds: from an answer out of a cache to the longest time a handler may take. */
const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/**
 * The one place that knows the metrics library. Labels carry route patterns, statuses and names out of the code, never
 * an address, an id or an organization: each combination is kept for as long as the process lives.
 */
export interface Metrics {
  /**
   * `starts`: the labels of series that are there with 0 from the start. Of one that begins with its first failure nothing grows,
   * and no alarm rings.
   */
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
    starts?: readonly LabelValues<Label>[],
  ): Counter<Label>;
  /** `together`: what several processes show as one; their sum where absent. */
  gauge<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
    together?: 'sum' | 'min',
  ): Gauge<Label>;
  /** Asked for its value when metrics are read: waiting requests, bytes held. */
  measured(name: string, help: string, value: () => number): void;
  histogram<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
    buckets?: readonly number[],
  ): Histogram<Label>;
  readonly contentType: string;
  /** The whole page of `/metrics`. */
  text(): Promise<string>;
  /** What it is made of, for a page of several processes. */
  values(): Promise<MetricValues>;
}

/** The metrics of one process, as they go to another one. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** One page for several processes, by the rule of each metric: most are added up. */
export async function metricsTogether(all: readonly MetricValues[]): Promise<string> {
  return await AggregatorRegistry.aggregate([...all]).metrics();
}

/**
 * Counts that must not go back when a process ends: a counter that falls looks as if it had begun anew, and its whole value
 * would be counted once more.
 */
export async function countsTogether(all: readonly MetricValues[]): Promise<MetricValues> {
  const counts = all.map((values) =>
    values.filter(({ type }) => String(type) === 'counter' || String(type) === 'histogram'),
  );
  return await AggregatorRegistry.aggregate(counts).getMetricsAsJSON();
}

/** One registry per process. `runtime: false` leaves out what Node tells about itself. */
export function createMetrics(options: { runtime?: boolean } = {}): Metrics {
  const registry = new Registry();
  if (options.runtime !== false) collectDefaultMetrics({ register: registry });

  /* Two parts of the service may count the same thing; the first one to ask decides about help and labels. */
  const once = <Kind extends Metric>(name: string, make: (name: string) => Kind): Kind => {
    const known = registry.getSingleMetric(`${PREFIX}${name}`);
    return known === undefined ? make(`${PREFIX}${name}`) : (known as Kind);
  };
  const registers = [registry];

  return {
    counter: (name, help, labels = [], starts = []) => {
      const counter = once(name, (full) => new Counter({ name: full, help, labelNames: labels, registers }));
      for (const series of starts) counter.inc(series, 0);
      return counter;
    },
    gauge: (name, help, labels = [], together = 'sum') =>
      once(
        name,
        (full) => new Gauge({ name: full, help, labelNames: labels, registers, aggregator: together }),
      ),
    measured: (name, help, value) => {
      registry.removeSingleMetric(`${PREFIX}${name}`);
      new Gauge({
        name: `${PREFIX}${name}`,
        help,
        registers,
        collect() {
          this.set(value());
        },
      });
    },
    histogram: (name, help, labels = [], buckets = SECONDS_BUCKETS) =>
      once(
        name,
        (full) => new Histogram({ name: full, help, labelNames: labels, buckets: [...buckets], registers }),
      ),
    contentType: registry.contentType,
    text: () => registry.metrics(),
    values: () => registry.getMetricsAsJSON(),
  };
}

/** Counts transactions that lost against another one and were done again. */
export function repeatCounter(metrics: Metrics): () => void {
  const repeats = metrics.counter('transaction_repeats_total', 'Transactions done again after a lost race');
  return () => repeats.inc();
}
