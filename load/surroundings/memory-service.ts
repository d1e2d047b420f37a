import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder } from '../../scripts/data-folder.mjs';
import { startProcess, waitUntilReady } from '../../src/cli/local/processes.ts';
import type { Cleanup } from './cleanup.ts';
import type { Service } from './service.ts';

const READY_SECONDS_MAX = 30;

export interface MemoryService {
  /** Of its files. */
  name: string;
  method: 'GET' | 'POST';
  path: string;
  /** Answered one after the other, whatever is asked. */
  texts: readonly string[];
}

/** A bare Fastify that answers what the service answered. */
export async function startMemoryService(
  { name, method, path, texts }: MemoryService,
  cleanup: Cleanup,
): Promise<Service> {
  const file = join(dataFolder, 'load', `${name}.json`);
  await writeFile(file, JSON.stringify(texts));
  const process = startProcess({
    name: 'server with the bytes in memory',
    program: 'load/surroundings/memory-server.ts',
    parameters: [file, method, path],
    environment: {},
    logFile: join(dataFolder, 'load', 'memory-server.log'),
  });
  cleanup.add(() => process.stop());
  const baseUrl = await waitUntilReady(process, READY_SECONDS_MAX);
  const headers = { 'content-type': 'application/json' };
  return { baseUrl, pid: process.pid, headers: async () => (method === 'POST' ? headers : {}) };
}
