import { Decimal } from 'decimal.js';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { pricesAreSynthetic } from '../../config/prices.ts';
import { LATEST_STABLE_VERSION, PREVIEW_VERSION, VERSION_NAMES } from '../../config/versions.ts';
import type { Connection } from '../../platform/database/db.ts';
import { isDatabaseUnavailable } from '../../platform/database/pg-errors.ts';
import { createSharedRead } from '../../platform/database/shared-read.ts';
import type { Deps } from '../../platform/deps.ts';
import { Failure } from '../../platform/errors.ts';
import { numberFormat } from '../../platform/http/pages/chart.ts';
import { curveDrawing } from '../../platform/http/pages/render.ts';
import { stepCurve } from '../../platform/http/pages/step-curve.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import {
  addDays,
  berlinDayAt,
  berlinMilliseconds,
  type CalendarDay,
} from '../../platform/time/berlin-calendar.ts';
import { type CurvePoint, realizedQuarterHours } from '../../spot-prices/service.ts';
import { renderPage } from './pages.ts';

const DAYS = 30;
const MINUTES = 5;
const MINUTE = 60_000;

/** Below it a rounded number would tell too much of one customer. */
const COARSE_MIN = 1_000;

const cents = numberFormat('en', 2);

type HomeDeps = Pick<Deps, 'config' | 'database' | 'clock' | 'readiness'>;

interface StoredRows {
  rows_of_days: number;
  rows_of_minutes: number;
}

/**
 * What is stored, today's prices and how the service is, then the doors. Everybody may open it as often as they like: a
 * process makes it once in five seconds, whoever asks, and of an outage it tells instead of being one.
 */
export function homePage(app: FastifyInstance, deps: HomeDeps): void {
  const shared = createSharedRead<string>();
  const kept = createShortCache<string>();
  app.get('/', async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=30')
      .type('text/html; charset=utf-8')
      .send(await kept('page', () => shared('page', () => render(deps)))),
  );
}

async function render({ config, database, clock, readiness }: HomeDeps): Promise<string> {
  const now = clock.nowMilliseconds();
  const today = berlinDayAt(now);
  const sinceMilliseconds = (Math.floor(now / MINUTE) - MINUTES + 1) * MINUTE;
  const isSynthetic = pricesAreSynthetic(config);
  const known = await database
    .asService(async (connection) => ({
      rows: await findStoredRows(
        connection,
        addDays(today, 1 - DAYS),
        new Date(sinceMilliseconds).toISOString(),
      ),
      points: await realizedQuarterHours(connection, today, addDays(today, 1)),
    }))
    .catch((error: unknown) => {
      if (isDatabaseUnavailable(error) || (error instanceof Failure && error.status === 503)) return null;
      throw error;
    });
  const isReady = (await readiness.reasons()).length === 0;
  const isCoarse = config.APP_ENV === 'production';
  const perMinute = ((known?.rows.rows_of_minutes ?? 0) * MINUTE) / (now - sinceMilliseconds);
  const stored =
    known === null
      ? [
          ['Values stored', 'not known now', 'the database does not answer'],
          ['Coming in', 'not known now', ''],
        ]
      : [
          ['Values stored', countText(known.rows.rows_of_days, isCoarse), `in the last ${DAYS} days`],
          ['Coming in', countText(perMinute, isCoarse), `a minute, in the last ${MINUTES} minutes`],
        ];
  const figures = [
    ...stored,
    priceFigure(known?.points ?? [], now, isSynthetic),
    ['Service', isReady ? 'ready' : 'disturbed', isReady ? 'takes requests' : 'readiness says why'],
  ];
  return renderPage('home', {
    ...{
      title: 'Home',
      figures,
      isSynthetic,
      curve: priceCurve(known?.points ?? [], today, now, isSynthetic),
    },
    portal: `${withoutBase(config.portalUrl, config.BASE_URL)}/login`,
    versions: VERSION_NAMES.toReversed().map((name) => ({ name, note: noteOn(name) })),
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

/** Of a service with customers two digits, which tell how large it is and not what one of them did. */
export function countText(count: number, isCoarse: boolean): string {
  const numbers = numberFormat('en');
  if (!isCoarse) return numbers.format(count);
  if (count < COARSE_MIN) return `below ${numbers.format(COARSE_MIN)}`;
  return `about ${numbers.format(Number(count.toPrecision(2)))}`;
}

function priceFigure(points: readonly CurvePoint[], now: number, isSynthetic: boolean): string[] {
  const name = isSynthetic ? 'Made-up price now' : 'Market price now';
  const current = points.findLast(({ start }) => start <= now);
  if (current === undefined || current.eurMwh === null) return [name, 'none', 'for this quarter hour'];
  const amount = cents.format(new Decimal(current.eurMwh).dividedBy(10).toNumber());
  return [name, `${amount} ct/kWh`, 'day-ahead, without fees and taxes'];
}

function priceCurve(points: readonly CurvePoint[], today: CalendarDay, now: number, isSynthetic: boolean) {
  const steps = points.map(({ start, eurMwh }) => ({
    start,
    value: eurMwh === null ? null : new Decimal(eurMwh).dividedBy(10).toNumber(),
  }));
  const marks = [0, 6, 12, 18].map((hour) => ({
    at: berlinMilliseconds(today, hour),
    text: `${String(hour).padStart(2, '0')}:00`,
  }));
  const numbers = numberFormat('en', 1);
  const curve = stepCurve(steps, berlinMilliseconds(addDays(today, 1)), { now, marks, numbers });
  if (curve === null) return null;
  const values = steps.flatMap(({ value }) => (value === null ? [] : [value]));
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => cents.format(value));
  return curveDrawing(curve, {
    id: 'today',
    title: isSynthetic ? 'Made-up prices of today' : 'Day-ahead prices of today',
    text: `From ${low} to ${high} ct/kWh, ${values.length} of ${steps.length} quarter hours. All of them: the page of prices.`,
  });
}

/** A path where it is served from here, the whole address where it has a host of its own. */
function withoutBase(address: string, base: string): string {
  return address.startsWith(`${base}/`) ? address.slice(base.length) : address;
}

export function noteOn(version: string): string {
  if (version === PREVIEW_VERSION) return ' (preview)';
  return version === LATEST_STABLE_VERSION ? ' (latest stable)' : '';
}
