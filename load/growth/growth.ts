import { requireAnswers } from '../ingest/run.ts';
import { AnswerCounts } from '../measure/answers.ts';
import { AUTOCANNON, closedLoop } from '../measure/closed-loop.ts';
import { collectFacts } from '../measure/machine.ts';
import { postmasterOf, timed } from '../measure/processor.ts';
import { Report } from '../measure/report.ts';
import { median, percentiles } from '../measure/statistics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { WrongUse } from '../surroundings/failures.ts';
import { ASSETS_PER_HOUSEHOLD, planFleet, type SeededHousehold, storeFleet } from '../surroundings/seed.ts';
import { prepareSurroundings, type Service } from '../surroundings/service.ts';
import { openAnalysis } from './analysis.ts';
import { exportAll } from './exports.ts';
import { minutesToSend, SendingFleet } from './sending.ts';
import { bytesPerRow, store } from './store.ts';

export interface GrowthOptions {
  /** All of them send a row once a minute. */
  assets: number;
  /** How many rows the store has first, and up to how many it grows in tenfold steps. */
  from: number;
  rows: number;
  /** Minutes of the fleet between two checkpoints; what a row costs is measured with each of them in turn. */
  checkpointMinutes: number[];
  /** Whether it is also summed, compressed and asked. */
  questions: boolean;
  /** Whether the largest store is also exported. */
  exports: boolean;
  /** Newest lists that are read at each size in each round. */
  lists: number;
  rounds: number;
  quietSeconds: number;
  seed: string;
}

/**
 * The cost of a store and the speed of its answers as it grows: bytes of a row, storing it, newest lists, questions of
 * analysts.
 */
export async function growth(
  options: GrowthOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  if (options.assets % ASSETS_PER_HOUSEHOLD !== 0) {
    throw new WrongUse(`A household has ${ASSETS_PER_HOUSEHOLD} assets: --assets is a multiple of that`);
  }
  const surroundings = await prepareSurroundings({}, cleanup);
  const { database, redisPid, organization } = surroundings;
  const report = new Report('growth', await collectFacts(database), { ...options });
  const fleet = planFleet(`${options.seed}/${organization}`, options.assets / ASSETS_PER_HOUSEHOLD);
  const keys = await storeFleet(database, organization, fleet);
  const api = await surroundings.service('growth');
  const newest = (Math.floor(Date.now() / 60_000) - minutesToSend(options)) * 60;
  const analysis = options.questions
    ? await openAnalysis(surroundings, [...keys.values()], cleanup, say)
    : null;
  const postmaster = await postmasterOf(database);
  const lists: number[] = [];
  for (let rows = options.from; rows <= options.rows; rows *= 10) {
    const size = `${rows.toLocaleString('en')} rows`;
    say(`storing ${size}`);
    await store(database, [...keys.values()], { newest, instants: Math.ceil(rows / keys.size) });
    const bytesOfRow = await bytesPerRow(database);
    const sending = new SendingFleet(
      { database, redisPid, service: api, report },
      { fleet, keys, beginSeconds: newest + 60 },
    );
    say('reading newest lists while all assets send');
    const list = await timed({ service: api.pid, postmaster }, () =>
      sending.beside(() => newestLists(api, fleet, report, options)),
    );
    lists.push(list.result);
    say('sending faster than the clock');
    const figures = {
      bytes_of_row: bytesOfRow,
      newest_list_p99_ms: list.result,
      /* With what the fleet sends meanwhile. */
      newest_list_processor_ms: (list.processorSeconds * 1000) / (options.lists * (options.rounds + 1)),
      sending: await sending.costs(size, options),
      ...(await analysis?.ask(report, options.rounds)),
    };
    report.details[`at ${size}`] = figures;
    say(JSON.stringify(figures));
  }
  if (options.exports) await exportAll(surroundings, report, cleanup, say);
  if (lists.length > 1) report.judge('P5', (lists.at(-1) as number) / (lists[0] as number), AUTOCANNON.name);
  return report;
}

/** A household that sends is in its list. */
class NewestLists extends AnswerCounts {
  protected override take(body: string): boolean {
    return (JSON.parse(body) as { items: unknown[] }).items.length > 0;
  }
}

/** Milliseconds: the median of the rounds' 99th percentiles. */
async function newestLists(
  api: Service,
  fleet: readonly SeededHousehold[],
  report: Report,
  { lists, rounds }: GrowthOptions,
): Promise<number> {
  const headers = await api.headers();
  const p99s: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const { answers, latenciesMilliseconds } = await closedLoop({
      ...{ url: api.baseUrl, headers, connections: 1, amount: lists, answers: new NewestLists() },
      pathAt: (index) => `/asset-snapshots?filter[household][eq]=${fleet[(index * 7) % fleet.length]?.id}`,
    });
    requireAnswers(report, 'newest lists', answers, 200);
    /* The first one warms up. */
    if (round > 0) p99s.push(percentiles(latenciesMilliseconds).p99);
  }
  return median(p99s);
}
