import { ConfigurationError } from '../../config/config.ts';
import { createLogger, type Logger } from '../log/logger.ts';
import { returnMemoryWhenIdle } from './idle-memory.ts';
import { createShutdown, type Shutdown, shutdownOnSignals } from './shutdown.ts';

interface ProcessOptions<Config> {
  /** Stands in every line of the log. */
  name: string;
  readConfig(): Config;
  /** One of several processes that a primary began. */
  isMember?: boolean;
  start(config: Config, log: Logger, shutdown: Shutdown): Promise<void>;
}

/**
 * What every long-running process does around its start. Handlers stand before anything is opened; a failing start says
 * one thing and leaves nothing behind; a defect that nobody caught ends the process in order instead of leaving it in a
 * state that nobody knows.
 */
export async function runProcess<Config extends { readonly LOG_LEVEL: string }>(
  options: ProcessOptions<Config>,
): Promise<void> {
  const config = configOrProblems(options.readConfig);
  if (config === null) {
    process.exitCode = 1;
    return;
  }
  const log = createLogger({ level: config.LOG_LEVEL, name: options.name });
  const shutdown = createShutdown({ log });
  shutdownOnSignals(shutdown, options.isMember);
  returnMemoryWhenIdle(log);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ err: error }, 'unforeseen failure outside a request');
      if (!shutdown.begun) void shutdown.begin(event, 1);
    });
  }
  try {
    await options.start(config, log, shutdown);
  } catch (error) {
    if (shutdown.begun) return;
    log.fatal({ err: error }, 'start failed');
    await shutdown.begin('start failed', 1);
  }
}

/** Every problem at once, in plain words: the log may not be what is looked at first. */
function configOrProblems<Config>(readConfig: () => Config): Config | null {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`The configuration is not complete:\n${error.message}\n`);
    return null;
  }
}
