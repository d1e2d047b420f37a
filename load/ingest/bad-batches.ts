import { AUTOCANNON, type LoopResult } from '../measure/closed-loop.ts';
import { memoryOf } from '../measure/memory.ts';
import { median } from '../measure/statistics.ts';
import { type Run, requireAnswers } from './run.ts';

const TRIALS = 15;
const MEMORY_BATCHES = 60;

type Kind = 'good' | 'one bad row' | 'all bad';

/**
 * Good and bad batches one at a time and in turn, then many bad ones for memory. By autocannon: many problems come in chunks, which
 * the socket client does not read.
 */
export async function badBatches(run: Run): Promise<void> {
  const headers = await run.service.headers();
  const times: Record<Kind, number[]> = { good: [], 'one bad row': [], 'all bad': [] };
  run.say(`${TRIALS} times a good batch, one with a bad row, one with bad rows only`);
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const numbers = run.sent.take(3);
    for (const [turn, kind] of (['good', 'one bad row', 'all bad'] as const).entries()) {
      const body = bodyOfKind(run, numbers[turn] ?? 0, kind);
      const loop = await sendOne(run, headers, body);
      requireAnswers(run.report, kind, loop.answers, kind === 'good' ? 200 : 400);
      times[kind].push(median(loop.latenciesMilliseconds));
    }
    run.sent.expectStored(numbers.slice(0, 1));
  }
  run.report.details.bad_batch_ms = times;
  run.report.judge('P4 one bad row', median(times['one bad row']) / median(times.good), AUTOCANNON.name);
  run.report.judge('P4 all bad', median(times['all bad']) / median(times.good), AUTOCANNON.name);

  run.say(`${MEMORY_BATCHES} batches of bad rows, for memory`);
  const bad = bodyOfKind(run, run.sent.take(1)[0] ?? 0, 'all bad');
  const memory: number[] = [];
  for (let batch = 0; batch < MEMORY_BATCHES; batch += 1) {
    const loop = await sendOne(run, headers, bad);
    requireAnswers(run.report, 'all bad', loop.answers, 400);
    memory.push(await memoryOf(run.service));
  }
  run.report.details.bad_batch_memory_bytes = memory;
  run.report.remarks.push(
    `P4: up to ${(Math.max(...memory) / 1e6).toFixed(0)} MB resident while batches of bad rows were answered`,
  );
  const third = MEMORY_BATCHES / 3;
  run.report.judge(
    'P4 memory',
    median(memory.slice(2 * third)) / median(memory.slice(third, 2 * third)),
    AUTOCANNON.name,
  );
}

async function sendOne(run: Run, headers: Record<string, string>, body: Buffer): Promise<LoopResult> {
  const url = `${run.service.baseUrl}/asset-snapshots`;
  return await AUTOCANNON.loop({ url, headers, connections: 1, amount: 1, bodies: [body] });
}

const ASSET = '"asset":"ast_';
const POWER = /"power_kw":-?[\d.]+/g;
/** Far above any rating: the shape is right, the rule is broken. */
const TOO_MUCH = '"power_kw":99999';
const NO_NUMBER = '"power_kw":"much"';

function bodyOfKind(run: Run, number: number, kind: Kind): Buffer {
  const body = run.sent.bodies.at(number);
  if (kind === 'good') return body;
  let row = 0;
  const text = body.toString().replace(POWER, (power) => {
    row += 1;
    if (kind === 'one bad row') return row === 1 ? TOO_MUCH : power;
    return [TOO_MUCH, NO_NUMBER, power][row % 3] ?? power;
  });
  if (kind === 'one bad row') return Buffer.from(text);
  return Buffer.from(text.replaceAll(ASSET, `${ASSET}0`));
}
