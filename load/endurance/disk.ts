import { execFile, spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { mkdir, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { dataFolder } from '../../scripts/data-folder.mjs';

const execute = promisify(execFile);
const FILL_TRIES = 100;

/** A file system of a run's own: full at will, and with room again. */
export interface Disk {
  /** From now on no file on it gets a further byte. */
  fill(): Promise<void>;
  empty(): Promise<void>;
  close(): Promise<void>;
}

const mountsOf = (pid: number | 'self'): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return undefined;
  }
};

/**
 * A mount is seen by this process and its children only, and goes with them. If the process has no mounts of its own yet, it
 * begins anew with them. Where the machine allows none, the reason comes back.
 */
export function useOwnMounts(): string | undefined {
  const outer = mountsOf(process.ppid);
  if (outer !== undefined && outer !== mountsOf('self')) return undefined;
  const unshare = ['unshare', '--mount', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])];
  const [program = '', ...flags] = unshare;
  const tried = spawnSync(program, [...flags, 'mount', '-t', 'tmpfs', 'tmpfs', dataFolder], {
    encoding: 'utf8',
  });
  if (tried.status !== 0) return tried.error?.message ?? tried.stderr.trim().replaceAll('\n', ' ');
  if (process.execve === undefined) return 'this Node cannot begin anew';
  const anew = [...unshare, process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  return process.execve('/usr/bin/env', ['env', ...anew]);
}

/** In memory: the only file system that a user without rights may mount. */
export async function openDisk(folder: string, bytes: number): Promise<Disk> {
  await mkdir(folder, { recursive: true });
  await execute('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=755`, 'tmpfs', folder]);
  const resize = (size: number) => execute('mount', ['-o', `remount,size=${size}`, folder]);
  return {
    fill: async () => {
      for (let tries = 1; ; tries += 1) {
        const { bsize, blocks, bfree } = await statfs(folder);
        try {
          return void (await resize((blocks - bfree) * bsize));
        } catch (error) {
          /* Somebody wrote between the look and the end of the room. */
          if (tries >= FILL_TRIES) throw error;
        }
      }
    },
    empty: async () => void (await resize(bytes)),
    close: async () => void (await execute('umount', [folder])),
  };
}
