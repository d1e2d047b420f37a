import { plain } from './amounts.ts';
import { datesWithin, floorToHour } from './days.ts';
import { isPublishedForGermany } from './publication.ts';
import { type FeedReply, type FeedRequest, jsonReply, notFound } from './reply.ts';
import { hoursOf, valuesOf } from './values.ts';

/* aWATTar: hours only, for the days of quarter hours their means; a window in milliseconds. */

const HOUR = 3_600_000;
/** The longest window answered: longer ones end early. */
const WINDOW_DAYS = 400;

export function answerAwattar(request: FeedRequest): FeedReply {
  const { query, now, switches } = request;
  if (request.path !== '/v1/marketdata') return notFound();
  const from = Number(query.get('start') ?? floorToHour(now));
  const end = Number(query.get('end') ?? from + 24 * HOUR);
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(end) || from < 0) {
    return jsonReply('{"error":"start and end must be milliseconds"}', 400);
  }
  const to = Math.min(end, from + WINDOW_DAYS * 24 * HOUR);
  const unit = JSON.stringify(switches.unit ?? 'Eur/MWh');
  const rows = datesWithin(from, to)
    .filter((date) => isPublishedForGermany('awattar', date, now, switches))
    .flatMap((date) => hoursOf(valuesOf(date, switches)))
    .filter(({ start, cents }) => start >= from && start < to && cents !== null)
    .map(
      ({ start, cents }) =>
        `{"start_timestamp":${start},"end_timestamp":${start + HOUR},"marketprice":${plain((cents ?? 0) / 100, 6)},"unit":${unit}}`,
    );
  return jsonReply(`{"object":"list","data":[${rows.join(',')}],"url":"/de/v1/marketdata"}`);
}
