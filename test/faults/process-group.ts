import { startApi, type TestApi } from '../setup/api.ts';
import { addressOf, startApiProcess } from '../setup/api-process.ts';
import { takeTestRedis } from '../setup/redis.ts';
import type { ServiceProcess } from '../setup/service-process.ts';

export const SIZE = 2;
/** Each process needs four connections. */
export const OF_SIZE = { API_PROCESSES: String(SIZE), DATABASE_CONNECTIONS_MAX: String(4 * SIZE) };

/** Two processes of the API at one port, and the service inside the test that makes tenants for them. */
export interface StartedGroup {
  readonly api: TestApi;
  readonly primary: ServiceProcess;
  readonly url: string;
  close(): Promise<void>;
}

export async function startGroup(changes: Record<string, string> = {}): Promise<StartedGroup> {
  const api = await startApi({ alone: true });
  const primary = startApiProcess(api, {
    REDIS_URL: await takeTestRedis(),
    ...OF_SIZE,
    ...changes,
  });
  const close = async () => {
    await primary.kill();
    await api.close();
  };
  try {
    return { api, primary, url: await addressOf(primary), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The ids of all processes that became ready so far, in their order. */
export function memberPids(primary: ServiceProcess): number[] {
  return primary.lines.filter(({ msg }) => msg === 'API process ready').map(({ pid }) => Number(pid));
}

/** Once so many processes of the group have become ready, those that have ended meanwhile among them. */
export async function untilMembers(primary: ServiceProcess, count: number): Promise<void> {
  while (memberPids(primary).length < count) {
    if (primary.child.exitCode !== null) throw new Error('The group has ended');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** By connections of their own, which go round: each process gets some of them. */
export function onNewConnection(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, {
    ...init,
    headers: { ...(init.headers as Record<string, string>), connection: 'close' },
  });
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
