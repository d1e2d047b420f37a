import type pg from 'pg';
import { measureLoop } from '../measure/leg.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import { median } from '../measure/statistics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { planFleet, storeFleet } from '../surroundings/seed.ts';
import { prepareSurroundings, type Service } from '../surroundings/service.ts';
import { Bodies, checkBatchRows } from './bodies.ts';
import { beginSeconds } from './ingest.ts';
import { bodyOf } from './rounds.ts';
import { legContext, type Run, requireAnswers, SentBatches, verifyStored } from './run.ts';

export interface SmallBatchesOptions {
  seed: string;
  gateways: number;
  rows: number;
  /** Requests of one gateway in one round. */
  requests: number;
  rounds: number;
  quietSeconds: number;
}

const DAYS_BACK = 30;

/** Many gateways with small batches: the service as it is, and the same program with group commit switched off. */
export async function smallBatches(
  options: SmallBatchesOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  checkBatchRows(options.rows);
  const surroundings = await prepareSurroundings({}, cleanup);
  const { database, organization } = surroundings;
  const report = new Report('small-batches', await collectFacts(database), { ...options });
  const fleet = planFleet(`${options.seed}/${organization}`, options.gateways);
  const keys = await storeFleet(database, organization, fleet);
  const sent = new SentBatches(
    new Bodies({ fleet, keys, rows: options.rows, beginSeconds: beginSeconds(DAYS_BACK) }),
  );
  say('starting the service twice');
  const grouped = await surroundings.service('group commit');
  const single = await surroundings.service('one by one', { INGEST_GROUP_COMMIT: 'false' });
  const run: Run = {
    surroundings,
    service: grouped,
    sent,
    assetKeys: [...keys.values()],
    report,
    quietSecondsMax: options.quietSeconds,
    say,
  };

  await leaveToRounds(database);
  report.remarks.push('autovacuum leaves the snapshot table alone during this run, on either side');
  /* As long as a round: after 1,300 requests V8 was not done with compiling, and the first rounds were a fifth slower. */
  for (const service of [grouped, single]) await sendOnce(run, service, 'warm-up', 0, options);
  const speeds: Record<string, number[]> = { 'group commit': [], 'one by one': [] };
  for (let round = 1; round <= options.rounds; round += 1) {
    const turns: [string, Service][] = [
      ['group commit', grouped],
      ['one by one', single],
    ];
    if (round % 2 === 0) turns.reverse();
    for (const [name, service] of turns) {
      say(`round ${round}: ${options.gateways} gateways, ${name}`);
      speeds[name]?.push(await sendOnce(run, service, name, round, options));
    }
  }
  report.judge('P2', median(speeds['group commit'] ?? []) / median(speeds['one by one'] ?? []));
  await verifyStored(run, 'at the end');
  return report;
}

/**
 * Autovacuum comes once a minute and reads what was inserted for up to twenty seconds, in the turn of whichever side it
 * falls. The database is the run's own.
 */
async function leaveToRounds(database: pg.ClientBase): Promise<void> {
  await database.query('ALTER TABLE asset_snapshots SET (autovacuum_enabled = off)');
}

async function sendOnce(
  run: Run,
  service: Service,
  name: string,
  round: number,
  options: SmallBatchesOptions,
): Promise<number> {
  const numbers = run.sent.take(options.requests * options.gateways);
  const bodies = numbers.map((number) => run.sent.bodies.at(number));
  const { leg, loop } = await measureLoop({ ...legContext(run), name, round, counting: 'stored' }, service, {
    connections: options.gateways,
    amount: bodies.length,
    bodyAt: (index) => bodyOf(bodies, index),
  });
  requireAnswers(run.report, `${name}, round ${round}`, loop.answers, 200);
  run.sent.expectStored(numbers);
  if (round > 0) run.report.add(leg);
  return leg.requests_per_second ?? Number.NaN;
}
