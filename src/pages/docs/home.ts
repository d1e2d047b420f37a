import { Decimal } from 'decimal.js';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { PriceKind } from '../../config/prices.ts';
import { LATEST_STABLE_VERSION, PREVIEW_VERSION, VERSION_NAMES } from '../../config/versions.ts';
import type { Connection } from '../../platform/database/db.ts';
import { isDatabaseUnavailable } from '../../platform/database/pg-errors.ts';
import { createSharedRead } from '../../platform/database/shared-read.ts';
import type { Deps } from '../../platform/deps.ts';
import { Failure } from '../../platform/errors.ts';
import { numberFormat } from '../../platform/http/pages/chart.ts';
import { sendPageIn } from '../../platform/http/pages/public.ts';
import { curveDrawing } from '../../platform/http/pages/render.ts';
import { stepCurve } from '../../platform/http/pages/step-curve.ts';
import { openTextsFor } from '../../platform/http/pages/texts.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import {
  addDays,
  berlinDayAt,
  berlinMilliseconds,
  type CalendarDay,
} from '../../platform/time/berlin-calendar.ts';
import { type CurvePoint, createPriceKind, realizedQuarterHours } from '../../spot-prices/service.ts';
import { DOORS, type HomeTexts, PORTAL, textsIn } from './home-texts.ts';
import { partsOf, renderPage } from './pages.ts';

const DAYS = 30;
const MINUTES = 5;
const MINUTE = 60_000;

/** Below it a rounded number would tell too much of one customer. */
const COARSE_MIN = 1_000;

type HomeDeps = Pick<Deps, 'config' | 'database' | 'clock' | 'readiness'>;

interface StoredRows {
  rows_of_days: number;
  rows_of_minutes: number;
}

/**
 * What is stored, today's prices and how the service is, then the doors. Everybody may open it as often as they like: a
 * process makes it once in five seconds in each language, whoever asks, and of an outage it tells instead of being one.
 */
export function homePage(app: FastifyInstance, deps: HomeDeps): void {
  const shared = createSharedRead<string>();
  const kept = createShortCache<string>();
  const kindOf = createPriceKind(deps);
  app.get('/', async (request, reply) => {
    const t = openTextsFor(request, textsIn);
    const page = await kept(t.lang, () => shared(t.lang, () => render(deps, t, kindOf)));
    return sendPageIn(t.lang, reply, page, 'public, max-age=30');
  });
}

async function render(
  { config, database, clock, readiness }: HomeDeps,
  t: HomeTexts,
  kindOf: () => Promise<PriceKind>,
): Promise<string> {
  const now = clock.nowMilliseconds();
  const today = berlinDayAt(now);
  const sinceMilliseconds = (Math.floor(now / MINUTE) - MINUTES + 1) * MINUTE;
  const known = await database
    .asService(async (connection) => ({
      rows: await findStoredRows(
        connection,
        addDays(today, 1 - DAYS),
        new Date(sinceMilliseconds).toISOString(),
      ),
      points: await realizedQuarterHours(connection, today, addDays(today, 1)),
    }))
    .then(async (read) => ({ ...read, isSynthetic: (await kindOf()) !== 'market' }))
    .catch((error: unknown) => {
      if (isDatabaseUnavailable(error) || (error instanceof Failure && error.status === 503)) return null;
      throw error;
    });
  const isSynthetic = known?.isSynthetic === true;
  const isReady = (await readiness.reasons()).length === 0;
  const isCoarse = config.APP_ENV === 'production';
  const perMinute = ((known?.rows.rows_of_minutes ?? 0) * MINUTE) / (now - sinceMilliseconds);
  const stored =
    known === null
      ? [
          [t.stored, t.notKnown, t.noDatabase],
          [t.comingIn, t.notKnown, ''],
        ]
      : [
          [t.stored, countText(known.rows.rows_of_days, isCoarse, t), t.inDays(DAYS)],
          [t.comingIn, countText(perMinute, isCoarse, t), t.inMinutes(MINUTES)],
        ];
  const figures = [
    ...stored,
    priceFigure(known?.points ?? [], now, isSynthetic, t),
    [t.service, ...(isReady ? [t.ready, t.takesRequests] : [t.disturbed, t.readinessSays])],
  ];
  const portal = `${withoutBase(config.portalUrl, config.BASE_URL)}/login`;
  return renderPage('home', {
    ...{ t, title: t.title, lang: t.lang, words: t.frame, figures, isSynthetic, partsOf },
    curve: priceCurve(known?.points ?? [], { today, now, isSynthetic, t }),
    doors: DOORS.map(({ id, name, text, links }) => ({
      ...{ id, name: name[t.lang], text: text[t.lang] },
      links: links.map(([address, words]) => [address === PORTAL ? portal : address, words[t.lang]]),
    })),
    versions: VERSION_NAMES.toReversed().map((name) => ({ name, note: noteOn(name, t) })),
  });
}

