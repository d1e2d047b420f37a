import { audit } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { type DeliveryDay, gridOf, type Zone, zoneOf } from '../calendar.ts';
import type { PriceParts } from '../parts.ts';
import type { RealizedSource } from '../providers/index.ts';
import { findDay, listSourceDays, type PriceDay, type SourceDay } from '../queries.ts';
import { type EndedAlarm, endAlarm, listOpenAlarms, resolveAlarms } from './alarms.ts';
import { lockDayWrites, updatePreferredSource, updateReleased } from './day-statements.ts';
import { type ServingParts, serveDay } from './serving.ts';

export type ChoosingParts = ServingParts & Pick<PriceParts, 'database'>;

export interface ChosenDay {
  readonly deliveryOn: DeliveryDay;
  readonly servedSource: string | null;
  readonly state: PriceDay['state'];
  readonly version: number;
  readonly changed: boolean;
}

/**
 * The operator decides whose prices a day has: where sources contradict one another nobody else may. Of the source that is
 * served complete he keeps what is served, and declines a revision of it that is held back. By a source that has the whole day
 * he declines what is held back of all others.
 */
export async function preferSource(
  parts: ChoosingParts,
  task: { deliveryOn: DeliveryDay; source: RealizedSource },
  act: StaffAct,
): Promise<ChosenDay> {
  const { deliveryOn, source } = task;
  return await decide(parts, deliveryOn, async (connection, zone, sourceDays) => {
    const chosen = sourceDays.find((day) => day.source === source);
    if (chosen === undefined || chosen.interval_count === 0) {
      throw new Error(`There are no prices of ${source} for ${deliveryOn}`);
    }
    const day = await findDay(connection, zone, deliveryOn);
    const keepsServed = day?.state === 'complete' && day.served_source === source;
    if (chosen.state === 'suspect' && !keepsServed) {
      throw new Error(`The prices of ${source} for ${deliveryOn} are suspect: release them first`);
    }
    await updatePreferredSource(connection, zone, deliveryOn, source);
    for (const kind of ['disagreement', 'clock_change'] as const) {
      await resolveAlarms(connection, parts, { kind, zone, deliveryOn });
    }
    const isWhole = chosen.interval_count === gridOf(deliveryOn).count;
    await resolveAlarms(connection, parts, {
      kind: 'suspect',
      zone,
      deliveryOn,
      ...(!isWhole && { source }),
    });
    await audit(connection, {
      ...staffOf(act, null),
      act: 'spot_prices.prefer',
      object_id: `${deliveryOn} ${source}`,
    });
  });
}

/** Lifts the suspicion: what looks like no prices are the prices of that day. */
export async function releaseDay(
  parts: ChoosingParts,
  deliveryOn: DeliveryDay,
  act: StaffAct,
): Promise<ChosenDay> {
  return await decide(parts, deliveryOn, async (connection, zone) => {
    const released = await updateReleased(connection, zone, deliveryOn, parts.clock.nowMilliseconds());
    if (released.length === 0) throw new Error(`Nothing of ${deliveryOn} is suspect`);
    await audit(connection, { ...staffOf(act, null), act: 'spot_prices.release', object_id: deliveryOn });
  });
}

/**
 * Ends an alarm whose cause the operator has dealt with; the next sight of the cause raises another one. Not that of a day
 * that is held back: it would stay unserved, and nobody would hear of it before the next look.
 */
export async function resolveAlarm(parts: ChoosingParts, id: number, act: StaffAct): Promise<EndedAlarm> {
  return await parts.database.asService(async (connection) => {
    const standing = (await listOpenAlarms(connection)).find((alarm) => alarm.id === id);
    const day = standing?.kind === 'suspect' ? standing.delivery_on : null;
    if (day !== null && (await findDay(connection, zoneOf(day), day))?.is_held_back) {
      throw new Error(
        `The prices of ${day} are held back and stay so without their alarm: prices release --date ${day} serves them and ends it, prices prefer --date ${day} --source SOURCE serves those of another source`,
      );
    }
    const ended = await endAlarm(connection, parts, id);
    if (ended === null) throw new Error(`No alarm ${id} stands: prices status lists those that do`);
    const object_id = ['alarm', id, ended.kind, ended.source, ended.delivery_on ?? ''].join(' ').trim();
    await audit(connection, { ...staffOf(act, null), act: 'spot_prices.resolve', object_id });
    return ended;
  });
}

/** What a file says counts as said by its source. Months of it are stored one by one: the line comes before them. */
export async function noteImport(
  { database }: Pick<PriceParts, 'database'>,
  source: string,
  act: StaffAct,
): Promise<void> {
  await database.asService((connection) =>
    audit(connection, { ...staffOf(act, null), act: 'spot_prices.import', object_id: source }),
  );
}

type OperatorDecision = (
  connection: Connection,
  zone: Zone,
  sourceDays: readonly SourceDay[],
) => Promise<void>;

/** One transaction: the decision, what it changes of the served prices, and its audit line. */
async function decide(
  parts: ChoosingParts,
  deliveryOn: DeliveryDay,
  decision: OperatorDecision,
): Promise<ChosenDay> {
  const zone = zoneOf(deliveryOn);
  return await parts.database.asService(async (connection) => {
    await lockDayWrites(connection, zone, [deliveryOn]);
    await decision(connection, zone, await listSourceDays(connection, zone, deliveryOn, deliveryOn));
    const served = await serveDay(connection, parts, { zone, deliveryOn, seenAt: null });
    const day = await findDay(connection, zone, deliveryOn);
    const { source: servedSource, state, changed } = served;
    return { deliveryOn, servedSource, state, version: day?.version ?? 0, changed };
  });
}
