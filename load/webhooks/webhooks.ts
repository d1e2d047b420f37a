import { setTimeout as wait } from 'node:timers/promises';
import type { ServiceProcess } from '../../src/cli/local/processes.ts';
import { measure } from '../measure/leg.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import { type Percentiles, percentiles } from '../measure/statistics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { WrongUse } from '../surroundings/failures.ts';
import { type OwnRedis, startOwnRedis } from '../surroundings/redis-server.ts';
import { prepareSurroundings, type Surroundings } from '../surroundings/service.ts';
import { type Arrivals, openReceivers, type Receivers } from './receivers.ts';
import { openWriter, type Writer } from './writer.ts';

export interface WebhooksOptions {
  events: number;
  endpoints: number;
  dead: number;
  organizations: number;
  perSecond: number;
  kills: boolean;
  minutes: number;
  rounds: number;
  quietSeconds: number;
}

/** Shares of the events; what is left of them comes all at once. */
const PACED_SHARE = 0.4;
const KILL_SHARE = 0.2;
const POLL_MILLISECONDS = 100;
const ALL_AT_ONCE = Number.POSITIVE_INFINITY;

interface Run {
  options: WebhooksOptions;
  surroundings: Surroundings;
  report: Report;
  redis: OwnRedis;
  receivers: Receivers;
  writer: Writer;
  worker: ServiceProcess;
  say(line: string): void;
  deadline: number;
}

/**
 * Events to endpoints of which some are dead: how long one takes from its commit to those that are well, what a delivery
 * costs, and that all of them arrive when the worker and Redis are killed in the middle.
 */
export async function webhooks(
  options: WebhooksOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  if (options.dead >= options.endpoints) throw new WrongUse('Some endpoints must be well: fewer --dead');
  const surroundings = await prepareSurroundings({}, cleanup);
  const report = new Report('webhooks', await collectFacts(surroundings.database), { ...options });
  const redis = await startOwnRedis(cleanup);
  const receivers = await openReceivers(options, cleanup);
  const writer = await openWriter({ surroundings, receivers, redisUrl: redis.url, ...options }, cleanup);
  const worker = await surroundings.worker('webhooks', { REDIS_URL: redis.url });
  const deadline = performance.now() + options.minutes * 60_000;
  const run: Run = { options, surroundings, report, redis, receivers, writer, worker, say, deadline };

  const paced = Math.floor((options.events * PACED_SHARE) / options.rounds);
  const killed = options.kills ? Math.floor(options.events * KILL_SHARE) : 0;
  for (let round = 1; round <= options.rounds; round += 1) {
    await phase(run, { name: 'steady', round, events: paced, perSecond: options.perSecond });
  }
  const atOnce = options.events - paced * options.rounds - 2 * killed;
  await phase(run, { name: 'all at once', round: 1, events: atOnce, perSecond: ALL_AT_ONCE });
  if (options.kills) {
    const perSecond = options.perSecond;
    await phase(run, {
      ...{ name: 'worker killed', round: 1, events: killed, perSecond },
      inTheMiddle: () => killWorker(run),
    });
    await phase(run, {
      ...{ name: 'Redis killed', round: 1, events: killed, perSecond },
      inTheMiddle: () => killRedis(run),
    });
  }
  await finish(run);
  return report;
}

interface Phase {
  name: string;
  round: number;
  events: number;
  perSecond: number;
  inTheMiddle?: () => Promise<void>;
}

