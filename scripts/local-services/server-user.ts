import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, open, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { projectFolder } from '../data-folder.mjs';

const execute = promisify(execFile);
const nobody = 65_534;

/** PostgreSQL refuses to run as root, so there the servers run as somebody without rights. */
export interface ServerUser {
  ids: { uid: number; gid: number } | undefined;
  /** Put before the command: a namespace of its own, in which root's files seem to belong to nobody. */
  prefix: string[];
}

const namespace = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--'];

/**
 * Nothing of the caller's environment reaches a server: locale, time zone and options are ours. With LD_BIND_NOW the server
 * looks its functions up once, and not again in the process of each connection (measured: 41 ms a connection, not 48).
 * Memory that a query frees stays with its process, up to 16 MB. Given back to the machine, the next query would ask for it
 * again page by page (measured over the tests of bills: a tenth of all page faults).
 */
const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  LD_BIND_NOW: '1',
  MALLOC_TRIM_THRESHOLD_: '16777216',
  MALLOC_MMAP_THRESHOLD_: '16777216',
  MALLOC_TOP_PAD_: '1048576',
};

function command(user: ServerUser, program: string, programArguments: string[]): [string, string[]] {
  const [file = program, ...rest] = [...user.prefix, program, ...programArguments];
  return [file, rest];
}

export async function runAs(user: ServerUser, program: string, programArguments: string[]): Promise<string> {
  const options = { cwd: '/', env: environment, ...user.ids };
  return (await execute(...command(user, program, programArguments), options)).stdout;
}

/** Starts a server that outlives this process and its terminal: Ctrl-C must not reach it before the API. */
export async function spawnAs(
  user: ServerUser,
  program: string,
  programArguments: string[],
  logFile: string,
): Promise<ChildProcess> {
  const log = await open(logFile, 'a', 0o600);
  try {
    const child = spawn(...command(user, program, programArguments), {
      cwd: '/',
      env: environment,
      ...user.ids,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.on('error', () => {});
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

export async function handOver(user: ServerUser, path: string): Promise<void> {
  if (user.ids) await chown(path, user.ids.uid, user.ids.gid);
}

/**
 * As root: whoever owns the data already, else `nobody`, else the namespace (a project below /root, which
 * nobody else may enter). `program` is run for proof.
 */
export async function chooseServerUser(program: string, existingData: string): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return { ids: undefined, prefix: [] };
  const owner = await stat(existingData).catch(() => undefined);
  const ids = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : { uid: nobody, gid: nobody };
  const asNobody: ServerUser = { ids, prefix: [] };
  const inNamespace: ServerUser = { ids: undefined, prefix: namespace };
  const candidates = owner?.uid === 0 ? [inNamespace] : owner ? [asNobody] : [asNobody, inNamespace];
  for (const user of candidates) {
    const works = await runAs(user, program, ['--version']).then(
      () => true,
      () => false,
    );
    if (works) return user;
  }
  throw new Error(
    `The servers must not run as root, and no other user may enter ${projectFolder}: ` +
      'clone the project elsewhere, for example below /srv, or start it as an ordinary user.',
  );
}
