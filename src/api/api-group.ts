import type { ServiceConfig } from '../config/config.ts';
import { attemptsOfPrimary } from '../identity/oauth/attempts/local-counts.ts';
import { connectionsOfPrimary } from '../platform/http/connections-together.ts';
import { tellStarter } from '../platform/http/listen.ts';
import type { Logger } from '../platform/log/logger.ts';
import { runGroup } from '../platform/process/group/primary.ts';
import { metricsOfPrimary } from '../platform/process/group/shared-metrics.ts';
import { signalsOfPrimary } from '../platform/process/group/shared-signals.ts';
import type { Shutdown } from '../platform/process/shutdown.ts';
import { bucketsOfPrimary } from '../platform/rate-limit/group-buckets.ts';

/** Several API processes at one port, and what they count together. */
export async function startApiGroup(config: ServiceConfig, log: Logger, shutdown: Shutdown): Promise<void> {
  const { processes, TOKEN_CACHE_ENTRIES_MAX, CONNECTIONS_OF_ADDRESS_MAX } = config;
  await runGroup({
    size: processes,
    log,
    shutdown,
    parts: [
      bucketsOfPrimary(TOKEN_CACHE_ENTRIES_MAX),
      attemptsOfPrimary(TOKEN_CACHE_ENTRIES_MAX),
      connectionsOfPrimary(CONNECTIONS_OF_ADDRESS_MAX),
      metricsOfPrimary(),
      signalsOfPrimary(),
    ],
    onReady: (url) => {
      tellStarter(url);
      log.info({ url, processes }, 'API ready');
    },
  });
}
