import { importReadings } from '../../../contracts/meter-readings/import.ts';
import { importUsage } from '../../../contracts/usage/import.ts';
import type { Database } from '../../../platform/database/db.ts';
import type { StaffAct } from '../../../platform/staff-act.ts';
import {
  addDays,
  addMonths,
  berlinMidnight,
  berlinMilliseconds,
  type CalendarDay,
} from '../../../platform/time/berlin-calendar.ts';
import type { DemoApi } from './demo-api.ts';
import type { DemoContract } from './demo-contracts.ts';

/** Days of quarter hours that a smart meter has when it is first looked at: all since the first day of supply, for bills. */
const USAGE_DAYS = 124;
const QUARTER_HOUR_MILLISECONDS = 15 * 60_000;

interface MeasuredContract {
  id: string;
  contract: DemoContract;
}

interface MeasurementDeps {
  api: DemoApi;
  database: Database;
  organization: string;
  today: CalendarDay;
  act: StaffAct;
}

/**
 * Readings of analog meters, most from the metering operator and the last one from the customer: of yesterday, so that who
 * tries the portal has one of today to send.
 */
export async function ensureReadings(
  parts: MeasurementDeps,
  { id, contract }: MeasuredContract,
): Promise<void> {
  if (contract.meter.type !== 'analog' || typeof contract.answered !== 'object') return;
  const { api, database, organization, today, act } = parts;
  const path = `/meter-readings?limit=1&filter%5Bsubscription%5D%5Beq%5D=${id}`;
  if ((await api.call<{ items: unknown[] }>('GET', path)).items.length > 0) return;
  const { start_on } = contract.answered;
  const last = contract.end_on ?? addDays(today, -1);
  const days = [start_on];
  for (let day = addMonths(start_on, 3); day < last; day = addMonths(day, 3)) days.push(day);
  const valueOn = (day: CalendarDay) => 12_000 + consumedUntil(contract, start_on, day);
  const lines = days.map((day, index) => {
    const type = index === 1 ? 'grid_estimation' : 'grid_reading';
    return `${id},${day},${valueOn(day).toFixed(1)},${type}\n`;
  });
  const file = {
    name: 'demo readings',
    bytes: Buffer.from(`subscription,date,value,type\n${lines.join('')}`),
  };
  await importReadings(database, organization, file, act);
  if (days.includes(last)) return;
  const timestamp = berlinMidnight(last);
  await api.call('POST', '/meter-readings', { subscription: id, timestamp, value: round(valueOn(last)) });
}

/** More in winter than in summer. */
function consumedUntil({ meter }: DemoContract, start: CalendarDay, end: CalendarDay): number {
  let total = 0;
  for (let day = start; day < end; day = addDays(day, 1)) {
    const winter = Math.cos(((Number(day.slice(5, 7)) - 1) / 12) * 2 * Math.PI);
    total += (meter.estimated_usage / 365) * (1 + 0.25 * winter);
  }
  return total;
}

const round = (value: number) => Math.round(value * 10) / 10;

/** Quarter hours of smart meters until last midnight, as the metering operator would send them. */
export async function ensureUsage(parts: MeasurementDeps, { id, contract }: MeasuredContract): Promise<void> {
  const { api, database, organization, today, act } = parts;
  if (contract.meter.type !== 'smart' || typeof contract.answered !== 'object') return;
  if (contract.answered.start_on >= today) return;
  const yesterday = addDays(today, -1);
  const known = await api.call<{ data: unknown[] }>(
    'GET',
    `/subscriptions/${id}/usage?start=${yesterday}&end=${today}`,
  );
  if (known.data.length > 0) return;
  const [, first = today] = [addDays(today, -USAGE_DAYS), contract.answered.start_on].sort();
  const lines: string[] = [];
  const endMilliseconds = berlinMilliseconds(today);
  let milliseconds = berlinMilliseconds(first);
  for (; milliseconds < endMilliseconds; milliseconds += QUARTER_HOUR_MILLISECONDS) {
    const start = new Date(milliseconds).toISOString();
    lines.push(`${start},${energyOf(contract, milliseconds).toFixed(3)}\n`);
  }
  const file = { name: 'demo usage', bytes: Buffer.from(`start,kwh\n${lines.join('')}`) };
  await importUsage(database, organization, id, file, act);
}

/** The energy of a household that cooks in the evening, or of a roof in the sun. */
function energyOf({ plan, meter }: DemoContract, milliseconds: number): number {
  const hour = (milliseconds / 3_600_000 + 1) % 24;
  const perQuarterHour = meter.estimated_usage / 365 / 96;
  const day = Math.floor(milliseconds / 86_400_000);
  const weather = 0.75 + 0.25 * Math.sin(day * 1.7);
  if (plan === 'einspeisung')
    return Math.max(0, Math.sin(((hour - 7) / 10) * Math.PI)) * perQuarterHour * 3.6 * weather;
  const evening = Math.exp(-((hour - 19) ** 2) / 6);
  const morning = Math.exp(-((hour - 7.5) ** 2) / 4);
  return perQuarterHour * (0.5 + 1.6 * evening + 0.8 * morning) * (1.1 - 0.1 * weather);
}
