import { DateTime } from 'luxon';
import type { SubscriptionPrices } from '../../contracts/subscription-prices/schema.ts';
import { createShownPrices } from '../../contracts/subscription-prices/service.ts';
import type { SubscriptionRow } from '../../contracts/subscriptions/queries.ts';
import { chartRows, numberFormat } from '../../platform/http/pages/chart.ts';
import { curveDrawing } from '../../platform/http/pages/render.ts';
import { stepCurve } from '../../platform/http/pages/step-curve.ts';
import {
  addDays,
  berlinDayAt,
  berlinDayOf,
  type CalendarDay,
  offsetWhereTwice,
} from '../../platform/time/berlin-calendar.ts';
import { createPriceKind, publicationOf } from '../../spot-prices/service.ts';
import { dayText, isNeverSupplied, lastDayBefore, PortalFailure, type PortalSite } from './pages.ts';
import type { Texts } from './texts.ts';

/** So many hours of a day are called cheap, and as many dear: a quarter hour is too short to plan a wash by. */
const MARKED_HOURS = 3;
const HOUR = 3_600_000;
const DECIMALS = 2;

type PriceItem = NonNullable<SubscriptionPrices['items']>[number];
type Mark = 'cheap' | 'dear';

/** One hour of a day, with the mean of its intervals in ct/kWh. */
interface Hour {
  start: number;
  cents: number;
}

/** The price of a kWh today and tomorrow, with all that the customer pays for it. */
export function pricesPage({ deps, contractPage }: PortalSite): void {
  const pricesOf = createShownPrices(deps);
  const kindOf = createPriceKind(deps);
  contractPage({
    name: 'prices',
    show: async ({ visitor, t }, contract) => {
      if (!hasPrices(contract)) throw new PortalFailure('not_found', 404);
      const now = deps.clock.nowMilliseconds();
      const today = berlinDayAt(now);
      const tomorrow = addDays(today, 1);
      const query = { start: today, end: tomorrow };
      const { items, resolution, isCarriedForward } = await pricesOf(visitor, contract.id, query);
      const minutes = resolution === 'hourly' ? 60 : 15;
      const days = [today, tomorrow].map((day) => markedDay(items ?? [], day, now));
      const known = (items ?? []).filter(({ amount }) => amount !== null);
      const current = known.find((item) => startOf(item) <= now && now < startOf(item) + minutes * 60_000);
      const cents = numberFormat(t.lang, DECIMALS);
      const missing = async ({ day, isWhole, isOver }: (typeof days)[number]) => {
        if (isWhole) return isOver ? t.dayIsOver : t.samePrices[day === today ? 'ahead' : 'ofDay'];
        return unsuppliedText(t, contract, day) ?? t.noPrices[await publicationOf(deps.database, day, now)];
      };
      const rows = tableRows(known, days, t);
      const missingTexts = await Promise.all(days.map(missing));
      return {
        ...{ template: 'prices', title: t.pricesTitle, hasChart: known.length > 0 },
        values: {
          now: current === undefined ? null : cents.format(current.amount ?? 0),
          unsupplied: items === null ? unsuppliedText(t, contract, today) : null,
          isSynthetic: (await kindOf()) !== 'market',
          isCarriedForward,
          days: days.map(({ day, cheap, dear }, index) => ({
            name: `${index === 0 ? t.today : t.tomorrow}, ${dayText(t, day)}`,
            missing: missingTexts[index],
            cheapest: t.cheapest[index === 0 ? 'ahead' : 'ofDay'],
            dearest: t.dearest[index === 0 ? 'ahead' : 'ofDay'],
            cheap: cheap.map((hour) => hourText(t, hour)),
            dear: dear.map((hour) => hourText(t, hour)),
          })),
          chart: {
            ...{ minutes, unit: 'ct/kWh', columns: [t.price, t.electricity, t.grid, t.levies] },
            rows,
            drawing: drawing(known, minutes, { now, rows, t }),
          },
        },
      };
    },
  });
}

/** A feed-in contract is paid the same for each kWh. */
export function hasPrices({ type, status }: Pick<SubscriptionRow, 'type' | 'status'>): boolean {
  return type === 'consumption' && status !== 'ended';
}

