import Fastify, { type FastifyBaseLogger } from 'fastify';
import { billingGauges } from '../src/billing/invoices/runs/gauges.ts';
import { readWorkerConfig, type WorkerConfig } from '../src/config/config.ts';
import { deliveryGauges } from '../src/events/deliveries/gauges.ts';
import { endsOfAnalystSessions } from '../src/governance/analysts/end-sessions.ts';
import { auditGauges } from '../src/governance/audit-log/service.ts';
import { healthRoutes } from '../src/platform/http/health.ts';
import { listenNear, tellStarter } from '../src/platform/http/listen.ts';
import { registerSchedules } from '../src/platform/jobs/reconciler.ts';
import type { Logger } from '../src/platform/log/logger.ts';
import { passBootCheck } from '../src/platform/process/boot.ts';
import { runProcess } from '../src/platform/process/run-process.ts';
import type { Shutdown } from '../src/platform/process/shutdown.ts';
import { startTraces } from '../src/platform/traces.ts';
import { priceKindProblems } from '../src/spot-prices/price-kind.ts';
import { priceGauges } from '../src/spot-prices/upkeep/gauges.ts';
import { referenceGauges } from '../src/tariffs/reference-data/gauges.ts';
import { quarterHourGauges } from '../src/telemetry/quarter-hours/gauges.ts';
import { snapshotPartitionGauges } from '../src/telemetry/snapshots/gauges.ts';
import { openWorkerDeps, type WorkerDeps } from './deps.ts';
import { startJobs } from './job-engine.ts';
import { startRounds } from './rounds.ts';
import { scheduleLines } from './schedules.ts';

const GAUGES_MILLISECONDS = 60_000;
const ANALYSTS_MILLISECONDS = 15_000;

/** The worker process: finds what fell due, hands it to the queue, runs it. */
async function start(config: WorkerConfig, log: Logger, shutdown: Shutdown): Promise<void> {
  const traces = await startTraces(config, { service: 'voltstream-worker', log });
  if (traces !== null) shutdown.add('traces', () => traces.close());
  const deps = openWorkerDeps(config, { log, traces });
  shutdown.add('connections', deps.close);
  const databaseUrl = config.DATABASE_URL;
  const problems = async () => {
    const found = await deps.bootProblems();
    return found.length > 0 ? found : await priceKindProblems(deps);
  };
  await passBootCheck({ log, shutdown, databaseUrl, problems });
  void deps.mail.check();
  await registerSchedules(deps, scheduleLines(config.DATABASE_URL));
  if (shutdown.begun) return;
  const jobs = startJobs(deps);
  shutdown.add('jobs', jobs.stop);
  const gauges = watch(deps);
  shutdown.add('gauges', gauges.stop);
  const analysts = watchAnalysts(deps);
  shutdown.add('analysts', analysts.stop);
  deps.readiness.watch();
  const url = await serveHealth(deps, shutdown);
  shutdown.add('readiness', () => deps.readiness.startClosing());
  tellStarter(url);
  log.info({ url }, 'worker ready');
}

function watch(deps: WorkerDeps) {
  const refresh = [
    priceGauges(deps),
    quarterHourGauges(deps),
    snapshotPartitionGauges(deps),
    deliveryGauges(deps),
    billingGauges(deps),
    auditGauges(deps),
    referenceGauges(deps),
  ];
  return startRounds({
    log: deps.log,
    pauseMilliseconds: GAUGES_MILLISECONDS,
    round: async () => {
      for (const reading of refresh) await reading();
      return true;
    },
  });
}

function watchAnalysts(deps: WorkerDeps) {
  const endSessions = endsOfAnalystSessions(deps);
  return startRounds({
    log: deps.log,
    pauseMilliseconds: ANALYSTS_MILLISECONDS,
    round: () => endSessions().then(() => true),
  });
}

async function serveHealth(deps: WorkerDeps, shutdown: Shutdown): Promise<string> {
  const app = Fastify({ loggerInstance: deps.log as FastifyBaseLogger, forceCloseConnections: true });
  healthRoutes(app, deps);
  shutdown.add('health', () => app.close());
  return listenNear(app, deps.config.HOST, deps.config.WORKER_PORT);
}

await runProcess({ name: 'worker', readConfig: readWorkerConfig, start });
