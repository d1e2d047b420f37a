import cluster from 'node:cluster';
import type { ServiceConfig } from '../config/config.ts';
import { shareOfProcess } from '../config/processes.ts';
import { openDeps } from '../platform/deps.ts';
import { addressOf, tellStarter } from '../platform/http/listen.ts';
import type { Logger } from '../platform/log/logger.ts';
import { passBootCheck } from '../platform/process/boot.ts';
import { joinGroup } from '../platform/process/group/member.ts';
import { type Shutdown, waitForBalancers } from '../platform/process/shutdown.ts';
import { startTraces } from '../platform/traces.ts';
import { buildApp } from './app.ts';

/**
 * Connections that the system takes in for a process that is busy. Gateways come at the full minute, a thousand within a
 * moment. Node's default is 511, and who finds no room comes again after one, three or seven seconds. The system's own bound
 * (`net.core.somaxconn`, 4,096) holds besides.
 */
const CONNECTIONS_WAITING_MAX = 4_096;

/** An API process: opens what it needs, checks it, listens. The steps of its end stand beside those of its start. */
export async function startApi(given: ServiceConfig, log: Logger, shutdown: Shutdown): Promise<void> {
  const config = shareOfProcess(given);
  const group = cluster.isWorker ? joinGroup(given.processes, shutdown) : null;
  const traces = await startTraces(config, { service: 'voltstream-api', log });
  if (traces !== null) shutdown.add('traces', () => traces.close());
  const deps = openDeps(config, { log, group, traces });
  shutdown.add('connections', deps.close);
  await passBootCheck({ log, shutdown, problems: deps.bootProblems });

  const app = await buildApp(deps);
  shutdown.add('requests', () => app.close());
  await app.ready();
  if (shutdown.begun) return;

  deps.readiness.watch();
  await deps.readiness.reasons();
  await app.listen({ host: config.HOST, port: config.PORT, backlog: CONNECTIONS_WAITING_MAX });
  shutdown.add('balancers', () => waitForBalancers(config.SHUTDOWN_DELAY_SECONDS));
  shutdown.add('readiness', () => deps.readiness.startClosing());
  const url = addressOf(app, config.HOST);
  if (group === null) {
    tellStarter(url);
    log.info({ url }, 'API ready');
  } else {
    group.channel.tell('listening', url);
    log.info({ url }, 'API process ready');
  }
}
