import { gzipSync } from 'node:zlib';
import { closedLoop } from '../measure/closed-loop.ts';
import { measure, measureLoop, withAnswers } from '../measure/leg.ts';
import { median } from '../measure/statistics.ts';
import { BASELINE_TABLE, copyByPsql, removeCopyFile, writeCopyFile } from './baseline.ts';
import { type Influx, lineProtocol } from './influx.ts';
import type { Neighbour } from './neighbour.ts';
import { legContext, type Run, requireAnswers, verifyStored } from './run.ts';
import { sendAgain } from './sent-again.ts';
import { countStored } from './stored.ts';

export interface RoundOptions {
  households: number;
  rounds: number;
  /** Batches of one round. */
  batches: number;
  connections: number;
  gzip: boolean;
  influx: Influx | null;
  neighbour: Neighbour;
}

const WARM_UP_BATCHES = 12;

/** The service and `\copy` in turn, the order changing from round to round, then the last round's batches once more. */
export async function ingestRounds(run: Run, options: RoundOptions): Promise<void> {
  const service: number[] = [];
  const copy: number[] = [];
  const influx: number[] = [];
  run.say('warming up');
  await sendNew(run, 0, WARM_UP_BATCHES, options);
  let numbers: number[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    numbers = run.sent.take(options.batches);
    const file = await writeCopyFile(`round-${round}`, copyLines(run, numbers));
    const bodies = numbers.map((number) => run.sent.bodies.at(number));
    const viaService = async () => {
      run.say(`round ${round}: ${options.batches} batches to the service`);
      const { connections } = options;
      service.push(await sendRound(run, { name: 'service', round, connections }, bodies));
    };
    const viaCopy = async () => {
      run.say(`round ${round}: the same rows by \\copy`);
      copy.push(await copyRound(run, round, file, numbers.length * run.sent.bodies.rows));
    };
    const viaInflux = async (server: Influx) => {
      run.say(`round ${round}: the same rows to InfluxDB`);
      const lines = numbers.map((number) => lineProtocol(run.sent.bodies.copyLinesAt(number)));
      influx.push(await influxRound(run, round, server, lines, options.connections));
    };
    const turns = round % 2 === 1 ? [viaService, viaCopy] : [viaCopy, viaService];
    const { influx: server } = options;
    if (server !== null) turns.push(() => viaInflux(server));
    for (const turn of turns) await turn();
    run.sent.expectStored(numbers);
    await removeCopyFile(file);
  }
  run.report.judge('P1', median(service) / median(copy));
  await reportInflux(run, options, median(service), median(influx));
  await compareTables(run);
  await sendAgain(run, numbers, options, median(service));
  if (options.gzip) await compressedRounds(run, options);
}

function* copyLines(run: Run, numbers: readonly number[]): Generator<Buffer> {
  for (const number of numbers) yield run.sent.bodies.copyLinesAt(number);
}

/** Unmeasured: the service's code becomes fast, chunks come into being, on both sides. */
async function sendNew(run: Run, round: number, count: number, options: RoundOptions): Promise<void> {
  const numbers = run.sent.take(count);
  const bodies = numbers.map((number) => run.sent.bodies.at(number));
  const { loop } = await measureLoop(
    { ...legContext(run), name: 'warm-up', round, counting: 'stored' },
    run.service,
    { connections: options.connections, amount: count, bodyAt: (index) => bodyOf(bodies, index) },
  );
  requireAnswers(run.report, 'warm-up', loop.answers, 200);
  run.sent.expectStored(numbers);
  const file = await writeCopyFile('warm-up', copyLines(run, numbers));
  await copyByPsql(run.surroundings.databaseUrl, file);
  await removeCopyFile(file);
}

/** Rows a second. */
export async function sendRound(
  run: Run,
  { name, round, connections }: { name: string; round: number; connections: number },
  bodies: readonly Buffer[],
): Promise<number> {
  const { leg, loop } = await measureLoop(
    { ...legContext(run), name, round, counting: 'stored' },
    run.service,
    { connections, amount: bodies.length, bodyAt: (index) => bodyOf(bodies, index) },
  );
  requireAnswers(run.report, `${name}, round ${round}`, loop.answers, 200);
  run.report.add(leg);
  return leg.rows_per_second;
}

async function copyRound(run: Run, round: number, file: string, rows: number): Promise<number> {
  const { databaseUrl } = run.surroundings;
  const { leg } = await measure(
    { ...legContext(run), name: 'psql \\copy', round, servicePid: null, usesPsql: true },
    async () => ({
      rows,
      seconds: await copyByPsql(databaseUrl, file),
    }),
  );
  run.report.add(leg);
  return leg.rows_per_second;
}

/** One point per row, over as many connections as the service gets. */
async function influxRound(
  run: Run,
  round: number,
  server: Influx,
  lines: readonly Buffer[],
  connections: number,
): Promise<number> {
  const rows = lines.length * run.sent.bodies.rows;
  const { leg, result } = await measure(
    { ...legContext(run), name: 'InfluxDB', round, servicePid: null, hasUnwatchedServer: true },
    async () => {
      const loop = await closedLoop({
        url: server.writeUrl,
        headers: { 'content-type': 'text/plain' },
        connections,
        amount: lines.length,
        bodyAt: (index) => bodyOf(lines, index),
      });
      return { loop, rows, seconds: loop.seconds };
    },
  );
  requireAnswers(run.report, `InfluxDB, round ${round}`, result.loop.answers, 204);
  run.report.add(withAnswers(leg, result.loop));
  return leg.rows_per_second;
}

/** A comparison without consequences: no exit code depends on it. */
async function reportInflux(run: Run, options: RoundOptions, ours: number, theirs: number): Promise<void> {
  if (options.influx === null) {
    run.report.details.influxdb = 'not run';
    run.report.remarks.push('InfluxDB: not run (--influxd PATH)');
    return;
  }
  const stored = await options.influx.count();
  run.report.details.influxdb = { ratio: ours / theirs, stored };
  run.report.remarks.push(
    `InfluxDB: the service is ${(ours / theirs).toFixed(2)} times as fast (goal 1.5); ${stored} rows counted there`,
  );
}

/** The same rows went into both tables: counts, sums and a hash over every value have to be the same. */
async function compareTables(run: Run): Promise<void> {
  const hash = await verifyStored(run, 'after the rounds');
  const baseline = await countStored(run.surroundings.database, BASELINE_TABLE, run.assetKeys);
  run.report.details['stored by \\copy'] = baseline;
  if (baseline.hash !== hash) run.report.problems.push('The service and \\copy stored different values');
}

async function compressedRounds(run: Run, options: RoundOptions): Promise<void> {
  for (let round = 1; round <= options.rounds; round += 1) {
    const numbers = run.sent.take(options.batches);
    run.say(`round ${round}: compressing ${numbers.length} batches`);
    const bodies = numbers.map((number) => gzipSync(run.sent.bodies.at(number)));
    const { leg, loop } = await measureLoop(
      { ...legContext(run), name: 'service, gzip', round, counting: 'stored' },
      run.service,
      {
        connections: options.connections,
        amount: bodies.length,
        bodyAt: (index) => bodyOf(bodies, index),
        headers: { 'content-encoding': 'gzip' },
      },
    );
    requireAnswers(run.report, `gzip, round ${round}`, loop.answers, 200);
    run.report.add(leg);
    run.sent.expectStored(numbers);
  }
}

export function bodyOf(bodies: readonly Buffer[], index: number): Buffer {
  const body = bodies[index];
  if (body === undefined) throw new RangeError(`There is no body ${index}`);
  return body;
}
