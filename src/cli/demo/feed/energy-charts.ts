import { plain, shortDecimals, withFloatNoise } from './amounts.ts';
import { dateAt, datesWithin, FIRST_DAY, feedDay, isDate, shiftDate } from './days.ts';
import { isPublishedForGermany } from './publication.ts';
import { type FeedReply, type FeedRequest, jsonReply, notFound, SYNTHETIC } from './reply.ts';
import { type FeedValue, valuesOf } from './values.ts';

/* Energy-Charts: parallel arrays for whole local days; some numbers are what binary floats made of them. */

const NOISY_EVERY = 40;
const LICENCE = `${SYNTHETIC} In the form of: CC BY 4.0 (creativecommons.org/licenses/by/4.0) from Bundesnetzagentur | SMARD.de`;

export function answerEnergyCharts(request: FeedRequest): FeedReply {
  const { query, now, switches } = request;
  if (request.path !== '/price') return notFound();
  const today = dateAt(now);
  const [start, end] = [query.get('start'), query.get('end')];
  const [first, last] = start === null || end === null ? [today, today] : [start, end];
  if (!isDate(first) || !isDate(last)) return jsonReply('{"detail":"start and end must be YYYY-MM-DD"}', 422);
  if (first !== last && switches.range_404 === true) return nothing();
  const values: FeedValue[] = [];
  if (query.get('bzn') === 'DE-LU') {
    /* Nothing is published for the day after tomorrow: a request to the end of time ends there. */
    const newest = feedDay(shiftDate(today, 1));
    const from = Math.max(feedDay(first).from, feedDay(FIRST_DAY).from);
    const to = Math.min(feedDay(last).to, newest.to);
    for (const date of datesWithin(from, to)) {
      if (isPublishedForGermany('energy-charts', date, now, switches)) {
        values.push(...valuesOf(date, switches));
      }
    }
  }
  if (values.length === 0) return nothing();
  const seconds = values.map(({ start: milliseconds }) => milliseconds / 1000).join(',');
  const prices = values.map(printed).join(',');
  const unit = JSON.stringify(switches.unit ?? 'EUR / MWh');
  return jsonReply(
    `{"license_info":${JSON.stringify(LICENCE)},"unix_seconds":[${seconds}],"price":[${prices}],"unit":${unit},"deprecated":false}`,
  );
}

function nothing(): FeedReply {
  return jsonReply('{"detail":"No content available for this request"}', 404);
}

/** Whole numbers come with and without a decimal point. */
function printed(value: FeedValue, index: number): string {
  if (value.dropped) return 'null';
  if (value.literal !== null) return value.literal;
  if (index % NOISY_EVERY === 0) return withFloatNoise(value.cents);
  return value.cents % 1000 === 0 ? plain(value.cents / 100, 0) : shortDecimals(value.cents);
}
