import { Decimal } from 'decimal.js';
import { organization as findOrganization } from '../../identity/organizations/service.ts';
import { type Chart, chartRows, numberFormat } from '../../platform/http/pages/chart.ts';
import { addDays, berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import {
  type CurvePoint,
  createPriceKind,
  type Publication,
  publicationOf,
  realizedQuarterHours,
} from '../../spot-prices/service.ts';
import { CONSOLE_PATH, type ConsoleSite, WORK } from './pages.ts';
import { findRecentSums, findStoredSums } from './queries.ts';
import { toldSentence } from './refusals.ts';
import type { Texts } from './texts.ts';
import { countWaiting, type Waiting } from './work/lists.ts';

/** The minute that runs, and those before it. */
const RECENT_MINUTES = 5;
const MINUTE = 60_000;

/** What waits, what is stored, how fast more comes, tomorrow's price, and how the service is. */
export function homePage({ deps, page }: ConsoleSite): void {
  const { clock, database, readiness } = deps;
  const kindOf = createPriceKind(deps);
  page('', async ({ visitor: { organization }, t }) => {
    const nowMilliseconds = clock.nowMilliseconds();
    const today = berlinDayAt(nowMilliseconds);
    const tomorrow = addDays(today, 1);
    const isSynthetic = (await kindOf()) !== 'market';
    const sinceMilliseconds = (Math.floor(nowMilliseconds / MINUTE) - RECENT_MINUTES + 1) * MINUTE;
    const { name } = await findOrganization(database, organization);
    const stored = await database.inOrganization({ organization }, async (connection) => ({
      sums: await findStoredSums(connection, organization, today),
      recent: await findRecentSums(connection, organization, new Date(sinceMilliseconds).toISOString()),
      waiting: await countWaiting(connection, organization, new Date(nowMilliseconds).toISOString()),
    }));
    const points = await database.asService((connection) =>
      realizedQuarterHours(connection, today, addDays(today, 2)),
    );
    const reasons = await readiness.reasons();
    const numbers = numberFormat(t.lang);
    const { sums, recent, waiting } = stored;
    const figures = [
      waitingFigure(waiting, t),
      [t.rowsStored, numbers.format(sums.rows_stored), t.rowsOfDay(numbers.format(sums.rows_of_day))],
      [
        t.rowsOfMinutes(RECENT_MINUTES),
        numbers.format(recent.rows_stored),
        t.recentRequests(numbers.format(recent.requests)),
      ],
      [t.requests, numbers.format(sums.requests_of_day), t.refusedOfDay(numbers.format(sums.refused_of_day))],
      tomorrowFigure(
        points.filter(({ start }) => berlinDayAt(start) === tomorrow),
        await publicationOf(database, tomorrow, nowMilliseconds),
        isSynthetic ? { ...t, priceTomorrow: t.priceTomorrowMadeUp } : t,
      ),
      reasons.length === 0
        ? [t.health, t.isHealthy, '']
        : [t.health, t.isDisturbed, '', reasons.map((reason) => toldSentence(reason, t))],
    ];
    return {
      ...{ template: 'home', of: 'home', title: name, values: { figures } },
      chart: priceChart(points, t, isSynthetic),
    };
  });
}

/** Of lists that go on beyond what is counted it is the least. */
function waitingFigure(waiting: readonly Waiting[], t: Texts) {
  const numbers = numberFormat(t.lang);
  const text = (count: number, isMore: boolean) =>
    isMore ? t.work.atLeast(numbers.format(count)) : numbers.format(count);
  const sum = waiting.reduce((total, { count }) => total + count, 0);
  const value =
    sum === 0
      ? t.work.nothingWaits
      : text(
          sum,
          waiting.some(({ isMore }) => isMore),
        );
  const lines = waiting.map(({ list, count, isMore, late }) => {
    const overdue = late === 0 ? '' : `, ${t.work.late(text(late, isMore && late === count))}`;
    return {
      words: `${t.work.lists[list].title}: ${text(count, isMore)}${overdue}`,
      address: `${CONSOLE_PATH}${WORK}/${list}`,
    };
  });
  return [t.work.waits, value, '', lines];
}

/** A mean only of a whole day. */
function tomorrowFigure(points: readonly CurvePoint[], publication: Publication, t: Texts): string[] {
  const known = points.flatMap(({ eurMwh }) => (eurMwh === null ? [] : [new Decimal(eurMwh).dividedBy(10)]));
  if (known.length === 0 || known.length < points.length) {
    return [t.priceTomorrow, ...t.noPriceTomorrow[publication]];
  }
  const cents = numberFormat(t.lang, 2);
  const text = (amount: Decimal) => cents.format(amount.toNumber());
  const range = t.lowestToHighest(text(Decimal.min(...known)), text(Decimal.max(...known)));
  return [t.priceTomorrow, `${text(Decimal.sum(...known).dividedBy(points.length))} ct/kWh`, range];
}

function priceChart(points: readonly CurvePoint[], t: Texts, isSynthetic: boolean): Chart {
  const known = points.filter(({ eurMwh }) => eurMwh !== null);
  const values = known.map(({ start, eurMwh }) => ({
    start,
    values: [new Decimal(eurMwh ?? 0).dividedBy(10).toFixed()],
  }));
  return {
    title: isSynthetic ? t.pricesOfNoMarket : t.prices,
    note: known.length === 0 ? t.noPrices : isSynthetic ? t.pricesMadeUp : t.pricesNote,
    ...{
      unit: 'ct/kWh',
      minutes: 15,
      columns: [isSynthetic ? t.priceMadeUp : t.price],
      rows: chartRows(values, t.lang, 2),
    },
  };
}
