import { buildApp } from './app.ts';
import { readServiceConfig, type ServiceConfig } from './config.ts';
import { openDeps } from './deps.ts';
import { addressOf, tellStarter } from './platform/http/listen.ts';
import type { Logger } from './platform/log/logger.ts';
import { passBootCheck } from './platform/process/boot.ts';
import { runProcess } from './platform/process/run-process.ts';
import { type Shutdown, waitForBalancers } from './platform/process/shutdown.ts';

/** The API process: opens what it needs, checks it, listens. The steps of its end stand beside those of its start. */
async function start(config: ServiceConfig, log: Logger, shutdown: Shutdown): Promise<void> {
  const deps = openDeps(config, { log });
  shutdown.add('connections', deps.close);
  await passBootCheck({ log, shutdown, problems: deps.bootProblems });

  const app = await buildApp(deps);
  shutdown.add('requests', () => app.close());
  await app.ready();
  if (shutdown.begun) return;

  deps.readiness.watch();
  await deps.readiness.reasons();
  await app.listen({ host: config.HOST, port: config.PORT });
  shutdown.add('balancers', () => waitForBalancers(config.SHUTDOWN_DELAY_SECONDS));
  shutdown.add('readiness', () => deps.readiness.startClosing());
  const url = addressOf(app, config.HOST);
  tellStarter(url);
  log.info({ url, pid: process.pid }, 'API ready');
}

await runProcess({ name: 'api', readConfig: readServiceConfig, start });