async function phase(run: Run, { name, round, events, perSecond, inTheMiddle }: Phase): Promise<void> {
  const { surroundings, options, receivers, writer, report, say } = run;
  const label = `${name}, round ${round}`;
  const deliveries = writer.deliveriesOf(events);
  say(`${label}: ${events} events, ${deliveries} deliveries to endpoints that are well`);
  const { leg } = await measure(
    {
      ...{ database: surroundings.database, name, round, servicePid: run.worker.pid },
      ...{ hasUnwatchedServer: true, quietSecondsMax: options.quietSeconds },
    },
    async (begin) => {
      begin();
      const begunAt = performance.now();
      const middle = Math.floor(events / 2);
      await writer.write(label, middle, perSecond);
      await inTheMiddle?.();
      await writer.write(label, events - middle, perSecond);
      await untilArrived(run, label);
      return { client: 'worker', rows: deliveries, seconds: (performance.now() - begunAt) / 1000 };
    },
  );
  const latencies = latenciesOf(run, await receivers.arrivals(), label);
  report.add({ ...leg, latency_ms: latencies });
  const milliseconds = (share: number | null) =>
    share === null ? null : (1000 * share * leg.seconds) / deliveries;
  const cost = { worker: milliseconds(leg.cpu.service), database: milliseconds(leg.cpu.database) };
  report.details[label] = {
    deliveries_per_second: leg.rows_per_second,
    processor_ms_per_delivery: cost,
  };
  say(
    `  processor time of a delivery: worker ${cost.worker?.toFixed(1) ?? 'unknown'} ms, database ${cost.database?.toFixed(1) ?? 'unknown'} ms`,
  );
  if (name === 'steady') report.judge('W10', latencies.p95, 'worker');
}

/** Until each event is at each endpoint that is well. What is missing at the end is told by `finish`. */
async function untilArrived({ receivers, writer, deadline }: Run, label: string): Promise<void> {
  while ((await receivers.count()) < writer.expected && performance.now() < deadline) {
    await wait(POLL_MILLISECONDS);
  }
  if (performance.now() >= deadline) throw new Error(`${label}: not all had arrived when the time was over`);
}

/** From the commit of an event to its first arrival at an endpoint. */
function latenciesOf({ writer }: Run, arrivals: Arrivals, label: string): Percentiles {
  const latencies = [...arrivals.first].flatMap(([key, at]) => {
    const event = writer.committed.get(key.split(' ')[1] ?? '');
    return event?.label === label ? [at - event.atMilliseconds] : [];
  });
  return percentiles(latencies);
}

async function killWorker(run: Run): Promise<void> {
  run.say('kill -9 of the worker');
  process.kill(run.worker.pid, 'SIGKILL');
  await run.worker.ended;
  run.worker = await run.surroundings.worker('webhooks again', { REDIS_URL: run.redis.url });
}

async function killRedis({ redis, report, say }: Run): Promise<void> {
  if (redis.killAndStart === undefined) {
    report.remarks.push('Redis runs in a container here: it was not killed');
    return;
  }
  say('kill -9 of Redis');
  await redis.killAndStart();
}

/** The arrived deliveries are compared with the committed events, and with what the database says of them. */
async function finish(run: Run): Promise<void> {
  const { surroundings, receivers, writer, report, deadline, say } = run;
  const states = async () => {
    const { rows } = await surroundings.database.query<{ state: string; count: number }>(
      `SELECT state, count(*)::int AS count FROM event_deliveries WHERE endpoint_id = ANY ($1) GROUP BY state`,
      [writer.wellEndpoints],
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  };
  say('waiting until the database says that all are delivered');
  let found = await states();
  while (found.delivered !== writer.expected && performance.now() < deadline) {
    await wait(10 * POLL_MILLISECONDS);
    found = await states();
  }
  const arrivals = await receivers.arrivals();
  const lost = writer.lost(arrivals);
  if (lost > 0) report.problems.push(`${lost} deliveries never arrived`);
  if (found.delivered !== writer.expected) {
    report.problems.push(
      `${writer.expected} deliveries, of which the database says: ${JSON.stringify(found)}`,
    );
  }
  const { rows } = await surroundings.database.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM delivery_attempts WHERE NOT endpoint_id = ANY ($1)',
    [writer.wellEndpoints],
  );
  report.details.deliveries = {
    expected: writer.expected,
    lost,
    arrived_more_than_once: arrivals.all - arrivals.first.size,
    attempts_at_dead_endpoints: rows[0]?.count,
  };
  say(`${writer.expected} deliveries, ${lost} lost, ${arrivals.all - arrivals.first.size} arrived again`);
}
