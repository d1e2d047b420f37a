import { setTimeout as wait } from 'node:timers/promises';
import { measureLoop } from '../measure/leg.ts';
import { median } from '../measure/statistics.ts';
import { ASSETS_PER_HOUSEHOLD } from '../surroundings/seed.ts';
import type { Neighbour } from './neighbour.ts';
import { legContext, type Run, requireAnswers } from './run.ts';

export interface SendAgainOptions {
  households: number;
  rounds: number;
  connections: number;
  neighbour: Neighbour;
}

const ALONE_MILLISECONDS = 2_000;

/**
 * Batches that are stored already: once as they were sent, so that their rows lie side by side, and once with rows from
 * everything that a household ever sent. Another household sends single rows meanwhile, before and after.
 */
export async function sendAgain(
  run: Run,
  numbers: readonly number[],
  options: SendAgainOptions,
  rowsPerSecondOfNew: number,
): Promise<void> {
  const dense = numbers.map((number) => run.sent.bodies.at(number));
  const sparse = sparseBodies(run, numbers, options);
  const speeds: Record<string, number[]> = { dense: [], sparse: [] };
  const waited: Record<string, number[]> = { before: [], dense: [], sparse: [], after: [] };
  const alone = async () => (await options.neighbour.beside(() => wait(ALONE_MILLISECONDS))).milliseconds;
  for (let round = 1; round <= options.rounds; round += 1) {
    waited.before?.push(await alone());
    for (const [kind, bodies] of [
      ['dense', dense],
      ['sparse', sparse],
    ] as const) {
      run.say(`round ${round}: ${bodies.length} batches sent again, ${kind}`);
      const name = kind === 'dense' ? 'service, sent again' : 'service, sent again, sparse';
      const { result, milliseconds } = await options.neighbour.beside((onBegin) =>
        measureLoop({ ...legContext(run), name, round, counting: 'duplicates' }, run.service, {
          connections: options.connections,
          amount: bodies.length,
          bodies,
          onBegin,
        }),
      );
      const { leg, loop } = result;
      requireAnswers(run.report, `${name}, round ${round}`, loop.answers, 200);
      if (loop.answers.stored > 0)
        run.report.problems.push(`${name}: ${loop.answers.stored} rows called stored`);
      run.report.add(leg);
      speeds[kind]?.push(leg.rows_per_second);
      waited[kind]?.push(milliseconds);
    }
    waited.after?.push(await alone());
  }
  run.report.problems.push(...options.neighbour.problems);
  run.report.details.neighbour_ms = waited;
  const shown = (kind: string) => `${median(waited[kind] ?? []).toFixed(1)} ms`;
  run.report.remarks.push(
    `another household's single row, median: ${shown('before')} before, ${shown('dense')} beside batches sent again, ` +
      `${shown('sparse')} beside sparse ones, ${shown('after')} after`,
  );
  run.report.judge('P3', median(speeds.dense ?? []) / rowsPerSecondOfNew, run.client.name);
  run.report.judge('P3 sparse', median(speeds.sparse ?? []) / rowsPerSecondOfNew, run.client.name);
  run.report.judge('P3 neighbour', median(waited.sparse ?? []) / median(waited.dense ?? []), 'undici');
}

interface SentBody {
  household: string;
  snapshots: unknown[];
}

/**
 * As many batches as a round has, each with every so-manieth instant of all that its household sent up to the last of
 * `numbers`. Batch n is of household n % households.
 */
function sparseBodies(run: Run, numbers: readonly number[], { households }: SendAgainOptions): Buffer[] {
  const sentCount = Math.max(...numbers) + 1;
  return numbers.map((number) => {
    const ofHousehold: number[] = [];
    for (let sent = number % households; sent < sentCount; sent += households) ofHousehold.push(sent);
    const bodies = ofHousehold.map((sent) => JSON.parse(run.sent.bodies.at(sent).toString()) as SentBody);
    const snapshots = bodies.flatMap((body, turn) =>
      body.snapshots.filter((_, row) => Math.floor(row / ASSETS_PER_HOUSEHOLD) % ofHousehold.length === turn),
    );
    return Buffer.from(JSON.stringify({ household: bodies[0]?.household, snapshots }));
  });
}
