import { measureLoop } from '../measure/leg.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import { SOCKET } from '../measure/socket-loop.ts';
import { median } from '../measure/statistics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { leaveToRounds } from '../surroundings/own-database.ts';
import { prepareSurroundings, type Service } from '../surroundings/service.ts';
import type { TargetName } from '../targets.ts';
import { checkBatchRows } from './bodies.ts';
import { fleetOf } from './new-batches.ts';
import { legContext, type Run, requireAnswers, verifyStored } from './run.ts';

export interface RepeatsOptions {
  seed: string;
  gateways: number;
  /** Rows of a batch: each number in turn. */
  rows: number[];
  /** Rows of one round, all gateways together, and requests of it at most. */
  roundRows: number;
  requests: number;
  rounds: number;
  quietSeconds: number;
}

/** Percent of the batches of a round that were sent before. */
const SHARES = [0, 1, 5, 100] as const;

/** A share is judged by what a batch costs beside it: processor time of service and database. */
const JUDGED: Partial<Record<(typeof SHARES)[number], TargetName>> = { 5: 'P3 some', 100: 'P3 all' };

/** How many batches later a gateway sends one again; of all gateways together. */
const LATER = 64;

/** Batches of which some were sent before, as after an outage: what a batch costs, by share and by rows. */
export async function repeats(
  options: RepeatsOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  for (const rows of options.rows) checkBatchRows(rows);
  const surroundings = await prepareSurroundings({}, cleanup);
  const report = new Report('repeats', await collectFacts(surroundings.database), { ...options });
  const service = await surroundings.service('repeats');
  await leaveToRounds(surroundings.database);
  for (const rows of options.rows) {
    const fleet = await fleetOf(surroundings, { ...options, rows, daysBack: 0 });
    const common = {
      surroundings,
      service,
      /* 32 gateways with 10,000 rows are told to send again, which autocannon cannot do. */
      client: SOCKET,
      report,
      quietSecondsMax: options.quietSeconds,
      say,
    };
    const run: Run = { ...common, ...fleet };
    const requests = Math.min(options.requests, Math.ceil(options.roundRows / rows));
    const costs = new Map<number, number[]>(SHARES.map((share) => [share, []]));
    for (let round = 0; round <= options.rounds; round += 1) {
      for (const share of SHARES) {
        say(`${rows} rows, round ${round}: ${share} % sent again`);
        const sent = { name: `${rows} rows, ${share} % again`, round, requests, share };
        const cost = await sendShare(run, service, { ...sent, connections: options.gateways });
        if (round > 0) costs.get(share)?.push(cost);
      }
    }
    const alone = median(costs.get(0) ?? []);
    for (const share of SHARES) {
      const cost = median(costs.get(share) ?? []);
      report.remarks.push(
        `${rows} rows, ${share} % sent again: ${cost.toFixed(3)} ms of processor time a batch, ${(cost / alone).toFixed(2)} times as much as without`,
      );
      const target = JUDGED[share];
      if (target !== undefined) report.judge(target, cost / alone, SOCKET.name);
    }
    await verifyStored(run, `of ${rows} rows`);
  }
  return report;
}

interface Share {
  name: string;
  round: number;
  requests: number;
  connections: number;
  share: number;
}

/** Milliseconds of processor time of service and database for a batch. A 503 is no answer here. */
async function sendShare(
  run: Run,
  service: Service,
  { name, round, requests, connections, share }: Share,
): Promise<number> {
  const isAgain = (index: number) =>
    Math.floor(((index + 1) * share) / 100) > Math.floor((index * share) / 100);
  const fresh = run.sent.take(requests + LATER);
  /* What is sent again was sent before the round, or in it. */
  const before = share === 0 ? [] : fresh.slice(0, share === 100 ? requests : LATER);
  const numbers: number[] = [];
  let next = before.length;
  for (let index = 0; index < requests; index += 1) {
    const again = share === 100 ? before[index] : (numbers[index - LATER] ?? before[index]);
    numbers.push((isAgain(index) ? again : fresh[next++]) as number);
  }
  const bodiesOf = (sent: readonly number[]) => sent.map((number) => run.sent.bodies.at(number));
  const send = (label: string, sent: readonly number[], counting: 'stored' | 'duplicates') => {
    const bodies = bodiesOf(sent);
    return measureLoop({ ...legContext(run), name: label, round, counting }, service, {
      connections,
      amount: sent.length,
      bodies,
    });
  };
  if (before.length > 0) await send('before', before, 'stored');
  const { leg, loop } = await send(name, numbers, share === 100 ? 'duplicates' : 'stored');
  requireAnswers(run.report, `${name}, round ${round}`, loop.answers, 200);
  run.sent.expectStored([...new Set([...before, ...numbers])]);
  if (round > 0) run.report.add(leg);
  const { service: ofService, database } = leg.processor_ms ?? { service: null, database: null };
  return (ofService ?? Number.NaN) + (database ?? Number.NaN);
}
