import { randomBytes } from 'node:crypto';
import { chown, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Server = z.object({ password: z.string(), port: z.int().optional() });
const State = z.object({
  kind: z.enum(['private', 'compose']),
  postgres: Server,
  redis: Server.extend({ adminPassword: z.string() }),
  /** The process that began what runs, by id and birth: whoever finds it gone takes its servers over. */
  startedBy: z.string().optional(),
});

/** What a folder's servers are reached by. Kept in one file of mode 600 beside their data. */
export type ServicesState = z.infer<typeof State>;

export const stateFile = (folder: string): string => join(folder, 'services.json');

const newPassword = (): string => randomBytes(24).toString('hex');

export const newState = (kind: ServicesState['kind']): ServicesState => ({
  kind,
  postgres: { password: newPassword() },
  redis: { password: newPassword(), adminPassword: newPassword() },
});

export async function readState(folder: string): Promise<ServicesState | undefined> {
  const file = stateFile(folder);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: start as the user it belongs to.`);
  });
  if (text === undefined) return undefined;
  try {
    return State.parse(JSON.parse(text));
  } catch {
    throw new Error(`${file} is damaged: npm run services -- reset begins anew, without the data.`);
  }
}

export async function writeState(folder: string, state: ServicesState): Promise<void> {
  const written = `${stateFile(folder)}.new`;
  await writeFile(written, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  // A start as root in somebody's clone must not lock its owner out.
  const { uid, gid } = await stat(folder);
  if (process.getuid?.() === 0) await chown(written, uid, gid);
  await rename(written, stateFile(folder));
}
