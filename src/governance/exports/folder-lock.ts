import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive, PRIVATE_FILE } from './progress-file.ts';

/** The folder of what is not finished: readers of data sets pass over names that begin with a dot. */
export const unfinishedFolder = (folder: string) => join(folder, '.unfinished');

const HEARTBEAT_MILLISECONDS = 20_000;
/** Without a sign of life for so long its holder has died, wherever it ran. */
const STALE_MILLISECONDS = 180_000;

/** One run at a time writes into a folder. Throws where another one does; gives what ends the lock. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const unfinished = unfinishedFolder(folder);
  const lock = join(unfinished, 'lock');
  await mkdir(unfinished, { mode: 0o700, recursive: true });
  const holder = await findHolder(unfinished, lock);
  if (holder !== null) throw new Error(`${holder} writes into ${folder}: wait for its end`);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700, recursive: true });
  const text = JSON.stringify({ pid: process.pid, host: hostname() });
  await writeFile(lock, text, { flag: 'wx', mode: PRIVATE_FILE });
  const heartbeat = setInterval(() => {
    writeFile(lock, text, { flag: 'r+' }).catch(() => {});
  }, HEARTBEAT_MILLISECONDS);
  heartbeat.unref();
  return async () => {
    clearInterval(heartbeat);
    await rm(unfinished, { recursive: true, force: true });
  };
}

async function findHolder(unfinished: string, lock: string): Promise<string | null> {
  try {
    const { pid, host } = JSON.parse(await readFile(lock, 'utf8')) as { pid: number; host: string };
    /* By the clock of the disk, which may be another machine's. */
    const probe = join(unfinished, 'now');
    await writeFile(probe, '', { mode: PRIVATE_FILE });
    const [now, alive] = await Promise.all([stat(probe), stat(lock)]);
    const isStale = now.mtimeMs - alive.mtimeMs > STALE_MILLISECONDS;
    return isStale || (host === hostname() && !isAlive(pid)) ? null : `Process ${pid} of ${host}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}
