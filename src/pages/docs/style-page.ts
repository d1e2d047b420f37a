import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../platform/deps.ts';
import { chartRows, numberFormat } from '../../platform/http/pages/chart.ts';
import { installLastingFiles, TABLE_CHART, UPLOT } from '../../platform/http/pages/lasting-files.ts';
import { COLORS, contrastOf, type Scheme, TEXT_COLORS } from '../../platform/http/pages/look.ts';
import { curveDrawing } from '../../platform/http/pages/render.ts';
import { stepCurve } from '../../platform/http/pages/step-curve.ts';
import { berlinDayAt, berlinMilliseconds } from '../../platform/time/berlin-calendar.ts';
import { renderPage, sendPage } from './pages.ts';

const HOUR = 3_600_000;

/** Invented, with a hole: what a day of prices can look like. */
const SAMPLE_PRICES = [
  9,
  8,
  7,
  7,
  8,
  10,
  14,
  16,
  12,
  6,
  2,
  -1,
  -3,
  -2,
  1,
  null,
  null,
  12,
  17,
  19,
  16,
  13,
  11,
  10,
];

/** Its cheapest and its dearest hours. */
const SAMPLE_MARKS: Readonly<Record<string, readonly number[]>> = { cheap: [11, 12, 13], dear: [18, 19, 20] };

/** Samples of all parts of the pages, in both schemes, for whoever changes the common style. */
export function stylePage(app: FastifyInstance, { clock }: Pick<Deps, 'clock'>): void {
  const addFile = installLastingFiles(app, '/docs/style/files');
  const fixed = {
    title: 'Style',
    scripts: [addFile('js', 'text/javascript; charset=utf-8', TABLE_CHART)],
    styles: [addFile('css', 'text/css; charset=utf-8', [UPLOT.style])],
    schemes: (['light', 'dark'] as const).map((scheme) => ({
      ...{ scheme, name: scheme === 'light' ? 'Light' : 'Dark', colors: colorsOf(scheme) },
      curve: sampleCurve(scheme),
    })),
  };
  app.get('/docs/style', async (_request, reply) => {
    const rows = sampleRows(clock.nowMilliseconds());
    return sendPage(reply, renderPage('style', { ...fixed, rows }));
  });
}

/** Of today, so that now lies in it. */
function sampleRows(now: number) {
  const midnight = berlinMilliseconds(berlinDayAt(now));
  const points = SAMPLE_PRICES.map((value, hour) => ({ start: midnight + hour * HOUR, values: [value] }));
  const kindOf = (hour: number) =>
    Object.keys(SAMPLE_MARKS).find((kind) => SAMPLE_MARKS[kind]?.includes(hour));
  return chartRows(points, 'en', 1).map((row, hour) => ({ ...row, kind: kindOf(hour) ?? '' }));
}

/** Each text colour with its contrast to the page. */
function colorsOf(scheme: Scheme) {
  const at = scheme === 'light' ? 0 : 1;
  return TEXT_COLORS.map((name) => ({
    ...{ name, color: COLORS[name][at] },
    contrast: contrastOf(COLORS[name][at], COLORS.paper[at]).toFixed(1),
  }));
}

function sampleCurve(scheme: Scheme) {
  const steps = SAMPLE_PRICES.map((value, hour) => ({ start: hour * HOUR, value }));
  const marks = [0, 6, 12, 18].map((hour) => ({
    ...{ at: hour * HOUR, text: `${String(hour).padStart(2, '0')}:00` },
  }));
  const curve = stepCurve(steps, 24 * HOUR, { now: 9 * HOUR, marks, numbers: numberFormat('en', 1) });
  const words = { title: 'An invented day', text: 'From -3 to 19, a hole in the afternoon.' };
  return curve === null ? null : curveDrawing(curve, { id: `sample-${scheme}`, ...words });
}
