import { measure, measureLoop } from '../measure/leg.ts';
import { judgeMemory, watchMemory } from '../measure/memory.ts';
import { openLoop } from '../measure/open-loop.ts';
import { median } from '../measure/statistics.ts';
import { legContext, type Run, requireStored } from './run.ts';

/** New batches without a break for about so many minutes, while the API's memory is watched. */
export async function sustainedLoad(
  run: Run,
  options: { minutes: number; connections: number },
): Promise<void> {
  const speed = median(
    run.report.legs.filter(({ name }) => name === 'service').map((leg) => leg.requests_per_second ?? 0),
  );
  const amount = Math.max(1, Math.ceil(speed * options.minutes * 60));
  const numbers = run.sent.take(amount);
  run.say(`${amount} batches without a break, about ${options.minutes} min`);
  const samplesSince = watchMemory(run.service);
  const { leg, loop } = await measureLoop(
    { ...legContext(run), name: 'service, sustained', round: 1, counting: 'stored' },
    run.service,
    {
      connections: options.connections,
      amount,
      /* Each is made in its turn: no memory holds the bodies of ten minutes. */
      bodies: { at: (index) => run.sent.bodies.at(numbers[index] ?? 0) },
    },
  );
  const samples = samplesSince();
  requireStored(run, 'sustained', loop.answers, numbers);
  run.report.add(leg);
  run.report.details.memory_samples = samples;
  const memory = judgeMemory(samples);
  run.report.judge('P8 memory', memory.megabytesMax, run.client.name);
  if (memory.growth !== null) run.report.judge('P8 growth', memory.growth, run.client.name);
  else
    run.report.remarks.push('P8: growth is judged in runs of --minutes 2 or more; the promise is about 10');
}

/** Batches at a fixed rate, the latency taken from the moment each was meant to leave. */
export async function openLoopLoad(run: Run, options: { rate: number; minutes: number }): Promise<void> {
  const amount = Math.max(1, Math.round(options.rate * options.minutes * 60));
  const numbers = run.sent.take(amount);
  run.say(`open loop: ${options.rate} batches a second for ${options.minutes} min`);
  const headers = await run.service.headers();
  const { leg, result } = await measure(
    { ...legContext(run), name: 'service, open loop', round: 1, servicePid: run.service.pid },
    async () => {
      const loop = await openLoop({
        url: `${run.service.baseUrl}/asset-snapshots`,
        headers,
        rate: options.rate,
        amount,
        bodyAt: (index) => run.sent.bodies.at(numbers[index] ?? 0),
      });
      return { loop, rows: loop.answers.stored };
    },
  );
  const { loop } = result;
  requireStored(run, 'open loop', loop.answers, numbers);
  run.report.add(leg);
  run.report.details.open_loop = { rate_asked: options.rate, rate_achieved: loop.achievedRate };
  run.report.remarks.push(
    `open loop: asked ${options.rate} batches/s, achieved ${loop.achievedRate.toFixed(1)}; latency from the intended send time`,
  );
}
