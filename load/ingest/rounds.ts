import { gzipSync } from 'node:zlib';
import { measure, measureLoop } from '../measure/leg.ts';
import { median } from '../measure/statistics.ts';
import { BASELINE_TABLE, copyByPsql, removeCopyFile, writeCopyFile } from './baseline.ts';
import { type Others, reportRatios } from './others.ts';
import { legContext, type Run, requireStored, verifyStored } from './run.ts';
import { type SendAgainOptions, sendAgain } from './sent-again.ts';
import { countStored } from './stored.ts';

export interface RoundOptions extends SendAgainOptions {
  /** Batches of one round. */
  batches: number;
  gzip: boolean;
  others: Others;
}

const WARM_UP_BATCHES = 12;

/** The service, `\copy` and others in turn, another one first in each round; then the last round's batches once more. */
export async function ingestRounds(run: Run, options: RoundOptions): Promise<void> {
  const { connections, others } = options;
  const speeds = new Map<string, number[]>();
  const note = (name: string, speed: number) => speeds.set(name, [...(speeds.get(name) ?? []), speed]);
  run.say('warming up');
  await sendNew(run, 0, WARM_UP_BATCHES, options);
  let numbers: number[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    numbers = run.sent.take(options.batches);
    const file = await writeCopyFile(`round-${round}`, copyLines(run, numbers));
    const turns: [string, () => Promise<number>][] = [
      ['service', () => sendRound(run, { name: 'service', round, connections }, numbers)],
      [COPY, () => copyRound(run, round, file, numbers.length)],
      ...others.servers.map((server): [string, () => Promise<number>] => [
        server.name,
        () => others.send(run, server, { name: server.name, round, connections }, numbers),
      ]),
    ];
    const first = (round - 1) % turns.length;
    for (const [name, turn] of [...turns.slice(first), ...turns.slice(0, first)]) {
      run.say(`round ${round}: ${options.batches} batches, ${name}`);
      note(name, await turn());
    }
    await removeCopyFile(file);
  }
  const of = (name: string) => median(speeds.get(name) ?? []);
  run.report.judge('P1', of('service') / of(COPY), run.client.name);
  const compared = [COPY, ...others.servers.map(({ name }) => name)];
  reportRatios(
    run.report,
    `${run.sent.bodies.rows} rows`,
    of('service'),
    compared.map((name) => ({ name, speed: of(name) })),
  );
  await others.verify(run.report);
  await compareTables(run);
  await sendAgain(run, numbers, options, of('service'));
  if (options.gzip) await compressedRounds(run, options);
}

const COPY = 'psql \\copy';

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
    { connections: options.connections, amount: count, bodies },
  );
  requireStored(run, 'warm-up', loop.answers, numbers);
  const file = await writeCopyFile('warm-up', copyLines(run, numbers));
  await copyByPsql(run.surroundings.databaseUrl, file);
  await removeCopyFile(file);
  const { connections, others } = options;
  for (const server of others.servers) {
    await others.send(run, server, { name: 'warm-up', round, connections }, numbers);
  }
}

/** Rows a second. */
export async function sendRound(
  run: Run,
  { name, round, connections }: { name: string; round: number; connections: number },
  numbers: readonly number[],
): Promise<number> {
  const bodies = numbers.map((number) => run.sent.bodies.at(number));
  const { leg, loop } = await measureLoop(
    { ...legContext(run), name, round, counting: 'stored' },
    run.service,
    { connections, amount: bodies.length, bodies },
  );
  requireStored(run, `${name}, round ${round}`, loop.answers, numbers);
  run.report.add(leg);
  return leg.rows_per_second;
}

async function copyRound(run: Run, round: number, file: string, batches: number): Promise<number> {
  const { databaseUrl } = run.surroundings;
  const { leg } = await measure(
    { ...legContext(run), name: COPY, round, servicePid: null },
    async (begin) => {
      begin();
      const seconds = await copyByPsql(databaseUrl, file);
      return { client: 'psql', rows: batches * run.sent.bodies.rows, seconds, requests: batches };
    },
  );
  run.report.add(leg);
  return leg.rows_per_second;
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
        ...{ connections: options.connections, amount: bodies.length, bodies },
        headers: { 'content-encoding': 'gzip' },
      },
    );
    requireStored(run, `gzip, round ${round}`, loop.answers, numbers);
    run.report.add(leg);
  }
}
