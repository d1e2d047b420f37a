import { DateTime } from 'luxon';
import { centsPerKilowattHour } from '../amounts.ts';
import { addDays, dayStart, MARKET_TIME_ZONE } from '../calendar.ts';
import type { Curve, CurveInterval } from './curve.ts';
import { intervalLabels } from './labels.ts';
import { missingText } from './missing.ts';
import type { PriceTexts } from './texts.ts';

/** Hours of the local day that get a mark on the axis of time beside midnight. */
const MARKED_HOURS = [6, 12, 18];

/**
 * What the script of the page draws. Marks of the axis are made here, by the clock of the market: on the two clock-change
 * days an hour of the browser's would stand in the wrong place.
 */
export function curveDocument(curve: Curve, t: PriceTexts): string {
  const intervals = curve.days.flatMap((day) => day.intervals);
  const last = curve.days.at(-1)?.deliveryOn ?? curve.today;
  return JSON.stringify({
    now: seconds(curve.now),
    unit: 'ct/kWh',
    time_zone: MARKET_TIME_ZONE,
    end: seconds(dayStart(addDays(last, 1))),
    words: { no_price: t.noPrice, forecast: t.forecast, decimal_point: t.decimalPoint },
    marks: curve.days.flatMap((day) => marksOf(day.deliveryOn, t.missing[missingText(day, curve.now)], t)),
    starts: intervals.map(({ start }) => seconds(start)),
    labels: curve.days.flatMap((day) => intervalLabels(day.deliveryOn, t)),
    realized: intervals.map((interval) => amountOf(interval, 'realized')),
    forecast: intervals.map((interval) => amountOf(interval, 'forecast')),
  });
}

function amountOf(interval: CurveInterval, column: 'realized' | 'forecast'): unknown {
  const amount = interval[column];
  return amount === null ? null : JSON.rawJSON(centsPerKilowattHour(amount));
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

interface CurveMark {
  at: number;
  label: string;
  /** At midnight: what is true of the day's intervals without a price. */
  missing?: string;
  /** 0: midnight, kept on the narrowest screen; 1: noon; 2: what lies between. */
  rank: number;
}

function marksOf(deliveryOn: string, missing: string, t: PriceTexts): CurveMark[] {
  const day = DateTime.fromISO(deliveryOn, { zone: MARKET_TIME_ZONE, locale: t.lang });
  return [
    { at: seconds(day.toMillis()), label: day.toFormat(t.markForm), missing, rank: 0 },
    ...MARKED_HOURS.map((hour) => ({
      at: seconds(day.set({ hour }).toMillis()),
      label: day.set({ hour }).toFormat('HH:mm'),
      rank: hour === 12 ? 1 : 2,
    })),
  ];
}
