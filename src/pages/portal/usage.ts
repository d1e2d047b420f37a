import { Decimal } from 'decimal.js';
import { DateTime } from 'luxon';
import { type EnergyCosts, energyCosts } from '../../billing/invoices/service.ts';
import type { SubscriptionRow } from '../../contracts/subscriptions/queries.ts';
import type { Usage } from '../../contracts/usage/schema.ts';
import { createUsage } from '../../contracts/usage/service.ts';
import { numberFormat } from '../../platform/http/pages/chart.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { roundAmount } from '../../platform/money.ts';
import {
  addDays,
  addMonths,
  berlinDayAt,
  berlinDayOf,
  berlinDays,
  berlinMidnight,
  berlinMilliseconds,
  type CalendarDay,
  earlier,
  firstOfMonth,
  later,
} from '../../platform/time/berlin-calendar.ts';
import { createPriceKind } from '../../spot-prices/service.ts';
import { contractPath, monthText, type PortalSite, type Visit } from './pages.ts';
import type { Texts } from './texts.ts';

const QUARTER_HOUR = 15 * 60_000;
const DECIMALS = 2;
const MONTH = /^20\d\d-(?:0[1-9]|1[0-2])$/;
const YEAR = /^20\d\d$/;

/** A month by days, or a year by months; days of Berlin, `end` exclusive. */
interface Span {
  unit: 'day' | 'month';
  first: CalendarDay;
  end: CalendarDay;
}

/** A row of the page. */
interface Part {
  day: CalendarDay;
  begins: number;
  usage: number | null;
  isFinal: boolean;
  /** How much of the part that is over and supplied has values; null where its meter was analog. */
  cover: { known: number; expected: number } | null;
}

/** Values inside the parts of some days. */
interface Finer extends Pick<Span, 'first' | 'end'> {
  data: Usage['data'];
}

