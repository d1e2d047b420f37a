import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { processEnvironment } from '../../config/config.ts';

/** A process of the service that this start began. */
export interface ServiceProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves with the reason when the process ends by itself. */
  readonly ended: Promise<string>;
  /** Resolves with its address when it listens, and with null when it ended before that. */
  readonly listening: Promise<string | null>;
  /** Once it has ended; null where a signal ended it. */
  exitCode(): number | null;
  isRunning(): boolean;
  stop(): Promise<void>;
}

/** Begins a part of this start, which ends with it. */
export type BeginProcess = (
  name: string,
  program: string,
  environment: Readonly<Record<string, string>>,
  more?: { parameters?: readonly string[]; niceness?: number },
) => ServiceProcess;

/** The service gives itself 25 s to end; what is still there after that is stuck. */
const STOP_SECONDS_MAX = 28;

/**
 * Starts one program of the service in a process group of its own: the terminal sends Ctrl-C to a whole group, and
 * this start ends its parts itself, in order. The channel between the two ends with this process, however it ends;
 * the program then stops as well.
 */
export function startProcess(options: {
  name: string;
  program: string;
  parameters?: readonly string[];
  environment: Readonly<Record<string, string>>;
  logFile: string;
  /** Leaves the processors to others: 0 is usual, 19 the last in line. */
  niceness?: number;
}): ServiceProcess {
  mkdirSync(dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, 'a', 0o600);
  const child = spawn(
    process.execPath,
    [join(projectFolder, options.program), ...(options.parameters ?? [])],
    {
      cwd: projectFolder,
      env: { ...fromShell(), TZ: 'UTC', ...options.environment },
      stdio: ['ignore', log, log, 'ipc'],
      detached: true,
    },
  );
  closeSync(log);
  if (child.pid === undefined)
    throw new Error(`${options.name} could not be started: ${process.execPath} does not run`);
  if (options.niceness !== undefined) setPriority(child.pid, options.niceness);
  const ended = once(child, 'exit').then(([code, signal]) =>
    signal === null ? `exit code ${code}` : `signal ${signal}`,
  );
  const { name, logFile } = options;
  const listening = Promise.race([addressOf(child), ended.then(() => null)]);
  return {
    name,
    pid: child.pid,
    logFile,
    ended,
    listening,
    exitCode: () => child.exitCode,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: () => stop(child, ended),
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      const { listening } = message as { listening?: string };
      if (listening !== undefined) resolve(listening);
    });
  });
}

/**
 * The pinned Node may need a library that the launcher unpacked, and finds compiled code where the launcher said; nothing
 * else of the shell reaches the service.
 */
function fromShell(): Record<string, string> {
  const shell = processEnvironment();
  const names = ['PATH', 'LD_LIBRARY_PATH', 'NODE_COMPILE_CACHE'];
  const kept = names.map((name) => [name, shell[name]] as const);
  return Object.fromEntries(kept.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const waiting = new AbortController();
  const late = wait(STOP_SECONDS_MAX * 1000, 'late', { signal: waiting.signal }).catch(() => 'ended');
  if ((await Promise.race([ended, late])) === 'late') child.kill('SIGKILL');
  waiting.abort();
  await ended;
}

/**
 * Waits until the process answers `/readyz` with 200 and returns its address; says why not when it ends or takes too
 * long. The address is the one that it told itself: another clone's service may answer at the expected one.
 */
export async function waitUntilReady(process: ServiceProcess, secondsMax: number): Promise<string> {
  const deadline = performance.now() + secondsMax * 1000;
  let dead: string | null = null;
  void process.ended.then((reason) => {
    dead = reason;
  });
  const late = new AbortController();
  const timeout = wait(secondsMax * 1000, null, { signal: late.signal }).catch(() => null);
  const url = await Promise.race([process.listening, timeout]);
  late.abort();
  let last = 'it does not listen';
  while (performance.now() < deadline) {
    if (dead !== null || url === null) break;
    try {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) });
      last = await response.text();
      if (response.ok) return url;
    } catch {
      last = 'no answer';
    }
    await wait(100);
  }
  if (dead !== null) throw new Error(`${process.name} ended (${dead}); its log: ${process.logFile}`);
  throw new Error(
    `${process.name} is not ready after ${secondsMax} s (${last}); its log: ${process.logFile}`,
  );
}
