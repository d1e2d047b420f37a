import { type DeliveryDay, deliveryDayAt, zoneOf } from '../calendar.ts';
import type { PriceParts, PullReport } from '../parts.ts';
import { type DaysAnswer, readFileBody, unite } from '../providers/exchange.ts';
import { type RealizedSource, sources } from '../providers/index.ts';
import { type StoredDay, storeAnswer } from '../store/store.ts';
import { compareDisputed } from './cross-check.ts';
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
  const { source, days: givenDays } = task;
  const now = parts.clock.nowMilliseconds();
  const read = readFileBody(task, now, sources[source], {
    zone: givenDays?.[0] === undefined ? 'DE-LU' : zoneOf(givenDays[0]),
    days: givenDays,
  });
  if (read.days === null || read.days.length === 0) {
    const days = givenDays ?? [deliveryDayAt(now)];
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
  const changed = reports.filter((report) => report.changed);
  await compareDisputed(
    parts,
    changed.map(({ deliveryOn }) => deliveryOn),
  );
  return reports;
}

function reportStored(source: RealizedSource, { day, served }: StoredDay): PullReport {
  const attempt = { source, outcome: day.outcome, intervals: day.points.length };
  return reportFrom(day.deliveryOn, served, [attempt], served.changed);
}
