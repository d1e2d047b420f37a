import { setTimeout as wait } from 'node:timers/promises';
import type { Service } from '../surroundings/service.ts';

/** The sum over all labels that are not part of the name; undefined where the page has none. */
export type Metrics = (name: string) => number | undefined;

/** Null where the service does not show its metrics to this caller. */
export async function readMetrics({ baseUrl }: Pick<Service, 'baseUrl'>): Promise<Metrics | null> {
  const answer = await fetch(`${baseUrl}/metrics`);
  const lines = (await answer.text()).split('\n');
  if (!answer.ok) return null;
  return (name) => {
    const found = lines.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    if (found.length === 0) return undefined;
    return found.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  };
}

/** 0 for what was not measured yet. */
export async function metric(service: Pick<Service, 'baseUrl'>, name: string): Promise<number> {
  return (await readMetrics(service))?.(name) ?? 0;
}

/** What the service tells of itself while batches are sent. None of it where its metrics cannot be read. */
export interface Strain {
  /** 99th percentile of the delay of its event loop, in the worst second. */
  loop_ms: number | null;
  /** Batches that waited for a group, at most. */
  waiting: number | null;
  /** Mean time of a group, which is a COPY and its commit, and its rows. */
  group_ms: number | null;
  group_rows: number | null;
}

const READ_MILLISECONDS = 1_000;

/** Reads the metrics before the work, each second of it, and behind it. */
export async function underStrain<Result>(
  service: Pick<Service, 'baseUrl'>,
  work: () => Promise<Result>,
): Promise<{ result: Result; strain: Strain }> {
  const readings = [await readMetrics(service)];
  const ended = new AbortController();
  const reading = (async () => {
    while (!ended.signal.aborted) {
      await wait(READ_MILLISECONDS, undefined, { signal: ended.signal }).catch(() => {});
      readings.push(await readMetrics(service).catch(() => null));
    }
  })();
  try {
    const result = await work();
    ended.abort();
    await reading;
    readings.push(await readMetrics(service));
    return { result, strain: strainIn(readings.filter((metrics) => metrics !== null)) };
  } finally {
    ended.abort();
  }
}

/** The delay of the event loop begins anew with each reading: that of the first is from before the work. */
function strainIn(readings: readonly Metrics[]): Strain {
  const most = (name: string) => {
    const values = readings.slice(1).flatMap((metrics) => metrics(name) ?? []);
    return values.length === 0 ? null : Math.max(...values);
  };
  const grown = (name: string) => (readings.at(-1)?.(name) ?? 0) - (readings[0]?.(name) ?? 0);
  const groups = grown('voltstream_snapshot_group_seconds_count');
  const ofGroup = (name: string) => (groups > 0 ? grown(name) / groups : null);
  const [loop, seconds] = [
    most('nodejs_eventloop_lag_p99_seconds'),
    ofGroup('voltstream_snapshot_group_seconds_sum'),
  ];
  return {
    loop_ms: loop && loop * 1000,
    waiting: most('voltstream_snapshot_batches_waiting'),
    group_ms: seconds && seconds * 1000,
    group_rows: ofGroup('voltstream_snapshot_group_rows_sum'),
  };
}
