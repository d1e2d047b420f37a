// The project's own ignored folder, and a lock for what two starts must not do at once.
// Read by Node 18 too: the launcher needs it before the pinned Node runs.
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const projectFolder = dirname(dirname(fileURLToPath(import.meta.url)));
export const dataFolder = join(projectFolder, '.data');

/** As root the servers run under another user, who has to pass through on the way to its own folder. */
export const passageMode = process.getuid?.() === 0 ? 0o711 : 0o700;

/**
 * @param {string} folder
 * @param {number} [mode]
 */
export async function makeFolder(folder, mode = passageMode) {
  try {
    await mkdir(folder, { recursive: true });
    await chmod(folder, mode);
  } catch (error) {
    throw new Error(
      `${folder} cannot be used (${error instanceof Error ? error.message : error}): ` +
        'start as the user it belongs to, or remove it.',
    );
  }
}

export async function makeDataFolder() {
  await makeFolder(dataFolder);
}

/**
 * A process by its id and its moment of birth: ids are used again, after a restart of the machine at once.
 * @param {number | 'self'} id
 * @returns {Promise<string | undefined>} undefined for a process that is gone or only waits to be collected
 */
export async function processIdentity(id) {
  const text = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
  // The name stands in brackets and may hold spaces; the state is field 3, the birth in ticks field 22.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return text && fields[0] !== 'Z' ? `${Number.parseInt(text, 10)}-${fields[19]}` : undefined;
}

/**
 * @param {string} identity as `processIdentity` gave it
 * @returns {Promise<boolean>}
 */
export async function isRunning(identity) {
  return (await processIdentity(Number.parseInt(identity, 10))) === identity;
}

let calls = 0;

/**
 * Runs `work` while holding the lock folder. The owner's identity is inside the folder before it gets its
 * name, so a lock without an owner does not exist, and it leaves its name before it is emptied: an empty folder
 * would be taken while it is deleted. A lock whose owner is gone is moved aside under a name made from that
 * owner, which only the first of several can do as long as the remains lie there.
 * @template T
 * @param {string} lock
 * @param {() => Promise<T>} work
 * @param {() => void | Promise<void>} [onWait] said once before waiting; what it throws ends the waiting
 * @returns {Promise<T>}
 */
export async function exclusively(lock, work, onWait) {
  const own = (await processIdentity('self')) ?? String(process.pid);
  calls += 1;
  const prepared = `${lock}.${own}.${calls}`;
  await mkdir(prepared, { recursive: true });
  await writeFile(join(prepared, 'owner'), own);
  const remains = [prepared];
  let held = false;
  let said = false;
  try {
    for (;;) {
      try {
        await rename(prepared, lock);
        held = true;
        break;
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
      }
      const owner = await readFile(join(lock, 'owner'), 'utf8').catch(() => undefined);
      if (owner && !(await isRunning(owner))) {
        const gone = `${lock}.gone-${owner}`;
        const moved = await rename(lock, gone).then(
          () => true,
          () => false,
        );
        if (moved) {
          remains.push(gone);
          continue;
        }
      }
      if (!said) await onWait?.();
      said = true;
      await wait(100);
    }
    return await work();
  } finally {
    if (held) await rename(lock, prepared);
    for (const path of remains) await rm(path, { recursive: true, force: true });
  }
}