/** Why a contract has no prices on this day; null where it is supplied. */
function unsuppliedText(t: Texts, contract: SubscriptionRow, day: CalendarDay): string | null {
  const { start_at, end_at } = contract;
  if (isNeverSupplied(contract)) return t.isNeverSupplied;
  if (start_at === null) return t.notSupplied;
  if (day < berlinDayOf(start_at)) return t.suppliedFrom(dayText(t, berlinDayOf(start_at)));
  return end_at === null || day < berlinDayOf(end_at)
    ? null
    : t.suppliedUntil(dayText(t, lastDayBefore(end_at)));
}

const startOf = ({ timestamp }: PriceItem) => DateTime.fromISO(timestamp).toMillis();

/**
 * The cheapest and the dearest of the hours that are not over, in the order of the day. A day of which prices are missing has
 * none.
 */
function markedDay(items: readonly PriceItem[], day: CalendarDay, now: number) {
  const ofDay = items.filter((item) => berlinDayAt(startOf(item)) === day);
  const hours = [...Map.groupBy(ofDay, (item) => Math.floor(startOf(item) / HOUR) * HOUR)].map(
    ([start, parts]): Hour => ({
      start,
      cents: parts.reduce((sum, { amount }) => sum + (amount ?? Number.NaN), 0) / parts.length,
    }),
  );
  const isWhole = hours.length > 2 * MARKED_HOURS && hours.every(({ cents }) => !Number.isNaN(cents));
  const ahead = isWhole ? hours.filter(({ start }) => now < start + HOUR) : [];
  const byPrice = ahead.toSorted((left, right) => left.cents - right.cents);
  const isFlat = byPrice[0]?.cents === byPrice.at(-1)?.cents;
  /* Near the end of the day, no hour is both. */
  const count = isFlat ? 0 : Math.min(MARKED_HOURS, Math.floor(ahead.length / 2));
  const inOrder = (some: Hour[]) => some.toSorted((left, right) => left.start - right.start);
  return {
    ...{ day, isWhole, isOver: ahead.length < 2 },
    cheap: inOrder(byPrice.slice(0, count)),
    dear: inOrder(byPrice.slice(byPrice.length - count)),
  };
}

function hourText(t: Texts, { start, cents }: Hour): string {
  const time = (at: number) => `${clock.format(at)}${offsetWhereTwice(at)}`;
  return t.hourCosts(time(start), time(start + HOUR), numberFormat(t.lang, DECIMALS).format(cents));
}

const clock = new Intl.DateTimeFormat('de-DE', {
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'Europe/Berlin',
});

/** The curve for who has no script. */
function drawing(
  items: readonly PriceItem[],
  minutes: number,
  { now, rows, t }: { now: number; rows: ReturnType<typeof tableRows>; t: Texts },
) {
  const steps = items.map((item) => ({ start: startOf(item), value: item.amount }));
  const marks = steps.flatMap(({ start }, index) => {
    const text = rows[index]?.mark ?? null;
    return text === null ? [] : [{ at: start, text }];
  });
  const end = (steps.at(-1)?.start ?? 0) + minutes * 60_000;
  const numbers = numberFormat(t.lang, 1);
  /* Each second mark: on a phone there is no room for more. */
  const shown = { now, marks: marks.filter((_mark, index) => index % 2 === 0), numbers };
  const curve = stepCurve(steps, end, shown);
  return curve && curveDrawing(curve, { id: 'curve', title: t.priceCurve, text: t.centsInclusive });
}

function tableRows(items: readonly PriceItem[], days: readonly ReturnType<typeof markedDay>[], t: Texts) {
  const marks = new Map<number, Mark>();
  for (const { cheap, dear } of days) {
    for (const { start } of cheap) marks.set(start, 'cheap');
    for (const { start } of dear) marks.set(start, 'dear');
  }
  const points = items.map((item) => ({
    start: startOf(item),
    values: [item.amount, ...item.components.map(({ amount }) => amount)],
  }));
  return chartRows(points, t.lang, DECIMALS).map((row, index) => {
    const kind = marks.get(Math.floor((points[index]?.start ?? 0) / HOUR) * HOUR) ?? null;
    return { ...row, kind, words: kind === null ? '' : t.marks[kind] };
  });
}
