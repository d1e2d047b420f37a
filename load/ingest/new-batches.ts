import { measureLoop } from '../measure/leg.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { planFleet, removeFleet, storeFleet } from '../surroundings/seed.ts';
import type { Service, Surroundings } from '../surroundings/service.ts';
import { Bodies, checkBatchRows } from './bodies.ts';
import { beginSeconds } from './ingest.ts';
import { legContext, type Run, requireStored, SentBatches } from './run.ts';

export interface FleetOfSize {
  seed: string;
  gateways: number;
  /** Of one batch. */
  rows: number;
  /** 0: the minutes before now, as gateways send that are on time. */
  daysBack: number;
}

/** How long before now rows of now begin: five minutes later than what the job of sums takes for late. */
const NOW_SECONDS = 900;

/** A fleet of so many households, and batches of so many rows for it. `cleanup` takes it out of a database that is given. */
export async function fleetOf(
  { database, organization, kind }: Surroundings,
  { seed, gateways, rows, daysBack }: FleetOfSize,
  cleanup?: Cleanup,
): Promise<Pick<Run, 'sent' | 'assetKeys'>> {
  checkBatchRows(rows);
  const fleet = planFleet(`${seed}/${organization}/${rows}/${gateways}`, gateways);
  if (kind === 'given') cleanup?.add(() => removeFleet(database, organization, fleet));
  const keys = await storeFleet(database, organization, fleet);
  const bodies = new Bodies({
    ...{ fleet, keys, rows },
    ...(daysBack === 0
      ? { beginSeconds: Math.floor(Date.now() / 1000) - NOW_SECONDS, apart: 'milliseconds' }
      : { beginSeconds: beginSeconds(daysBack) }),
  });
  const options = daysBack === 0 ? { oldestSeconds: NOW_SECONDS } : {};
  return { sent: new SentBatches(bodies, options), assetKeys: [...keys.values()] };
}

export interface Sequence {
  name: string;
  /** 0: to warm up, and not reported. */
  round: number;
  requests: number;
  connections: number;
}

/** Sends batches that were not sent before; rows a second. */
export async function sendNew(
  run: Run,
  service: Service,
  { name, round, requests, connections }: Sequence,
): Promise<number> {
  const numbers = run.sent.take(requests);
  const bodies = numbers.map((number) => run.sent.bodies.at(number));
  const { leg, loop } = await measureLoop({ ...legContext(run), name, round, counting: 'stored' }, service, {
    ...{ connections, amount: requests, bodies },
    sendsAgain: true,
  });
  requireStored(run, `${name}, round ${round}`, loop.answers, numbers);
  if (round > 0) run.report.add(leg);
  return leg.rows_per_second;
}
