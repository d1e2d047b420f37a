import type { ChildProcess } from 'node:child_process';
import { readdir, readFile, readlink, realpath, rename, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const logBytesMax = 16 * 1024 * 1024;

/** A process that ended but was not collected by its parent counts as gone. */
export async function isAlive(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text !== '' && !/^\) [ZX]/.test(text.slice(text.lastIndexOf(')')));
}

/** Both servers work inside their data folder, and only they do: this tells one from a reused process id. */
export async function worksIn(pid: number, folder: string): Promise<boolean> {
  if (!(await isAlive(pid))) return false;
  const [workingFolder, expected] = await Promise.all([
    readlink(`/proc/${pid}/cwd`).catch(() => ''),
    realpath(folder).catch(() => folder),
  ]);
  return workingFolder === expected;
}

/** The processes of `programs` that work in `folder`: a shell somebody opened there is none of them. */
export async function serverProcessesIn(folder: string, programs: string): Promise<number[]> {
  const prefix = `${await realpath(programs).catch(() => programs)}/`;
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || !(await worksIn(pid, folder))) continue;
    const program = await readlink(`/proc/${pid}/exe`).catch(() => '');
    if (program.startsWith(prefix)) found.push(pid);
  }
  return found;
}

export async function waitUntilGone(pids: number[], timeoutSeconds: number): Promise<boolean> {
  const deadline = Date.now() + timeoutSeconds * 1000;
  for (;;) {
    const alive = await Promise.all(pids.map(isAlive));
    if (!alive.includes(true)) return true;
    if (Date.now() > deadline) return false;
    await wait(25);
  }
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Gone in between is what was wanted.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(address && typeof address === 'object' ? address.port : undefined));
    });
  });
}

export const isFree = async (port: number): Promise<boolean> => (await listenOnce(port)) !== undefined;

/** The remembered port while nobody else has it, else one from the kernel. */
export async function choosePort(remembered: number | undefined): Promise<number> {
  if (remembered !== undefined && (await isFree(remembered))) return remembered;
  const port = await listenOnce(0);
  if (port === undefined) throw new Error('No free port on 127.0.0.1 could be had.');
  return port;
}

export async function rotateLog(logFile: string): Promise<void> {
  const written = await stat(logFile).catch(() => undefined);
  if (written && written.size > logBytesMax) await rename(logFile, `${logFile}.1`);
}

/** What the server itself said last about its failure. */
async function lastComplaint(logFile: string): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  const lines = text.trimEnd().split('\n');
  return (
    lines.findLast((line) => /FATAL|PANIC|ERROR|[Ee]rror|denied|#/.test(line)) ??
    lines.at(-1) ??
    ''
  ).trim();
}

/**
 * Asks `connect` until it answers. A server that works through its log after a crash is waited for as long
 * as it lives.
 */
export async function waitUntilReady<Answer>(options: {
  name: string;
  logFile: string;
  isRunning: () => Promise<boolean>;
  connect: () => Promise<Answer | undefined>;
  report: (line: string) => void;
}): Promise<Answer> {
  const startedAt = Date.now();
  let said = false;
  for (;;) {
    const answer = await options.connect();
    if (answer !== undefined) return answer;
    if (!(await options.isRunning())) {
      const complaint = await lastComplaint(options.logFile);
      throw new Error(
        `${options.name} did not start: ${complaint || 'it said nothing'} (log: ${options.logFile})`,
      );
    }
    if (!said && Date.now() - startedAt > 5000) {
      options.report(`${options.name} is still starting (log: ${options.logFile})`);
      said = true;
    }
    await wait(40);
  }
}

export const hasExited = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
