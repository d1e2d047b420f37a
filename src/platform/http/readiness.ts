import { performance } from 'node:perf_hooks';
import type { DatabaseClock } from '../clock.ts';
import { adjustClock } from '../database/clock-difference.ts';
import { type Database, openDatabase } from '../database/db.ts';
import { signInProblem } from '../database/pg-errors.ts';
import type { Logger } from '../log/logger.ts';
import type { ProcessGroup } from '../process/group/member.ts';

/** One thing that must be in order before requests or jobs are taken. */
export interface ReadinessProbe {
  name: string;
  /** How long "all is well" is good for; problems are asked about again after two seconds. */
  cacheSeconds: number;
  /** What is not in order, one sentence each; none when all is well. */
  problems(): Promise<string[]>;
}

export interface Readiness {
  /** Reasons why this process should get no work now; empty when it is ready. Never throws. */
  reasons(): Promise<string[]>;
  /** Asks all probes regularly, so that the clock stays right without anybody calling. */
  watch(): void;
  /** From now on the process is not ready; open connections are told to close with their next answer. */
  startClosing(): void;
  readonly closing: boolean;
  /** Ends the regular asking. */
  stop(): void;
}

/** Schema, roles and settings change by an operator's act only. */
export const BOOT_CACHE_SECONDS = 10;

const PROBE_TIMEOUT_MILLISECONDS = 1_000;
const PROBLEM_CACHE_MILLISECONDS = 2_000;
const WATCH_MILLISECONDS = 2_000;
/** Processes whose clocks differ by more than this disagree about what lies in the future. */
const CLOCK_DIFFERENCE_MILLISECONDS_MAX = 2_000;

export function createReadiness(
  log: Logger,
  probes: readonly ReadinessProbe[],
  group?: Pick<ProcessGroup, 'missing'>,
): Readiness {
  const cached = probes.map((probe) => cachedProbe(probe));
  let closing = false;
  let timer: NodeJS.Timeout | undefined;
  let said = '';

  async function reasons(): Promise<string[]> {
    const found = (await Promise.all(cached.map((ask) => ask()))).flat();
    const text = found.join('; ');
    if (text !== said) {
      if (found.length > 0) log.warn({ reasons: found }, 'not ready');
      else log.info('ready again');
      said = text;
    }
    /* Known without asking, and said in the log by the primary process. */
    const missing = group?.missing() ?? [];
    return [...(closing ? ['The process is closing'] : []), ...missing, ...found];
  }

  return {
    reasons,
    watch: () => {
      timer ??= setInterval(() => void reasons(), WATCH_MILLISECONDS).unref();
    },
    startClosing: () => {
      closing = true;
    },
    get closing() {
      return closing;
    },
    stop: () => clearInterval(timer),
  };
}

/** Callers at the same moment share one question; a question without an answer is a problem of its own. */
function cachedProbe(probe: ReadinessProbe): () => Promise<string[]> {
  let goodUntil = Number.NEGATIVE_INFINITY;
  let answer: Promise<string[]> = Promise.resolve([]);
  return () => {
    const now = performance.now();
    if (now < goodUntil) return answer;
    goodUntil = now + PROBLEM_CACHE_MILLISECONDS;
    answer = answered(probe).then((problems) => {
      if (problems.length === 0) goodUntil = now + probe.cacheSeconds * 1000;
      return problems;
    });
    return answer;
  };
}

async function answered(probe: ReadinessProbe): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string[]>((resolve) => {
    timer = setTimeout(
      () => resolve([`${probe.name}: no answer within ${PROBE_TIMEOUT_MILLISECONDS / 1000} s`]),
      PROBE_TIMEOUT_MILLISECONDS,
    );
  });
  const problems = probe.problems().catch((error: unknown) => {
    const what = signInProblem(error) === undefined ? 'not reachable' : 'refuses the sign-in';
    return [`${probe.name}: ${what} (${shortReason(error)})`];
  });
  try {
    return await Promise.race([problems, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The deepest cause by its code, because its sentence may name hosts that callers need not know. */
function shortReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.cause !== undefined) return shortReason(error.cause);
  const code = (error as NodeJS.ErrnoException).code;
  return code ?? error.message;
}

/**
 * A connection of its own: readiness must not wait behind the requests of a busy pool, and the waiting would spoil the
 * measurement of the clock.
 */
export function openProbeDatabase(url: string, applicationName: string): Database {
  return openDatabase({
    url,
    applicationName,
    connectionsMax: 1,
    connectTimeoutMilliseconds: PROBE_TIMEOUT_MILLISECONDS,
    /* A lost connection shows in the next answer of the probe. */
    onError: () => {},
  });
}

/**
 * The database answers, and its clock is near ours. The measured difference goes into the clock, so
 * that all processes agree on "now".
 */
export function databaseProbe(
  database: Database,
  clock: DatabaseClock,
  wallMilliseconds: () => number = Date.now,
): ReadinessProbe {
  return {
    name: 'Database',
    cacheSeconds: WATCH_MILLISECONDS / 1000,
    problems: async () => {
      const difference = await adjustClock(database, clock, wallMilliseconds);
      const problems: string[] = [];
      if (Math.abs(difference) > CLOCK_DIFFERENCE_MILLISECONDS_MAX) {
        const seconds = (difference / 1000).toFixed(1);
        problems.push(`Clock: this machine and the database differ by ${seconds} s, at most 2 s are allowed`);
      }
      return problems;
    },
  };
}
