import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../platform/clock.ts';
import { BATCH_ROWS_MAX, composeBatch, instantsFrom } from './batch.ts';
import { describe, equipHousehold } from './fleet-assets.ts';
import { Gateway } from './gateway.ts';
import type { SimulatedHousehold } from './household.ts';

export interface FleetOptions {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** Households of the client's organization that nothing else writes to; their devices are made where missing. */
  households: readonly string[];
  minutes: number;
  signal: AbortSignal;
  onProgress(progress: FleetProgress): void;
  /** How far back a household without recent snapshots begins. */
  daysBack?: number;
}

export interface FleetProgress {
  /** `catching_up`: history in full batches as fast as the service takes it; `live`: every second as it happens. */
  phase: 'preparing' | 'catching_up' | 'live' | 'ended';
  rowsStored: number;
  /** Rows of an earlier run that were sent again, unchanged. */
  rowsDuplicate: number;
  /** Of the last seconds. */
  rowsPerSecond: number;
  /** The best of the run so far. */
  rowsPerSecondMax: number;
  batches: number;
  /** Tries that had to be repeated and batches that were refused. */
  errors: number;
  lastError?: string;
}

const CONNECTIONS = 4;
const HISTORY_STEP_SECONDS = 60;
const LIVE_STEP_SECONDS = 1;
const DAYS_BACK = 30;
const PROGRESS_MILLISECONDS = 500;
const RATE_WINDOW_MILLISECONDS = 3000;

interface FleetHousehold {
  readonly simulated: SimulatedHousehold;
  /** The next instant to be sent, whole seconds since 1970. */
  next: number;
  /** The last one that was sent, by this run or an earlier one. */
  newest: number;
}

/**
 * Pushes snapshots of simulated households through the interface: first what the last days would have brought, in
 * batches of up to 10,000 rows one after the other, then every second what happens now. Values follow from household
 * and instant, so a second run sends what an interrupted one has stored as equal rows. At any moment no more than
 * `CONNECTIONS` batches are held.
 */
export async function runFleet(options: FleetOptions): Promise<FleetProgress> {
  /* By the wall: nobody measures the difference to a database here, and a laptop that slept does not count that time. */
  const clock = systemClock(Date.now);
  const nowSeconds = () => Math.floor(clock.nowMilliseconds() / 1000);
  const ending = AbortSignal.any([options.signal, AbortSignal.timeout(options.minutes * 60_000)]);
  const rate = new RateWindow();
  const progress: FleetProgress = {
    phase: 'preparing',
    rowsStored: 0,
    rowsDuplicate: 0,
    rowsPerSecond: 0,
    rowsPerSecondMax: 0,
    batches: 0,
    errors: 0,
  };
  const noteError = (reason: string) => {
    progress.errors += 1;
    progress.lastError = reason;
  };
  const report = () => {
    progress.rowsPerSecond = rate.perSecond();
    progress.rowsPerSecondMax = Math.max(progress.rowsPerSecondMax, progress.rowsPerSecond);
    options.onProgress({ ...progress });
  };
  const gateway = new Gateway({
    ...options,
    connections: CONNECTIONS,
    signal: ending,
    onFailedTry: noteError,
  });

  /** Sends up to one full batch of this household, up to and with `until`. */
  async function send(household: FleetHousehold, until: number, step: number): Promise<void> {
    const room = Math.floor(BATCH_ROWS_MAX / household.simulated.assets.length);
    const count = Math.min(room, Math.floor((until - household.next) / step) + 1);
    if (count < 1) return;
    const begin = household.next;
    household.next = begin + count * step;
    household.newest = household.next - step;
    const body = composeBatch(household.simulated, instantsFrom(begin, count, step));
    const answer = await gateway.call('POST', '/asset-snapshots', body);
    if (answer.status !== 200) {
      noteError(describe(answer.body));
      return;
    }
    const { stored, duplicates } = answer.body as { stored: number; duplicates: number };
    progress.batches += 1;
    progress.rowsStored += stored;
    progress.rowsDuplicate += duplicates;
    rate.add(stored);
  }

  const timer = setInterval(report, PROGRESS_MILLISECONDS);
  try {
    const begin = nowSeconds() - (options.daysBack ?? DAYS_BACK) * 86_400;
    const households = await prepare(gateway, options.households, begin);

    progress.phase = 'catching_up';
    const waiting = households.filter((household) => household.simulated.assets.length > 0);
    const catchUp = async () => {
      for (let household = takeOldest(waiting); household !== undefined; household = takeOldest(waiting)) {
        const now = nowSeconds();
        await send(household, now, HISTORY_STEP_SECONDS);
        if (household.next <= now) waiting.push(household);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, catchUp));

    progress.phase = 'live';
    for (const household of households) household.next = Math.max(household.newest + 1, nowSeconds());
    for (;;) {
      const now = nowSeconds();
      await Promise.all(households.map((household) => send(household, now, LIVE_STEP_SECONDS)));
      await wait(1000 - (clock.nowMilliseconds() % 1000), undefined, { signal: ending });
    }
  } catch (error) {
    if (!ending.aborted) throw error;
  } finally {
    clearInterval(timer);
    await gateway.close();
    progress.phase = 'ended';
    report();
  }
  return progress;
}

/** The household that is furthest behind: the fleet moves through time together. */
function takeOldest(waiting: FleetHousehold[]): FleetHousehold | undefined {
  let oldest = 0;
  for (const [index, household] of waiting.entries()) {
    if (household.next < (waiting[oldest]?.next ?? 0)) oldest = index;
  }
  return waiting.splice(oldest, 1)[0];
}

/** Devices of every household, and the first instant after its newest snapshot. */
async function prepare(gateway: Gateway, ids: readonly string[], begin: number): Promise<FleetHousehold[]> {
  const households: FleetHousehold[] = [];
  const waiting = [...ids];
  const equip = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const simulated = await equipHousehold(gateway, id);
      const newest = (await newestSeconds(gateway, id)) ?? begin;
      const next = Math.ceil((newest + 1) / HISTORY_STEP_SECONDS) * HISTORY_STEP_SECONDS;
      households.push({ simulated, next, newest });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, equip));
  return households;
}

/** When the household last reported, if that was within 24 hours. */
async function newestSeconds(gateway: Gateway, household: string): Promise<number | null> {
  const path = `/asset-snapshots?filter%5Bhousehold%5D%5Beq%5D=${household}&limit=100`;
  const answer = await gateway.call('GET', path);
  if (answer.status !== 200) throw new Error(`GET /asset-snapshots: ${describe(answer.body)}`);
  const { items } = answer.body as { items: { timestamp: string }[] };
  const newest = items.map((snapshot) => Math.floor(Date.parse(snapshot.timestamp) / 1000));
  return newest.length === 0 ? null : Math.max(...newest);
}

/** Rows per second over the last three seconds. */
class RateWindow {
  #entries: { at: number; rows: number }[] = [];
  readonly #begin = performance.now();

  add(rows: number): void {
    this.#entries.push({ at: performance.now(), rows });
  }

  perSecond(): number {
    const now = performance.now();
    this.#entries = this.#entries.filter((entry) => entry.at > now - RATE_WINDOW_MILLISECONDS);
    const rows = this.#entries.reduce((sum, entry) => sum + entry.rows, 0);
    return Math.round((rows * 1000) / Math.min(RATE_WINDOW_MILLISECONDS, Math.max(1, now - this.#begin)));
  }
}
