import { type DeliveryDay, deliveryDayAt, zoneOf } from '../calendar.ts';
import type { PriceParts, PullReport } from '../parts.ts';
import { type DaysAnswer, type ReadExchange, readBody, unite } from '../providers/exchange.ts';
import { type RealizedSource, sources } from '../providers/index.ts';
import { type StoredDay, storeAnswer } from '../store/store.ts';
import { reportFrom } from './pull.ts';

export interface BodyTask {
  readonly source: RealizedSource;
  readonly body: Uint8Array;
  /** Stands in the fetch record in the place of an address. */
  readonly name: string;
  /** Every day in the body where null. */
  readonly days: readonly DeliveryDay[] | null;
}

/** A body that did not come by the network: the same steps, and a fetch record that names the file. */
export async function storeBody(parts: PriceParts, task: BodyTask): Promise<readonly PullReport[]> {
  const { source } = task;
  const read = readTask(parts, task);
  if (read.days === null || read.days.length === 0) {
    const days = task.days ?? [deliveryDayAt(parts.clock.nowMilliseconds())];
    const [first = ''] = days;
    const answer: DaysAnswer = { exchanges: [read.exchange], days: null };
    await storeAnswer(parts, { source, zone: zoneOf(first), days, answer, recheck: false, byNetwork: false });
    return [];
  }
  const reports: PullReport[] = [];
  const found = read.days.map((day) => day.deliveryOn);
  for (const [zone, days] of Map.groupBy(found, zoneOf)) {
    const answer = unite(days, [read]);
    const stored = await storeAnswer(parts, { source, zone, days, answer, recheck: false, byNetwork: false });
    reports.push(...stored.map((storedDay) => reportStored(source, storedDay)));
  }
  return reports;
}

function readTask(parts: PriceParts, { source, body, name, days }: BodyTask): ReadExchange {
  const now = parts.clock.nowMilliseconds();
  const made = { url: name, requestedAt: now, capturedAt: now, httpStatus: null, contentType: null, body };
  const bytesMax = sources[source].limits.bodyBytesMax;
  if (body.byteLength > bytesMax) {
    const nothing = { contentHash: null, licence: null, sourceStamp: null, intervalCount: 0 };
    const detail = `The body has ${body.byteLength} bytes, more than ${bytesMax}`;
    return { exchange: { ...made, ...nothing, body: null, outcome: 'rejected', detail }, days: null };
  }
  const zone = days?.[0] === undefined ? 'DE-LU' : zoneOf(days[0]);
  return readBody(made, body, sources[source].read, { zone, days });
}

function reportStored(source: RealizedSource, { day, served }: StoredDay): PullReport {
  const attempt = { source, outcome: day.outcome, intervals: day.points.length };
  return reportFrom(day.deliveryOn, served, [attempt], served.changed);
}
