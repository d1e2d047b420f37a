import type { AnswerCounts } from '../measure/answers.ts';
import type { LoopClient } from '../measure/closed-loop.ts';
import type { LegContext } from '../measure/leg.ts';
import type { Report } from '../measure/report.ts';
import { WrongUse } from '../surroundings/failures.ts';
import type { Service, Surroundings } from '../surroundings/service.ts';
import { addSums, type Bodies, NO_SUMS, type Sums } from './bodies.ts';
import { countStored, differences } from './stored.ts';

/** Before this, so that clocks that differ a little make no row one of the future. */
const FUTURE_MARGIN_SECONDS = 600;

/** The batches of one run: which were sent, and what the database must hold because of it. */
export class SentBatches {
  readonly bodies: Bodies;
  expected: Sums = NO_SUMS;
  readonly #oldestSeconds: number;
  #next = 0;

  /** `oldestSeconds`: what would be older than this when its turn comes is left out, so that a long run sends nothing late. */
  constructor(bodies: Bodies, { oldestSeconds = Number.POSITIVE_INFINITY } = {}) {
    this.bodies = bodies;
    this.#oldestSeconds = oldestSeconds;
  }

  /** The numbers of the next `count` batches, none of which was sent before. */
  take(count: number): number[] {
    this.#next = Math.max(this.#next, this.bodies.numberAt(Date.now() / 1000 - this.#oldestSeconds));
    const numbers = Array.from({ length: count }, (_, index) => this.#next + index);
    this.#next += count;
    const end = this.bodies.endSecondsAt(this.#next - 1);
    if (end > Date.now() / 1000 - FUTURE_MARGIN_SECONDS) {
      throw new WrongUse('So many rows reach into the future: use more --households, or fewer batches');
    }
    return numbers;
  }

  /** These batches have to be in the database from now on. */
  expectStored(numbers: readonly number[]): void {
    for (const number of numbers) this.expected = addSums(this.expected, this.bodies.sumsAt(number));
  }
}

export interface Run {
  surroundings: Surroundings;
  service: Service;
  /** Sends the batches. */
  client: LoopClient;
  sent: SentBatches;
  /** Internal keys of all assets of the fleet. */
  assetKeys: readonly number[];
  report: Report;
  quietSecondsMax: number;
  say(line: string): void;
}

/** What every measured leg of the run has in common. */
export function legContext(
  run: Run,
): Pick<LegContext, 'database' | 'workers' | 'redisPid' | 'quietSecondsMax'> & Pick<Run, 'client'> {
  const { database, workers, redisPid } = run.surroundings;
  return { database, workers, redisPid, quietSecondsMax: run.quietSecondsMax, client: run.client };
}

/** Anything but `status` on every request fails the run. */
export function requireAnswers(report: Report, what: string, answers: AnswerCounts, status: number): void {
  if (answers.allWere(status)) return;
  const counts = Object.entries(answers.byStatus).map(([name, count]) => `${count} × ${name}`);
  if (answers.lost > 0) counts.push(`${answers.lost} without an answer`);
  report.problems.push(
    `${what}: ${counts.join(', ')} instead of ${status} only; ${answers.problems[0] ?? ''}`,
  );
}

/** Batches that were not sent before: all their rows have to be acknowledged, and in the database from now on. */
export function requireStored(
  { report, sent }: Pick<Run, 'report' | 'sent'>,
  what: string,
  answers: AnswerCounts,
  numbers: readonly number[],
): void {
  requireAnswers(report, what, answers, 200);
  const [rows, acknowledged] = [numbers.length * sent.bodies.rows, answers.stored + answers.duplicates];
  if (acknowledged !== rows) report.problems.push(`${what}: ${acknowledged} of ${rows} rows acknowledged`);
  sent.expectStored(numbers);
}

/** Counts and sums what is stored; whatever differs from what was sent fails the run. */
export async function verifyStored(run: Run, when: string): Promise<string> {
  run.say(`counting what is stored ${when}`);
  const stored = await countStored(run.surroundings.database, 'asset_snapshots', run.assetKeys);
  run.report.problems.push(...differences(`asset_snapshots ${when}`, run.sent.expected, stored));
  run.report.details[`stored ${when}`] = stored;
  return stored.hash;
}
