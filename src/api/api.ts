import cluster from 'node:cluster';
import type { ServiceConfig } from '../config/config.ts';
import { shareOfProcess } from '../config/processes.ts';
import { keyProblems } from '../identity/oauth/keys/keys.ts';
import { type Deps, openDeps } from '../platform/deps.ts';
import { addressOf, listenersOf, tellStarter } from '../platform/http/listen.ts';
import type { Logger } from '../platform/log/logger.ts';
import { passBootCheck } from '../platform/process/boot.ts';
import { joinGroup } from '../platform/process/group/member.ts';
import { type Shutdown, waitForBalancers } from '../platform/process/shutdown.ts';
import { startTraces } from '../platform/traces.ts';
import { priceKindProblems } from '../spot-prices/price-kind.ts';
import { buildApp } from './app.ts';

/** An API process: opens what it needs, checks it, listens. The steps of its end stand beside those of its start. */
export async function startApi(given: ServiceConfig, log: Logger, shutdown: Shutdown): Promise<void> {
  const config = shareOfProcess(given);
  const group = cluster.isWorker ? joinGroup(given.processes, shutdown) : null;
  const traces = await startTraces(config, { service: 'voltstream-api', log });
  if (traces !== null) shutdown.add('traces', () => traces.close());
  const deps = openDeps(config, { log, group, traces });
  shutdown.add('connections', deps.close);
  const databaseUrl = config.DATABASE_URL;
  await passBootCheck({ log, shutdown, databaseUrl, problems: () => startProblems(deps) });
  void deps.mail.check();

  const app = await buildApp(deps);
  const listeners = listenersOf(app);
  shutdown.add('requests', listeners.close);
  await app.ready();
  if (shutdown.begun) return;

  deps.readiness.watch();
  await deps.readiness.reasons();
  await listeners.listen({ host: config.HOST, port: config.PORT });
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

/** Tables are read where the database fits. */
async function startProblems(deps: Deps): Promise<string[]> {
  const problems = await deps.bootProblems();
  return problems.length > 0 ? problems : [...(await priceKindProblems(deps)), ...(await keyProblems(deps))];
}
