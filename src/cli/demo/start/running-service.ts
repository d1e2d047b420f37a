import { setTimeout as wait } from 'node:timers/promises';
import { ConfigurationError, type Environment } from '../../../config/config.ts';
import { freePortFrom, isFree } from '../../local/ports.ts';
import { type BeginProcess, type ServiceProcess, waitUntilReady } from '../../local/processes.ts';
import { type LocalServers, serviceEnvironment } from './environment.ts';

type MoreEnvironment = Parameters<typeof serviceEnvironment>[2];

const API_PORT = 4300;
/** One is left for the worker. */
const PORT_MAX = 65_534;
const READY_SECONDS_MAX = 60;

const RESTART_PAUSE_SECONDS_MAX = 30;
/** A part that ran for so long did not end because it cannot start. */
const STABLE_MILLISECONDS = 60_000;

export interface RunningService {
  environment: ReturnType<typeof serviceEnvironment>;
  api: ServiceProcess;
  worker: ServiceProcess;
}

/**
 * Begins a part again whenever it ends by itself, after a pause that grows while it ends soon again. Resolves when the
 * signal ends the waiting.
 */
export async function keepRunning(
  first: ServiceProcess,
  options: {
    begin(): ServiceProcess;
    /** Told of each new process, and how the one before it ended. */
    onRestart(next: ServiceProcess, reason: string): void | Promise<void>;
    signal: AbortSignal;
  },
): Promise<void> {
  const { signal } = options;
  let part = first;
  let pauseSeconds = 1;
  for (;;) {
    const begunAt = performance.now();
    const reason = await part.ended;
    if (signal.aborted) return;
    if (performance.now() - begunAt > STABLE_MILLISECONDS) pauseSeconds = 1;
    const paused = await wait(pauseSeconds * 1000, true, { signal }).catch(() => false);
    if (!paused) return;
    pauseSeconds = Math.min(2 * pauseSeconds, RESTART_PAUSE_SECONDS_MAX);
    part = options.begin();
    await options.onRestart(part, reason);
  }
}

/** The environment for the port that the shell names, or the next one that nobody has; the worker looks further by itself. */
export async function nextEnvironment(
  servers: LocalServers,
  more: MoreEnvironment,
  shell: Environment,
  from = API_PORT,
) {
  const port = Number(shell.PORT ?? 0) === 0 ? await freePortFrom(from) : await portOf(shell);
  return serviceEnvironment(servers, { api: port, worker: port + 1 }, more);
}

/** Who names a port wants no other one. */
async function portOf(shell: Environment): Promise<number> {
  const port = Number(shell.PORT);
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX)
    throw new ConfigurationError(`PORT: needs a whole number up to ${PORT_MAX}`);
  if (await isFree(port)) return port;
  throw new Error(`PORT: ${port} is not free on 127.0.0.1. Without PORT the start looks for a free one`);
}

/**
 * Starts API and worker and waits until both are ready. Another clone that starts at the same time may take the port in
 * between: then both begin again with the next one, because the address stands in every token.
 */
export async function startService(
  servers: LocalServers,
  more: MoreEnvironment,
  shell: Environment,
  begin: BeginProcess,
): Promise<RunningService> {
  let environment = await nextEnvironment(servers, more, shell);
  for (;;) {
    const api = begin('API', 'src/main.ts', environment);
    const worker = begin('Worker', 'workers/main.ts', environment);
    try {
      await Promise.all([waitUntilReady(api, READY_SECONDS_MAX), waitUntilReady(worker, READY_SECONDS_MAX)]);
      return { environment, api, worker };
    } catch (error) {
      const port = Number(environment.PORT);
      if (api.isRunning() || (await isFree(port))) throw error;
      await worker.stop();
      environment = await nextEnvironment(servers, more, shell, port + 1);
    }
  }
}
