import { freePortFrom, isFree } from '../../cli/local/ports.ts';
import { type BeginProcess, type ServiceProcess, waitUntilReady } from '../../cli/local/processes.ts';
import { type LocalServers, serviceEnvironment } from './environment.ts';

type MoreEnvironment = Parameters<typeof serviceEnvironment>[2];

const API_PORT = 4300;
const READY_SECONDS_MAX = 60;

export interface RunningService {
  environment: ReturnType<typeof serviceEnvironment>;
  api: ServiceProcess;
  worker: ServiceProcess;
}

/** The environment for the next port that nobody has at this moment; the worker looks further by itself. */
export async function nextEnvironment(servers: LocalServers, more: MoreEnvironment, from = API_PORT) {
  const port = await freePortFrom(from);
  return serviceEnvironment(servers, { api: port, worker: port + 1 }, more);
}

/**
 * Starts API and worker and waits until both are ready. Another clone that starts at the same time may take the port in
 * between: then both begin again with the next one, because the address stands in every token.
 */
export async function startService(
  servers: LocalServers,
  more: MoreEnvironment,
  begin: BeginProcess,
): Promise<RunningService> {
  let environment = await nextEnvironment(servers, more);
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
      environment = await nextEnvironment(servers, more, port + 1);
    }
  }
}
