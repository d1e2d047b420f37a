import { DateTime } from 'luxon';
import type { Clock } from '../../platform/clock.ts';
import type { JobResult } from '../../platform/jobs/jobs.ts';
import { addDays, type DeliveryDay, daysBetween, MARKET_TIME_ZONE } from '../calendar.ts';
import { captureForecast } from '../forecast/capture-forecast.ts';
import { freezeForecast } from '../forecast/freeze.ts';
import { runPriceModel } from '../forecast/run-model.ts';
import type { PriceParts } from '../parts.ts';
import { pullDay } from '../pull/pull.ts';

export interface ReplayTask {
  readonly from: DeliveryDay;
  /** The day behind the last one. */
  readonly to: DeliveryDay;
  readonly signal?: AbortSignal;
  /** Sets the clock of the feed as well: it publishes by it. */
  setFeed(now: string): Promise<void>;
  onStep?(step: ReplayedStep): void;
}

export interface ReplayedStep {
  readonly deliveryOn: DeliveryDay;
  readonly at: string;
  readonly act: string;
  readonly result: JobResult;
}

type ReplayAct = (
  parts: PriceParts,
  day: { deliveryOn: DeliveryDay; dayBefore: DeliveryDay },
) => Promise<JobResult>;

const capture: ReplayAct = async (parts) => await captureForecast(parts);
const model: ReplayAct = async (parts, { dayBefore }) => await runPriceModel(parts, { today: dayBefore });

/** Steps of the day before delivery, in the market's time: the schedule of the worker in short. */
const STEPS: readonly { time: string; act: string; run: ReplayAct }[] = [
  { time: '05:40', act: 'pull-price-forecast', run: capture },
  { time: '05:45', act: 'run-price-model', run: model },
  { time: '11:30', act: 'pull-price-forecast', run: capture },
  { time: '11:40', act: 'run-price-model', run: model },
  {
    time: '12:00',
    act: 'freeze-price-forecast',
    run: async (parts, day) => await freezeForecast(parts, day),
  },
  {
    time: '13:25',
    act: 'pull-spot-prices',
    run: async (parts, { deliveryOn }) => {
      const { outcome, servedSource } = await pullDay(parts, { deliveryOn });
      return { outcome, servedSource };
    },
  },
];

/**
 * Replays days as they would have gone, with the clock set back: forecasts, their freeze, then the prices. Ends at the
 * present. Stored data carry the time of the replayed clock, which is a lie about a real feed: only for a synthetic one.
 */
export async function replay(parts: PriceParts, task: ReplayTask): Promise<number> {
  const present = parts.clock.nowMilliseconds();
  let steps = 0;
  for (const deliveryOn of daysBetween(task.from, addDays(task.to, -1))) {
    const dayBefore = addDays(deliveryOn, -1);
    for (const { time, act, run } of STEPS) {
      const at = DateTime.fromISO(`${dayBefore}T${time}`, { zone: MARKET_TIME_ZONE }).toMillis();
      if (at > present || task.signal?.aborted === true) return steps;
      const clock = standingClock(at);
      await task.setFeed(clock.now().toISOString());
      const result = await run({ ...parts, clock }, { deliveryOn, dayBefore });
      steps += 1;
      task.onStep?.({ deliveryOn, at: clock.now().toISOString(), act, result });
    }
  }
  return steps;
}

function standingClock(milliseconds: number): Clock {
  return { nowMilliseconds: () => milliseconds, now: () => new Date(milliseconds) };
}
