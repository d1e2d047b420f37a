import { AUTOCANNON } from '../measure/closed-loop.ts';
import { collectFacts } from '../measure/machine.ts';
import { metric } from '../measure/metrics.ts';
import { Report } from '../measure/report.ts';
import { median } from '../measure/statistics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { prepareSurroundings, type Service } from '../surroundings/service.ts';
import { fleetOf, sendNew } from './new-batches.ts';
import { type Run, verifyStored } from './run.ts';

export interface AuthenticationOptions {
  seed: string;
  gateways: number;
  /** Batches of 10,000 rows of one round. */
  batches: number;
  /** Small batches of each gateway in one round. */
  requests: number;
  rounds: number;
  quietSeconds: number;
}

const DAYS_BACK = 60;
const SMALL_ROWS = 100;
const LARGE_ROWS = 10_000;
const WARM_UP_REQUESTS = 40;
/** Nobody listens there: each process counts requests by itself, as it does while Redis is away. */
const NO_REDIS = 'redis://127.0.0.1:1';

/**
 * What it costs to know who sends and to count the request. The share of authentication is taken from requests that are
 * sent one after the other: of many at once most of the time is waiting, and every share of it looks small. Then small
 * batches of many gateways, counted in Redis and counted in the process alone, in turn.
 */
export async function authentication(
  options: AuthenticationOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  const surroundings = await prepareSurroundings({}, cleanup);
  const report = new Report('authentication', await collectFacts(surroundings.database), { ...options });
  say('starting the service twice');
  const shared = await surroundings.service('counted in Redis');
  const alone = await surroundings.service('counted in the process', { REDIS_URL: NO_REDIS });
  const sending = { service: shared, client: AUTOCANNON, quietSecondsMax: options.quietSeconds };
  const common = { surroundings, report, say, ...sending };

  const sized = (rows: number) => ({ ...options, rows, daysBack: DAYS_BACK });
  const small: Run = { ...common, ...(await fleetOf(surroundings, sized(SMALL_ROWS))) };
  const { gateways, rounds } = options;
  const turnOf = async (service: Service, name: string, round: number, requests: number): Promise<number> =>
    await sendNew(small, service, { name, round, requests, connections: gateways });
  for (const service of [shared, alone]) await turnOf(service, 'warm-up', 0, WARM_UP_REQUESTS);
  /* As long as a token is remembered, or longer: in a short run the one look into the database would weigh too much. */
  const oneByOne = { name: '100 rows, one by one', requests: options.requests * gateways, connections: 1 };
  const speeds: { shared: number[]; alone: number[] } = { shared: [], alone: [] };
  const shares: { small: number[]; large: number[] } = { small: [], large: [] };
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round}: batches of ${SMALL_ROWS} rows, one by one, then of ${gateways} gateways`);
    shares.small.push(
      await shareOfAuthentication(shared, () => sendNew(small, shared, { ...oneByOne, round })),
    );
    await sendNew(small, alone, { ...oneByOne, name: `${oneByOne.name}, counted alone`, round });
    const turns = [
      async () => {
        const name = '100 rows, counted in Redis';
        speeds.shared.push(await turnOf(shared, name, round, options.requests * gateways));
      },
      async () => {
        const name = '100 rows, counted alone';
        speeds.alone.push(await turnOf(alone, name, round, options.requests * gateways));
      },
    ];
    for (const turn of round % 2 === 1 ? turns : turns.toReversed()) await turn();
  }
  report.judge('A1 100 rows', median(shares.small), AUTOCANNON.name);
  report.judge('A2', median(speeds.shared) / median(speeds.alone), AUTOCANNON.name);
  report.details['requests counted alone in spite of Redis'] = await metric(
    shared,
    'voltstream_rate_limit_process_decisions_total',
  );
  await verifyStored(small, 'in small batches');

  const large: Run = { ...common, ...(await fleetOf(surroundings, sized(LARGE_ROWS))) };
  const sequence = { name: '10,000 rows, one by one', requests: options.batches, connections: 1 };
  await sendNew(large, shared, { ...sequence, name: 'warm-up', round: 0 });
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round}: ${options.batches} batches of ${LARGE_ROWS} rows, one by one`);
    shares.large.push(
      await shareOfAuthentication(shared, () => sendNew(large, shared, { ...sequence, round })),
    );
  }
  report.judge('A1 10,000 rows', median(shares.large), AUTOCANNON.name);
  await verifyStored(large, 'in large batches');
  return report;
}

const AUTHENTICATION = 'voltstream_authentication_seconds_sum';
const REQUESTS = 'voltstream_http_request_duration_seconds_sum{route="POST /asset-snapshots",status="200"}';

/** Percent of the time of the requests that were sent meanwhile, by the clock of the service itself. */
async function shareOfAuthentication(service: Service, work: () => Promise<unknown>): Promise<number> {
  const before = [await metric(service, AUTHENTICATION), await metric(service, REQUESTS)] as const;
  await work();
  const after = [await metric(service, AUTHENTICATION), await metric(service, REQUESTS)] as const;
  return (100 * (after[0] - before[0])) / (after[1] - before[1]);
}
