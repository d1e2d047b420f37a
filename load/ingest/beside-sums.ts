import { median } from '../measure/statistics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { sendRound } from './rounds.ts';
import type { Run } from './run.ts';
import { openSums, type SumsBeside } from './sums.ts';

/**
 * New batches in turn without the job that sums by quarter hour and beside it. Its runs follow each other at once, where the
 * service begins one every five minutes: the worst that it can do to a writer. All rows are weeks old, so that each of
 * them is summed as a late one.
 */
export async function besideSums(
  run: Run,
  { rounds, batches, connections }: { rounds: number; batches: number; connections: number },
  cleanup: Cleanup,
): Promise<void> {
  const sums = openSums(run.surroundings, cleanup);
  const speeds = { without: [] as number[], beside: [] as number[] };
  const worked: SumsBeside[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const send = async (name: string) => {
      return await sendRound(run, { name, round, connections }, run.sent.take(batches));
    };
    const turns = [
      async () => void speeds.without.push(await send('without sums')),
      async () => {
        worked.push(await sums.beside(async () => void speeds.beside.push(await send('beside sums'))));
      },
    ];
    if (round % 2 === 0) turns.reverse();
    for (const turn of turns) {
      run.say(`round ${round}: summing what is stored, then ${batches} batches`);
      await sums.untilCurrent();
      await turn();
    }
  }
  run.report.details['sums beside batches'] = worked;
  run.report.judge('P1 sums', median(speeds.beside) / median(speeds.without), run.client.name);
}
