import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../log/logger.ts';

/*
 * An orderly end on SIGTERM or SIGINT: what was opened is closed in reverse, each step at its time, and the whole may
 * not last for ever. Handlers stand before anything is opened, so that a signal during the start ends a half-started
 * server as well.
 */

/** Containers get 30 s: the process must be gone by itself before that. */
export const KILL_AFTER_MILLISECONDS = 25_000;
/** What a shell shows for a process that a signal ended. */
const FORCED_EXIT_CODE = 130;
const LAST_LINES_MILLISECONDS_MAX = 2_000;

export interface ShutdownOptions {
  log: Logger;
  exit?: (code: number) => void;
  killAfterMilliseconds?: number;
}

export interface Shutdown {
  /** A step of the end; the one added last runs first. */
  add(name: string, step: () => Promise<void> | void): void;
  /** True from the first signal on: whatever is still being started gives up. */
  readonly begun: boolean;
  /** Runs the steps and exits; asked a second time it exits at once. */
  begin(reason: string, exitCode?: number): Promise<void>;
}

export function createShutdown(options: ShutdownOptions): Shutdown {
  const { log } = options;
  const exit = options.exit ?? ((code: number) => process.exit(code));
  const steps: { name: string; run: () => Promise<void> | void }[] = [];
  let begun = false;

  async function begin(reason: string, exitCode = 0): Promise<void> {
    if (begun) {
      log.warn({ reason }, 'shutdown forced');
      return exit(FORCED_EXIT_CODE);
    }
    begun = true;
    log.info({ reason }, 'shutdown begins');
    const killer = setTimeout(() => {
      log.error('shutdown took too long');
      exit(1);
    }, options.killAfterMilliseconds ?? KILL_AFTER_MILLISECONDS);
    let failed = false;
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      try {
        await step.run();
        log.debug({ step: step.name }, 'shutdown step done');
      } catch (error) {
        failed = true;
        log.error({ err: error, step: step.name }, 'shutdown step failed');
      }
    }
    clearTimeout(killer);
    log.info('shutdown complete');
    await linesWritten(log);
    exit(failed ? 1 : exitCode);
  }

  return {
    add: (name, run) => {
      steps.push({ name, run });
    },
    get begun() {
      return begun;
    },
    begin,
  };
}

/** A reader that is slow gets its lines; one that reads nothing holds nobody up. */
async function linesWritten(log: Logger): Promise<void> {
  const given = new AbortController();
  const patience = wait(LAST_LINES_MILLISECONDS_MAX, undefined, { signal: given.signal }).catch(() => {});
  await Promise.race([new Promise<void>((resolve) => log.flush(() => resolve())), patience]);
  given.abort();
}

/**
 * SIGTERM and SIGINT begin the shutdown; the second one ends the process on the spot. A member of a group of processes
 * hears of the first one twice where a terminal or systemd sends it to all: whether it is forced is for the primary, with
 * which it ends. A process that `npm start` began
 * also ends when that one is gone, however it ended: their channel closes with it.
 */
export function shutdownOnSignals(shutdown: Shutdown, isMember = false): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (!(isMember && shutdown.begun)) void shutdown.begin(signal);
    });
  }
  process.on('disconnect', () => {
    if (!shutdown.begun) void shutdown.begin('the starting process is gone');
  });
}

/** The time a balancer needs to notice that readiness went off; nothing in a local start. */
export async function waitForBalancers(seconds: number): Promise<void> {
  if (seconds > 0) await wait(seconds * 1000);
}
