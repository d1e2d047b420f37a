import { AnswerCounts } from '../measure/answers.ts';
import { AUTOCANNON } from '../measure/closed-loop.ts';
import { measure, measureLoop } from '../measure/leg.ts';
import { collectFacts } from '../measure/machine.ts';
import { type Strain, underStrain } from '../measure/metrics.ts';
import { openLoop } from '../measure/open-loop.ts';
import { Report } from '../measure/report.ts';
import { table } from '../measure/table.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { leaveToRounds } from '../surroundings/own-database.ts';
import { type AddressOptions, prepareSurroundings } from '../surroundings/service.ts';
import { fleetOf } from './new-batches.ts';
import { legContext, type Run, verifyStored } from './run.ts';

export interface SaturateOptions extends AddressOptions {
  seed: string;
  /** Of one batch. */
  rows: number;
  gateways: number;
  /** p99 at most, from the moment at which a batch was meant to leave. */
  boundMilliseconds: number;
  /** At each rate. */
  seconds: number;
  /** Rates that are tried at most. */
  steps: number;
  /** API processes of the service; only of a service of the run's own. */
  processes: number;
  quietSeconds: number;
}

/** One rate that was tried. */
export interface Step extends Strain {
  /** Batches a second that were meant to leave, and that were answered. */
  rate: number;
  achieved: number;
  p50: number;
  p99: number;
  /** Answers other than 200, and requests without one. */
  refused: number;
}

/** A service that answers fewer falls behind: its queue grows for as long as this goes on. */
const ACHIEVED_MIN = 0.97;
/** Rates that are tried lie on one ladder, each a twentieth above the one below: two runs have rates in common. */
const RUNGS_OF_TEN_TIMES = 48;
const [RUNGS_UP, RUNGS_DOWN] = [7, 14];
/** Of the speed of the closed loop: where the search begins. */
const FIRST_SHARE = 0.5;
const CLOSED_CONNECTIONS = 32;

export function holds({ rate, achieved, p99, refused }: Step, boundMilliseconds: number): boolean {
  return p99 <= boundMilliseconds && achieved >= rate * ACHIEVED_MIN && refused === 0;
}

const rungOf = (rate: number) => Math.round(RUNGS_OF_TEN_TIMES * Math.log10(rate));
const rateAt = (rung: number) => Number((10 ** (rung / RUNGS_OF_TEN_TIMES)).toPrecision(3));

/** The highest rate below all that failed, the lowest that failed, and the highest that held, perhaps by chance. */
export function border(steps: readonly Step[], boundMilliseconds: number) {
  const rates = (held: boolean) =>
    steps.filter((step) => holds(step, boundMilliseconds) === held).map(({ rate }) => rate);
  const failed = Math.min(...rates(false));
  return {
    held: Math.max(0, ...rates(true).filter((rate) => rate < failed)),
    failed,
    heldOnce: Math.max(0, ...rates(true)),
  };
}

/** The rate between the highest that held and the lowest that did not; undefined where they are neighbours. */
export function nextRate(steps: readonly Step[], boundMilliseconds: number): number | undefined {
  const { held, failed } = border(steps, boundMilliseconds);
  if (failed === Number.POSITIVE_INFINITY) return rateAt(rungOf(held) + RUNGS_UP);
  if (held === 0) return rateAt(rungOf(failed) - RUNGS_DOWN);
  const [low, high] = [rungOf(held), rungOf(failed)];
  return high - low <= 1 ? undefined : rateAt(Math.floor((low + high) / 2));
}

/**
 * The rate of new batches at which p99 leaves its bound. autocannon says in a closed loop what the service can do at most;
 * then batches leave at fixed moments, whether earlier ones are answered or not, at one rate after the other.
 */
export async function saturate(
  options: SaturateOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  const { rows, gateways, boundMilliseconds } = options;
  const surroundings = await prepareSurroundings(options, cleanup);
  const { databaseUrl: _url, ...configuration } = options;
  const report = new Report('saturate', await collectFacts(surroundings.database), configuration);
  const service = await surroundings.service('saturate', { API_PROCESSES: String(options.processes) });
  if (surroundings.kind === 'own') {
    await leaveToRounds(surroundings.database);
    report.remarks.push('autovacuum leaves the snapshot table alone during this run');
  }
  const fleet = await fleetOf(surroundings, { seed: options.seed, gateways, rows, daysBack: 0 }, cleanup);
  const common = { surroundings, service, client: AUTOCANNON, report, say };
  const run: Run = { ...common, quietSecondsMax: options.quietSeconds, ...fleet };

  let ceiling = await closedLoop(run, 500, 0);
  ceiling = await closedLoop(run, Math.max(50, Math.round(ceiling * options.seconds)), 1);
  say(`closed loop: ${ceiling.toFixed(0)} batches a second at most`);

  const steps: Step[] = [];
  const tryRate = async (rate: number, round: number) => {
    const step = await atRate(run, rate, { seconds: options.seconds, round });
    steps.push(step);
    const verdict = holds(step, boundMilliseconds) ? 'held' : 'left its bound';
    say(`${rate} batches a second: p99 ${step.p99.toFixed(1)} ms, ${verdict}`);
  };
  let rate: number | undefined = rateAt(rungOf(ceiling * FIRST_SHARE));
  while (rate !== undefined && steps.length < options.steps) {
    await tryRate(rate, 1);
    rate = nextRate(steps, boundMilliseconds);
  }
  const found = border(steps, boundMilliseconds);
  for (const again of [found.held, found.failed]) {
    if (again > 0 && Number.isFinite(again)) await tryRate(again, 2);
  }
  const { held, heldOnce } = border(steps, boundMilliseconds);
  report.details.saturation = {
    closed_loop_per_second: ceiling,
    batches_per_second: held,
    batches_per_second_once: heldOnce,
    rows_per_second: held * rows,
  };
  report.details.steps = steps;
  report.tables.push(drawn(steps, boundMilliseconds));
  report.remarks.push(...saturationText({ held, heldOnce }, options));
  await verifyStored(run, 'at the end');
  return report;
}

