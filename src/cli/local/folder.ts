import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dataFolder } from '../../../scripts/data-folder.mjs';

/** What a local start keeps: servers' data and keys, facts for other commands, logs. All of it is ignored by git. */
export const startFiles = {
  /** Addresses, demo client and assets, for looking and measuring. */
  facts: join(dataFolder, 'start.json'),
  /** Address of the account that reads the learning data. */
  learner: join(dataFolder, 'learner.json'),
  /** The environment of the API and the worker, one NAME=value a line: what the other commands read. */
  environment: join(dataFolder, 'local.env'),
  /** Role passwords and keys of this folder's service. */
  keys: join(dataFolder, 'keys.json'),
  /** Who runs here. */
  running: join(dataFolder, 'running.json'),
  lock: join(dataFolder, 'start.lock'),
  servers: join(dataFolder, 'local'),
  logs: join(dataFolder, 'logs'),
  /** What a service with a mail server would have sent. */
  mail: join(dataFolder, 'mail'),
} as const;

/**
 * Writes a file that only its owner may read, from the first byte on. Beside the one before, which it then replaces: a full
 * disk or an end in between leaves that one as it was.
 */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${randomUUID()}`;
  try {
    await writeFile(beside, text, { mode: 0o600, flush: true });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

export async function readJsonFile<Content>(path: string): Promise<Content | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
