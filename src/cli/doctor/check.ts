import { DateTime } from 'luxon';
import { isDiskFull, signInProblem } from '../../platform/database/pg-errors.ts';

/** `warning`: it works, and somebody should look. `failure`: something does not work, or what was stored may be lost. */
export type Level = 'ok' | 'warning' | 'failure';

export interface Finding {
  readonly level: Level;
  readonly found: string;
  /** What is wrong one by one, where that is more than a sentence. */
  readonly problems?: readonly string[];
  /** The remedy in one sentence; null where nothing is to be done. */
  readonly remedy: string | null;
}

export interface Check {
  readonly name: string;
  /** What to do where the check itself fails or does not end. */
  readonly remedy: string;
  look(signal: AbortSignal): Promise<Finding | readonly Finding[]>;
}

/** One line of the answer. */
export interface CheckLine extends Finding {
  readonly check: string;
}

export const ok = (found: string): Finding => ({ level: 'ok', found, remedy: null });
export const warning = (found: string, remedy: string): Finding => ({ level: 'warning', found, remedy });
export const failure = (found: string, remedy: string, problems?: readonly string[]): Finding => ({
  ...{ level: 'failure', found, remedy },
  ...(problems !== undefined && { problems }),
});

/** Each of these sentences is a failure; none: all is well. */
export function failures(problems: readonly string[], remedy: string, well: string): readonly Finding[] {
  return problems.length === 0 ? [ok(well)] : problems.map((problem) => failure(problem, remedy));
}

/** A check has so long. The calls of a check give up within the same time, or the process would not end. */
export const CHECK_MILLISECONDS = 5_000;

/** Whatever was asked: the server answers, or would. */
const DISK_FULL =
  'Make room on the disk of the database server, or give it a larger one: until then nothing is stored.';

const UNTRUSTED =
  'This machine does not trust the certificate: let the server send it with those between, renew it, or name your own authority in NODE_EXTRA_CA_CERTS.';

/** By the codes of TLS in Node, as DEPTH_ZERO_SELF_SIGNED_CERT. */
function isUntrusted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /CERT|UNABLE_TO_VERIFY/.test(String('code' in error && error.code)) || isUntrusted(error.cause);
}

/** All at once: a server that hangs costs the time of one check and not that of each. */
export async function examine(checks: readonly Check[]): Promise<CheckLine[]> {
  const found = await Promise.all(
    checks.map(async (check) => {
      const findings = await examined(check);
      return [findings].flat().map((finding) => ({ check: check.name, ...finding }));
    }),
  );
  return found.flat();
}

async function examined({ look, remedy }: Check): Promise<Finding | readonly Finding[]> {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(
      () => resolve(failure(`No answer within ${CHECK_MILLISECONDS / 1_000} s`, remedy)),
      CHECK_MILLISECONDS,
    );
  });
  try {
    return await Promise.race([
      look(ending.signal).catch((error: unknown) =>
        failure(sentenceOf(error), isDiskFull(error) ? DISK_FULL : isUntrusted(error) ? UNTRUSTED : remedy),
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

/** The deepest cause: the sentences around it say that something is unavailable. */
export function sentenceOf(error: unknown): string {
  const refused = signInProblem(error);
  if (refused !== undefined) return refused;
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return sentenceOf(error.cause);
  /* Of several addresses of one name each has its own. */
  if (error instanceof AggregateError) return error.errors.map(sentenceOf).join('; ');
  return error.message;
}

/**
 * Seconds by which this machine is ahead of the sender of an answer, by its `Date`; negative: behind it. As little as fits: the
 * header has whole seconds, and the answer was made between the two instants. Null without such a header.
 */
export function secondsAhead(
  header: string | string[] | undefined,
  sentAt: number,
  receivedAt: number,
): number | null {
  const told = httpMilliseconds(String(header));
  if (told === null) return null;
  return (Math.max(sentAt - told - 1_000, 0) - Math.max(told - receivedAt, 0)) / 1_000;
}

function httpMilliseconds(text: string): number | null {
  try {
    return DateTime.fromHTTP(text).toMillis() || null;
  } catch {
    return null;
  }
}
