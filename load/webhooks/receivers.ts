import { join } from 'node:path';
import { Pool } from 'undici';
import { dataFolder } from '../../scripts/data-folder.mjs';
import { startProcess, waitUntilReady } from '../../src/cli/local/processes.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';

const READY_SECONDS_MAX = 30;
/** Nobody listens there. */
const CLOSED_PORT = 1;
const DEAD_KINDS = ['refuses', 'hangs', 'answers 500'] as const;

export interface ReceiverPlan {
  readonly url: string;
  readonly kind: 'well' | (typeof DEAD_KINDS)[number];
  /** Which of the organizations it belongs to. */
  readonly organization: number;
}

/** What arrived where. */
export interface Arrivals {
  readonly all: number;
  /** Milliseconds since 1970 by place of the endpoint and id of the event, with a space between. */
  readonly first: ReadonlyMap<string, number>;
}

export interface Receivers {
  readonly plans: readonly ReceiverPlan[];
  /** How many different events arrived at endpoints that are well. */
  count(): Promise<number>;
  arrivals(): Promise<Arrivals>;
}

/** Receivers in a process of their own; the dead ones are spread over the organizations, as many of each kind. */
export async function openReceivers(
  options: { endpoints: number; dead: number; organizations: number },
  cleanup: Cleanup,
): Promise<Receivers> {
  const process = startProcess({
    name: 'receivers of webhooks',
    program: 'load/webhooks/receiver.ts',
    environment: {},
    logFile: join(dataFolder, 'load', 'webhook-receiver.log'),
  });
  cleanup.add(() => process.stop());
  const baseUrl = await waitUntilReady(process, READY_SECONDS_MAX);
  const { port } = new URL(baseUrl);
  const pool = new Pool(baseUrl);
  cleanup.add(() => pool.close());
  const get = async (path: string) => (await pool.request({ method: 'GET', path })).body.text();

  function planOf(index: number): ReceiverPlan {
    const host = `127.0.${1 + Math.floor(index / 200)}.${1 + (index % 200)}`;
    const organization = index % options.organizations;
    const kind = index < options.dead ? (DEAD_KINDS[index % DEAD_KINDS.length] ?? 'refuses') : 'well';
    const path = { well: 'ok', refuses: 'ok', hangs: 'hang', 'answers 500': 'error' }[kind];
    const url = `http://${host}:${kind === 'refuses' ? CLOSED_PORT : port}/${path}/${index}`;
    return { url, kind, organization };
  }

  return {
    plans: Array.from({ length: options.endpoints }, (_, index) => planOf(index)),
    count: async () => Number(await get('/count')),
    arrivals: async () => {
      const lines = (await get('/arrivals')).split('\n').filter((line) => line !== '');
      const first = new Map<string, number>();
      for (const line of lines) {
        const [endpoint, event, at] = line.split(' ');
        const key = `${endpoint} ${event}`;
        if (!first.has(key)) first.set(key, Number(at));
      }
      return { all: lines.length, first };
    },
  };
}