async function findStoredRows(
  connection: Connection,
  firstDay: CalendarDay,
  since: string,
): Promise<StoredRows> {
  const { rows } = await sql<StoredRows>`
    SELECT rows_of_days::float8, rows_of_minutes::float8
      FROM find_stored_rows(${firstDay}::date, ${since}::timestamptz)`.execute(connection);
  return rows[0] ?? { rows_of_days: 0, rows_of_minutes: 0 };
}

/** A service with customers shows two digits. They tell how large it is, and not what a single customer did. */
export function countText(count: number, isCoarse: boolean, t: HomeTexts = textsIn.en): string {
  const numbers = numberFormat(t.lang);
  if (!isCoarse) return numbers.format(count);
  if (count < COARSE_MIN) return t.below(numbers.format(COARSE_MIN));
  return t.about(numbers.format(Number(count.toPrecision(2))));
}

function priceFigure(
  points: readonly CurvePoint[],
  now: number,
  isSynthetic: boolean,
  t: HomeTexts,
): string[] {
  const name = isSynthetic ? t.madeUpPriceNow : t.priceNow;
  const current = points.findLast(({ start }) => start <= now);
  if (current === undefined || current.eurMwh === null) return [name, t.noPrice, t.forQuarterHour];
  const amount = numberFormat(t.lang, 2).format(new Decimal(current.eurMwh).dividedBy(10).toNumber());
  return [name, `${amount} ct/kWh`, t.withoutFees];
}

function priceCurve(
  points: readonly CurvePoint[],
  { today, now, isSynthetic, t }: { today: CalendarDay; now: number; isSynthetic: boolean; t: HomeTexts },
) {
  const steps = points.map(({ start, eurMwh }) => ({
    start,
    value: eurMwh === null ? null : new Decimal(eurMwh).dividedBy(10).toNumber(),
  }));
  const marks = [0, 6, 12, 18].map((hour) => ({
    at: berlinMilliseconds(today, hour),
    text: `${String(hour).padStart(2, '0')}:00`,
  }));
  const numbers = numberFormat(t.lang, 1);
  const curve = stepCurve(steps, berlinMilliseconds(addDays(today, 1)), { now, marks, numbers });
  if (curve === null) return null;
  const values = steps.flatMap(({ value }) => (value === null ? [] : [value]));
  const cents = numberFormat(t.lang, 2);
  const [low = '', high = ''] = [Math.min(...values), Math.max(...values)].map((value) =>
    cents.format(value),
  );
  return curveDrawing(curve, {
    id: 'today',
    title: isSynthetic ? t.madeUpCurve : t.curve,
    text: t.curveText(low, high, values.length, steps.length),
  });
}

/** A path where it is served from here, the whole address where it has a host of its own. */
function withoutBase(address: string, base: string): string {
  return address.startsWith(`${base}/`) ? address.slice(base.length) : address;
}

export function noteOn(version: string, { notes }: HomeTexts = textsIn.en): string {
  if (version === PREVIEW_VERSION) return notes.preview;
  return version === LATEST_STABLE_VERSION ? notes.stable : '';
}
