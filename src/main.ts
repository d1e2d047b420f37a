import cluster from 'node:cluster';
import { readServiceConfig, type ServiceConfig } from './config/config.ts';
import type { Logger } from './platform/log/logger.ts';
import { runProcess } from './platform/process/run-process.ts';
import type { Shutdown } from './platform/process/shutdown.ts';

/** The API: one process, or several at one port. The primary of several loads nothing of what it does not do itself. */
async function start(config: ServiceConfig, log: Logger, shutdown: Shutdown): Promise<void> {
  if (config.processes > 1 && cluster.isPrimary) {
    const { startApiGroup } = await import('./api/api-group.ts');
    await startApiGroup(config, log, shutdown);
  } else {
    const { startApi } = await import('./api/api.ts');
    await startApi(config, log, shutdown);
  }
}

await runProcess({ name: 'api', readConfig: readServiceConfig, isMember: cluster.isWorker, start });