/** The energy used or fed in: the days of a month, or the months of a year, and how much of them is known. */
export function usagePage({ deps, path, contractPage }: PortalSite): void {
  const { getUsage } = createUsage(deps);
  const kindOf = createPriceKind(deps);
  const usageOf = (
    { visitor }: Visit,
    { id }: SubscriptionRow,
    span: Span,
    resolution: Usage['resolution'],
    signal: AbortSignal,
  ) =>
    getUsage({
      principal: visitor,
      pathId: id,
      query: { resolution, start: span.first, end: span.end },
      requires: () => undefined,
      signal,
    });

  /** Of a smart meter. In the year in which it became one some months have days, and others have none. */
  async function finerOf(
    visit: Visit,
    contract: SubscriptionRow,
    span: Span,
    signal: AbortSignal,
  ): Promise<Finer[]> {
    const resolution = span.unit === 'day' ? '15min' : 'day';
    const found: Finer[] = [];
    const look = async (within: Span) => {
      const usage = await usageOf(visit, contract, within, resolution, signal);
      if (usage.resolution === resolution) found.push({ ...within, data: usage.data });
    };
    await look(span);
    if (found.length > 0) return found;
    for (let { first } = span; first < span.end; first = addMonths(first, 1)) await look(monthOf(first));
    return found;
  }

  async function shown(visit: Visit, contract: SubscriptionRow, chosen: Span, signal: AbortSignal) {
    let span = chosen;
    let usage = await usageOf(visit, contract, span, span.unit, signal);
    if (usage.resolution === 'month' && span.unit === 'day') {
      /* An analog meter knows no days. */
      span = yearOf(span.first);
      usage = await usageOf(visit, contract, span, 'month', signal);
    }
    const finer = usage.meter_type === 'smart' ? await finerOf(visit, contract, span, signal) : [];
    const costs = await costsOf(visit, contract, { span, usage, finer }, signal);
    return { span, usage, finer, costs };
  }

  /** Of a smart meter, whose quarter hours have prices; null: of others. */
  async function costsOf(
    visit: Visit,
    contract: SubscriptionRow,
    { span, usage, finer }: { span: Span; usage: Usage; finer: readonly Finer[] },
    signal: AbortSignal,
  ): Promise<EnergyCosts | null> {
    if (contract.type !== 'consumption' || usage.meter_type !== 'smart') return null;
    /* Settled months are kept by quarter hours; of the last ones, and of no others, some are measured only. */
    const open = usage.data.filter(({ type }) => span.unit === 'month' && type === 'preliminary');
    const measured = span.unit === 'day' ? finer.flatMap(({ data }) => data) : [];
    for (const { start } of open) {
      const month = await usageOf(visit, contract, monthOf(berlinDayOf(start)), '15min', signal);
      if (month.resolution === '15min') measured.push(...month.data);
    }
    const counted = measured.map(({ start, usage: kwh }) => ({
      start: DateTime.fromISO(start).toMillis(),
      kwh,
    }));
    const { organization } = visit.visitor;
    return await deps.database.inOrganization(visit.visitor, (connection) =>
      energyCosts(connection, organization, contract.id, span, counted),
    );
  }

  contractPage({
    name: 'usage',
    show: async (visit, contract) => {
      const { t, query } = visit;
      const today = berlinDayAt(deps.clock.nowMilliseconds());
      const { span, usage, finer, costs } = await visit.costly((signal) =>
        shown(visit, contract, spanOf(query, today), signal),
      );
      const parts = partsOf(span, usage.data, finer, suppliedDays(contract, today));
      const kwh = numberFormat(t.lang, DECIMALS);
      const last = parts.at(-1)?.day ?? span.first;
      const sum = Decimal.sum(0, ...parts.map((part) => part.usage ?? 0)).toNumber();
      const costOf = ({ day }: Part) =>
        span.unit === 'day' ? costs?.days.get(day) : costs?.months.get(day.slice(0, 7));
      const used = parts.filter((part) => part.usage !== null);
      const isPriced = costs !== null && used.length > 0 && used.every((part) => costOf(part)?.isFinite());
      const cost = Decimal.sum(0, ...(costs?.months.values() ?? []).map((month) => month ?? 0));
      const address = (name: 'month' | 'year', value: string) =>
        `${contractPath(path, contract.id, 'usage')}?${name}=${value}`;
      const link = (months: number) => {
        const first = addMonths(span.first, months);
        return span.unit === 'day'
          ? { to: address('month', first.slice(0, 7)), words: spanText(t, { ...span, first }) }
          : { to: address('year', first.slice(0, 4)), words: first.slice(0, 4) };
      };
      const step = span.unit === 'day' ? 1 : 12;
      return {
        template: 'usage',
        title: contract.type === 'feed_in' ? t.fedInTitle : t.usageTitle,
        hasChart: parts.length > 0,
        values: {
          span: t.usageOf(spanText(t, span)),
          sum: `${kwh.format(sum)} kWh${isPriced ? `, ${kwh.format(cost.toNumber())} €` : ''}`,
          hasCosts: costs !== null,
          isSynthetic: costs !== null && (await kindOf()) !== 'market',
          isPriced,
          end: berlinMidnight(span.unit === 'day' ? addDays(last, 1) : addMonths(last, 1)),
          column: span.unit === 'day' ? t.day : t.month,
          before: link(-step),
          after: span.end <= today ? link(step) : null,
          year: span.unit === 'day' ? address('year', span.first.slice(0, 4)) : null,
          hasPreliminary: parts.some(({ usage: known, isFinal }) => known !== null && !isFinal),
          rows: parts.map((part) => ({
            at: berlinMidnight(part.day),
            time: partText(t, span, part),
            mark: span.unit === 'day' ? `${Number(part.day.slice(8))}.` : `${Number(part.day.slice(5, 7))}.`,
            to: span.unit === 'month' && part.cover !== null ? address('month', part.day.slice(0, 7)) : null,
            value: part.usage,
            text: part.usage === null ? '' : kwh.format(part.usage),
            cost: part.usage === null ? '' : costText(t, costOf(part)),
            remark: remarkOf(t, span, part),
          })),
        },
      };
    },
  });
}

function costText(t: Texts, cost: Decimal | null | undefined): string {
  if (cost === undefined) return '';
  return cost === null ? t.noPrice : numberFormat(t.lang, DECIMALS).format(roundAmount(cost).toNumber());
}

