import { AUTOCANNON } from '../measure/closed-loop.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import { SOCKET } from '../measure/socket-loop.ts';
import { median } from '../measure/statistics.ts';
import { inTurns, type Side, WARM_UP_ROUNDS, warmUp } from '../measure/turns.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { leaveToRounds } from '../surroundings/own-database.ts';
import { prepareSurroundings } from '../surroundings/service.ts';
import { checkBatchRows } from './bodies.ts';
import { fleetOf, sendNew } from './new-batches.ts';
import { type OtherPrograms, Others, reportRatios } from './others.ts';
import { type Run, SentBatches, verifyStored } from './run.ts';

export interface SmallBatchesOptions extends OtherPrograms {
  seed: string;
  /** Gateways that send at once: each number in turn. */
  gateways: number[];
  /** Rows of a batch: each number in turn. */
  rows: number[];
  /** Requests of one round, all gateways together. */
  requests: number;
  rounds: number;
  /** How old the rows are; 0: as young as gateways send them. Older ones are summed by quarter hour anew, and ask for it. */
  daysBack: number;
  /** API processes of the service. */
  processes: number;
  quietSeconds: number;
}

/** What P2' is promised for. */
const PROMISED = { rows: 100, gateways: 32, daysBack: 0, other: 'InfluxDB' };

/** Many gateways with small batches: the service and others in turn, for each number of rows and of gateways. */
export async function smallBatches(
  options: SmallBatchesOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  for (const rows of options.rows) checkBatchRows(rows);
  const surroundings = await prepareSurroundings({}, cleanup);
  const { database } = surroundings;
  const report = new Report('small-batches', await collectFacts(database), { ...options });
  const service = await surroundings.service('service', { API_PROCESSES: String(options.processes) });
  const others = await Others.start(options, report, cleanup);
  /* As in `ingest`. */
  const client = others.servers.length > 0 ? SOCKET : AUTOCANNON;
  await leaveToRounds(database);
  report.remarks.push('autovacuum leaves the snapshot table alone during this run');
  let isWarm = false;
  for (const rows of options.rows) {
    for (const gateways of options.gateways) {
      const size = { seed: options.seed, rows, gateways, daysBack: options.daysBack };
      say(`storing ${gateways} households`);
      const fleet = await fleetOf(surroundings, size);
      const common = { surroundings, service, client, report, say };
      const run: Run = { ...common, quietSecondsMax: options.quietSeconds, ...fleet };
      const sides = sidesOf(run, { others, requests: options.requests, gateways });
      await warmUp(sides, isWarm ? 0 : WARM_UP_ROUNDS);
      isWarm = true;
      const what = `${rows} rows, ${gateways} gateways`;
      const speeds = await inTurns(what, sides, options.rounds, say);
      const [ours = Number.NaN, ...theirs] = sides.map(({ name }) => median(speeds.get(name) ?? []));
      const compared = sides
        .slice(1)
        .map(({ name }, index) => ({ name, speed: theirs[index] ?? Number.NaN }));
      reportRatios(report, what, ours, compared);
      const judged = compared.find(({ name }) => name === PROMISED.other);
      const isPromised =
        rows === PROMISED.rows && gateways === PROMISED.gateways && options.daysBack === PROMISED.daysBack;
      if (isPromised && judged !== undefined) report.judge("P2'", ours / judged.speed, SOCKET.name);
      await verifyStored(run, `of ${what}`);
    }
  }
  await others.verify(report);
  return report;
}

interface Batches {
  others: Others;
  requests: number;
  gateways: number;
}

function sidesOf(run: Run, { others, requests, gateways: connections }: Batches): Side[] {
  return [
    { name: 'service', send: (leg) => sendNew(run, run.service, { ...leg, requests, connections }) },
    ...others.servers.map((server): Side => {
      const given = new SentBatches(run.sent.bodies);
      return {
        name: server.name,
        send: (leg) => others.send(run, server, { ...leg, connections }, given.take(requests)),
      };
    }),
  ];
}