/** What a reader may take from the steps. */
export function saturationText(
  { held, heldOnce }: Pick<ReturnType<typeof border>, 'held' | 'heldOnce'>,
  { boundMilliseconds, rows }: Pick<SaturateOptions, 'boundMilliseconds' | 'rows'>,
): string[] {
  const within = `p99, from the intended send time, stays within ${boundMilliseconds} ms`;
  if (heldOnce === 0) return [`p99 stayed above ${boundMilliseconds} ms at every rate that was tried`];
  const first = held === 0 ? 'at no rate in each try' : `up to ${held} batches a second, ${held * rows} rows`;
  if (heldOnce === held) return [`${within} ${first}`];
  return [
    `${within} ${first}; of what was tried above, ${heldOnce} batches a second held once, and a lower rate did not: something else used the machine, or it is not even. Run it again with more --seconds`,
  ];
}

/** Batches a second. */
async function closedLoop(run: Run, requests: number, round: number): Promise<number> {
  const numbers = run.sent.take(requests);
  const { leg, loop } = await measureLoop(
    { ...legContext(run), name: 'closed loop', round, counting: 'stored' },
    run.service,
    {
      connections: CLOSED_CONNECTIONS,
      amount: requests,
      bodies: { at: (index) => run.sent.bodies.at(numbers[index] ?? 0) },
      answers: new TakenBatches(run, numbers),
    },
  );
  if (round > 0) run.report.add(leg);
  return loop.answers.byStatus['200'] === undefined ? 0 : loop.answers.byStatus['200'] / loop.seconds;
}

async function atRate(
  run: Run,
  rate: number,
  { seconds, round }: { seconds: number; round: number },
): Promise<Step> {
  const amount = Math.max(20, Math.round(rate * seconds));
  const numbers = run.sent.take(amount);
  const headers = await run.service.headers();
  const { leg, result } = await measure(
    { ...legContext(run), name: `${rate} a second`, round, servicePid: run.service.pid },
    async () => {
      const { result: loop, strain } = await underStrain(run.service, () =>
        openLoop({
          url: `${run.service.baseUrl}/asset-snapshots`,
          ...{ headers, rate, amount },
          bodyAt: (index) => run.sent.bodies.at(numbers[index] ?? 0),
          answers: new TakenBatches(run, numbers),
        }),
      );
      return { loop, strain, rows: loop.answers.stored };
    },
  );
  const { achievedRate, answers } = result.loop;
  if (answers.lost > 0)
    run.report.problems.push(`${leg.name}: ${answers.lost} without an answer; ${answers.problems[0]}`);
  run.report.add(leg);
  const { p50 = Number.NaN, p99 = Number.NaN } = leg.latency_ms ?? {};
  const refused = amount - (answers.byStatus['200'] ?? 0);
  return { rate, achieved: achievedRate, p50, p99, refused, ...result.strain };
}

/** Above its rate the service turns batches away: only those that it took have to be in the database. */
class TakenBatches extends AnswerCounts {
  readonly #run: Run;
  readonly #numbers: readonly number[];

  constructor(run: Run, numbers: readonly number[]) {
    super();
    this.#run = run;
    this.#numbers = numbers;
  }

  protected override take(body: string, index: number): boolean {
    this.#run.sent.expectStored([this.#numbers[index] ?? Number.NaN]);
    return super.take(body, index);
  }
}

const BAR_CHARACTERS = 40;

/**
 * p99 over the rate, lowest rate first, and what the service told of itself: where it saturates. With a late event loop
 * it lacks processor time; with slow groups and batches that wait for one the database is behind. The bars are
 * logarithmic: a queue makes p99 grow a hundredfold.
 */
export function drawn(steps: readonly Step[], boundMilliseconds: number): string {
  const ordered = [...steps].sort((left, right) => left.rate - right.rate);
  const longest = Math.log10(Math.max(boundMilliseconds, ...ordered.map(({ p99 }) => p99)) + 1);
  const length = (milliseconds: number) =>
    Math.max(1, Math.round((BAR_CHARACTERS * Math.log10(milliseconds + 1)) / longest));
  const bound = length(boundMilliseconds);
  const bar = (milliseconds: number) => {
    const filled = '█'.repeat(length(milliseconds));
    return filled.length < bound ? `${filled.padEnd(bound - 1)}│` : filled;
  };
  return table(
    [
      ...['batches/s', 'answered/s', 'p50 ms', 'p99 ms', 'refused'],
      ...['loop ms', 'waiting', 'group ms', 'group rows', `p99, logarithmic, │ at ${boundMilliseconds} ms`],
    ],
    ordered.map(({ rate, achieved, p50, p99, refused, loop_ms, waiting, group_ms, group_rows }) => [
      ...[String(rate), achieved.toFixed(0), p50.toFixed(1), p99.toFixed(1), String(refused)],
      ...[loop_ms?.toFixed(1), waiting?.toFixed(0), group_ms?.toFixed(1), group_rows?.toFixed(0)].map(
        (text) => text ?? '–',
      ),
      bar(p99),
    ]),
  );
}
