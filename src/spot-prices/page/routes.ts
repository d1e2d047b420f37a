import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { DateTime } from 'luxon';
import { createSharedRead } from '../../platform/database/shared-read.ts';
import type { Deps } from '../../platform/deps.ts';
import { installLastingFiles, UPLOT } from '../../platform/http/pages/lasting-files.ts';
import { sendPageIn } from '../../platform/http/pages/public.ts';
import { pageRenderer } from '../../platform/http/pages/render.ts';
import { openTextsFor } from '../../platform/http/pages/texts.ts';
import { addVary } from '../../platform/http/vary.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import { centsPerKilowattHour } from '../amounts.ts';
import { addDays, dayStart, MARKET_TIME_ZONE } from '../calendar.ts';
import { createPriceKind } from '../price-kind.ts';
import { MARKET_SOURCES, meansSource } from '../providers/index.ts';
import { sentenceName } from '../providers/price-source.ts';
import { type Curve, type CurveInterval, missingText, readAttributions, readCurve } from './curve.ts';
import { type PriceTexts, textsIn } from './texts.ts';
import { intervalLabels, sourceName, viewOf } from './view.ts';

const views = join(import.meta.dirname, 'views');
const renderPage = pageRenderer(views);

/** Time for which everybody may keep an answer: the marker moves on by itself, prices appear once a day. */
const KEEP_CURVE = 'public, max-age=30';
const KEEP_SOURCES = 'public, max-age=300';

const MARKET_SOURCE_NAMES = new Intl.ListFormat('en-GB').format(MARKET_SOURCES.map(sentenceName));

/** The day-ahead prices for people: a curve with its tables, and whom the data come from. Nobody has to sign in. */
export async function pricePages(
  app: FastifyInstance,
  { deps }: { deps: Pick<Deps, 'config' | 'database' | 'clock'> },
): Promise<void> {
  const { config, database, clock } = deps;
  const addFile = installLastingFiles(app, '/prices/files');
  const script = addFile('js', 'text/javascript; charset=utf-8', [UPLOT.script, join(views, 'prices.js')]);
  const style = addFile('css', 'text/css; charset=utf-8', [UPLOT.style, join(views, 'prices.css')]);
  const shared = createSharedRead<string>();
  const kept = createShortCache<string>();
  const kindOf = createPriceKind({ database, config });
  const isSynthetic = async () => (await kindOf()) !== 'market';
  const curveNow = () => readCurve(database, clock.nowMilliseconds(), config.PRICES_PAGE_FORECASTS);

  async function renderCurve(t: PriceTexts): Promise<string> {
    const view = viewOf(await curveNow(), t);
    const page = { ...view, t, title: t.title, isSynthetic: await isSynthetic() };
    const frame = { lang: t.lang, words: t.frame, styles: [style], scripts: [script] };
    return renderPage('prices', { ...page, ...frame });
  }

  app.get('/prices', async (request, reply) => {
    const t = openTextsFor(request, textsIn);
    const page = await shared(`page ${t.lang}`, () => renderCurve(t));
    return sendPageIn(t.lang, reply, page, KEEP_CURVE);
  });

  app.get('/prices/curve.json', async (request, reply) => {
    const t = openTextsFor(request, textsIn);
    return addVary(reply, 'accept-encoding, accept-language, cookie')
      .header('cache-control', KEEP_CURVE)
      .type('application/json; charset=utf-8')
      .send(await shared(`document ${t.lang}`, async () => curveDocument(await curveNow(), t)));
  });

  async function renderSources(): Promise<string> {
    const attributions = await readAttributions(database);
    const sources = attributions.map(({ source, licence }) => ({
      name: sourceName(source, textsIn.en),
      licence,
    }));
    const page = {
      ...{ title: 'Data sources', sources, isSynthetic: await isSynthetic() },
      ...{ marketSources: MARKET_SOURCE_NAMES, means: meansSource.title },
    };
    return renderPage('data-sources', page);
  }

  app.get('/docs/data-sources', async (_request, reply) => {
    const html = await kept('sources', () => shared('sources', renderSources));
    return addVary(reply, 'accept-encoding')
      .header('cache-control', KEEP_SOURCES)
      .type('text/html; charset=utf-8')
      .send(html);
  });
}

/** Hours of the local day that get a mark on the axis of time beside midnight. */
const MARKED_HOURS = [6, 12, 18];

/**
 * What the script of the page draws. Marks of the axis are made here, by the clock of the market: on the two clock-change
 * days an hour of the browser's would stand in the wrong place.
 */
function curveDocument(curve: Curve, t: PriceTexts): string {
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
