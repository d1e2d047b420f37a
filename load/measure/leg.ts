import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { Service } from '../surroundings/service.ts';
import type { ClosedLoopOptions, LoopClient, LoopResult } from './closed-loop.ts';
import { type CpuShares, postmasterOf, waitUntilQuiet, watchCpu } from './processor.ts';
import { type Percentiles, percentiles } from './statistics.ts';

/** One measured stretch of a run. */
export interface Leg {
  name: string;
  round: number;
  /** Which client sent: times of two clients do not compare. */
  client: string;
  rows: number;
  seconds: number;
  rows_per_second: number;
  requests?: number;
  requests_per_second?: number;
  /** Milliseconds from sending to the whole answer. */
  latency_ms?: Percentiles;
  answers?: Record<string, number>;
  lost?: number;
  /** Answers 503 after which the same was sent again. */
  refused?: number;
  /** Shares of one core. */
  cpu: CpuShares;
  /** For one request, or for as many rows handed over in another way. Time on a processor, not on the clock. */
  processor_ms?: { client: number; service: number | null; database: number | null };
  /** Share of a core that other programs used just before, and during it; more than a little spoils the figures. */
  disturbed_before: number;
  disturbed: number | null;
  wal_bytes: number;
}

async function walPosition(servers: readonly pg.ClientBase[]): Promise<number> {
  let bytes = 0;
  for (const server of servers) {
    const { rows } = await server.query<{ position: string }>(
      "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS position",
    );
    bytes += Number(rows[0]?.position);
  }
  return bytes;
}

/** Dirty pages of the leg before would be written out in the next one: every leg begins behind a checkpoint. */
export async function checkpoint(servers: readonly pg.ClientBase[]): Promise<void> {
  for (const server of servers) await server.query('CHECKPOINT').catch(() => {});
}

export interface LegContext {
  database: pg.ClientBase;
  /** Of Citus, whose coordinator is the one above. */
  workers?: readonly pg.ClientBase[];
  name: string;
  round: number;
  /** Of what answers: the service or what it is compared with. */
  servicePid: number | null;
  /** Of the Redis that it counts requests in. */
  redisPid?: number | null;
  /** A server that is not watched takes part: what others used cannot be told. */
  hasUnwatchedServer?: boolean;
  /** How long to wait at most for a machine that is busy with other things. */
  quietSecondsMax: number;
}

/** How many rows were moved, by which client, in how many requests, and how long that took. */
type Work = { rows: number } & (
  | { loop: LoopResult }
  | { client: string; seconds: number; requests?: number }
);

/** Measures `work`. The work before its call of `begin` is preparation: no processor time is counted for it. */
export async function measure<Result extends Work>(
  context: LegContext,
  work: (begin: () => void) => Promise<Result>,
): Promise<{ leg: Leg; result: Result }> {
  const { workers = [] } = context;
  const servers = [context.database, ...workers];
  await checkpoint(servers);
  const postmaster = await postmasterOf(context.database);
  const workerPostmasters = await Promise.all(workers.map(postmasterOf));
  const disturbedBefore = await waitUntilQuiet(context.quietSecondsMax);
  const walBefore = await walPosition(servers);
  const { servicePid: service, redisPid: redis = null } = context;
  const watched = { service, postmaster, redis, ...(workers.length > 0 ? { workerPostmasters } : {}) };
  const watch = () => watchCpu(watched);
  let cpuSince = watch();
  const result = await work(() => {
    cpuSince = watch();
  });
  /* A process that has ended is counted when its parent has noticed. */
  await wait(50);
  const { client, seconds, requests } =
    'loop' in result ? { ...result.loop, requests: result.loop.latenciesMilliseconds.length } : result;
  const cpu = cpuSince(seconds);
  const isComplete =
    cpu.database !== null &&
    (cpu.service !== null || service === null) &&
    context.hasUnwatchedServer !== true;
  const ours = cpu.client + (cpu.service ?? 0) + (cpu.database ?? 0) + (cpu.redis ?? 0);
  const leg: Leg = {
    name: context.name,
    ...{ round: context.round, client, rows: result.rows, seconds },
    rows_per_second: result.rows / seconds,
    ...('loop' in result ? answersOf(result.loop) : {}),
    cpu,
    ...(requests === undefined ? {} : { processor_ms: perRequest(cpu, seconds, requests) }),
    disturbed_before: disturbedBefore,
    disturbed: isComplete ? Math.max(0, cpu.machine - ours) : null,
    wal_bytes: (await walPosition(servers)) - walBefore,
  };
  return { leg, result };
}

function perRequest({ client, service, database }: CpuShares, seconds: number, requests: number) {
  const milliseconds = (share: number) => (1000 * share * seconds) / requests;
  return {
    client: milliseconds(client),
    service: service === null ? null : milliseconds(service),
    database: database === null ? null : milliseconds(database),
  };
}

/** Sends batches in a closed loop; rows are those that the service called stored, or duplicates where it should. */
export async function measureLoop(
  context: Omit<LegContext, 'servicePid'> & { client: LoopClient; counting: 'stored' | 'duplicates' },
  service: Service,
  options: Omit<ClosedLoopOptions, 'url' | 'headers'> & { headers?: Record<string, string> },
): Promise<{ leg: Leg; loop: LoopResult }> {
  const headers = { ...(await service.headers()), ...options.headers };
  const { leg, result } = await measure({ ...context, servicePid: service.pid }, async (begin) => {
    const url = `${service.baseUrl}/asset-snapshots`;
    const onBegin = () => {
      begin();
      options.onBegin?.();
    };
    const loop = await context.client.loop({ ...options, url, headers, onBegin });
    return { loop, rows: loop.answers[context.counting] };
  });
  return { leg, loop: result.loop };
}

function answersOf({ seconds, latenciesMilliseconds: latencies, answers }: LoopResult) {
  return {
    requests: latencies.length,
    requests_per_second: latencies.length / seconds,
    latency_ms: percentiles(latencies),
    answers: answers.byStatus,
    ...{ lost: answers.lost, refused: answers.refused },
  };
}