function spanOf(query: unknown, today: CalendarDay): Span {
  const [month, year] = [textOf(query, 'month'), textOf(query, 'year')];
  if (MONTH.test(month)) return monthOf(`${month}-01`);
  return YEAR.test(year) ? yearOf(`${year}-01-01`) : monthOf(today);
}

function monthOf(day: CalendarDay): Span {
  const first = firstOfMonth(day);
  return { unit: 'day', first, end: addMonths(first, 1) };
}

function yearOf(day: CalendarDay): Span {
  const first = `${day.slice(0, 4)}-01-01`;
  return { unit: 'month', first, end: addMonths(first, 12) };
}

/** Those that are over; `end` exclusive. */
function suppliedDays({ start_at, end_at }: SubscriptionRow, today: CalendarDay) {
  return {
    first: start_at === null ? today : berlinDayOf(start_at),
    end: end_at === null ? today : earlier(berlinDayOf(end_at), today),
  };
}

/**
 * The parts of the span that are supplied and over, and those with values. The known share of a smart meter is counted in
 * quarter hours of a day, and in days of a month: a year would be 35,000 quarter hours for one number.
 */
function partsOf(
  span: Span,
  data: Usage['data'],
  finer: readonly Finer[],
  supplied: { first: CalendarDay; end: CalendarDay },
): Part[] {
  const days = berlinDays(span.first, span.end);
  const begins = span.unit === 'day' ? days : days.filter(({ day }) => day.endsWith('-01'));
  const values = new Map(data.map((interval) => [partKey(span, interval.start), interval]));
  const known = Map.groupBy(
    finer.flatMap((some) => some.data),
    ({ start }) => partKey(span, start),
  );
  return begins.flatMap(({ day, begins: at }): Part[] => {
    const next =
      span.unit === 'day' ? days[days.findIndex((other) => other.day === day) + 1]?.day : undefined;
    const end = span.unit === 'month' ? addMonths(day, 1) : (next ?? span.end);
    const [from, until] = [later(day, supplied.first), earlier(end, supplied.end)];
    const value = values.get(span.unit === 'day' ? day : day.slice(0, 7));
    if (from >= until && value === undefined) return [];
    const cover = {
      expected: from < until ? countOf(span, from, until) : 0,
      known: known.get(span.unit === 'day' ? day : day.slice(0, 7))?.length ?? 0,
    };
    return [
      {
        ...{ day, begins: at, usage: value?.usage ?? null, isFinal: value?.type === 'final' },
        cover: finer.some((some) => some.first <= day && day < some.end) ? cover : null,
      },
    ];
  });
}

function partKey({ unit }: Span, start: string): string {
  const day = berlinDayOf(start);
  return unit === 'day' ? day : day.slice(0, 7);
}

function countOf({ unit }: Span, from: CalendarDay, until: CalendarDay): number {
  if (unit === 'month') return berlinDays(from, until).length;
  return (berlinMilliseconds(until) - berlinMilliseconds(from)) / QUARTER_HOUR;
}

function spanText(t: Texts, { unit, first }: Span): string {
  return unit === 'day'
    ? monthText(t, Number(first.slice(0, 4)), Number(first.slice(5, 7)))
    : first.slice(0, 4);
}

function partText(t: Texts, { unit }: Span, { day, begins }: Part): string {
  if (unit === 'month') return monthText(t, Number(day.slice(0, 4)), Number(day.slice(5, 7)));
  const locale = t.lang === 'de' ? 'de-DE' : 'en-GB';
  return new Intl.DateTimeFormat(locale, {
    ...{ weekday: 'short', day: 'numeric', month: 'short', timeZone: 'Europe/Berlin' },
  }).format(begins);
}

function remarkOf(t: Texts, { unit }: Span, { usage, isFinal, cover }: Part): string {
  if (usage === null) return t.noValues;
  const { known, expected } = cover ?? { known: 0, expected: 0 };
  const isCovered = known >= expected;
  const share =
    unit === 'month'
      ? t.coveredDays(known, expected)
      : t.covered(
          new Intl.NumberFormat(t.lang, { style: 'percent' }).format(
            Math.floor((known * 100) / expected) / 100,
          ),
        );
  return [...(isFinal ? [] : [t.preliminary]), ...(isCovered ? [] : [share])].join(', ');
}
