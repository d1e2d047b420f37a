import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, rename, rm, statfs, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/*
 * The folder of the servers lies in memory while they run: each test file makes and drops a database of a thousand files, and
 * on disk every one of them is synced. To make and drop one took 600 ms of processor time on disk and 120 ms in memory, on a
 * busy machine; `fsync` stays on, because the service does not start without it.
 * At rest it lies on disk: nothing of a run is left outside of the project. The caller holds the lock of the runs.
 */

const MEMORY = '/dev/shm';
const GIBIBYTE = 1024 ** 3;

/** Copies the folder to memory, if there is room, and puts a link in its place. */
export async function bringToMemory(folder: string): Promise<void> {
  // Also where the servers of a run that was killed are still at work.
  if (await isLink(folder)) {
    if (existsSync(folder)) return;
    // The machine was started anew.
    await rm(folder);
  }
  if (!(await hasRoom())) return;
  const place = placeOf(folder);
  await rm(place, { recursive: true, force: true });
  if (existsSync(folder)) {
    await copy(folder, place);
    await rm(folder, { recursive: true });
  } else {
    await mkdir(place);
  }
  await symlink(place, folder);
}

/** Of servers that have stopped. Wherever it is interrupted, the link or the folder names all files. */
export async function bringToDisk(folder: string): Promise<void> {
  if (!(await isLink(folder))) return;
  const unfinished = `${folder}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await copy(placeOf(folder), unfinished);
  await rm(folder);
  await rename(unfinished, folder);
  await rm(placeOf(folder), { recursive: true });
}

const placeOf = (folder: string): string =>
  join(MEMORY, `voltstream-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`);

const isLink = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;

/** A run has half a gibibyte there. Containers often offer 64 MB. */
async function hasRoom(): Promise<boolean> {
  const memory = await statfs(MEMORY).catch(() => undefined);
  if (memory === undefined) return false;
  return memory.bavail * memory.bsize > 2 * GIBIBYTE && process.availableMemory() > 6 * GIBIBYTE;
}

/** With owners and rights: as root the servers run under another user. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}
