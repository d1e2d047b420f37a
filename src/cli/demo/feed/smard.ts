import { shortDecimals } from './amounts.ts';
import { berlinInstant, dateAt, FIRST_DAY, feedDay, mondaysUntil, shiftDate, weekOf } from './days.ts';
import { delayOf, isPublishedForGermany, publishedAt } from './publication.ts';
import { type FeedReply, type FeedRequest, jsonReply, notFound, pageReply } from './reply.ts';
import { amountOf, hoursOf, valuesOf } from './values.ts';

/*
 * SMARD: an index of week files, named by the Berlin Monday at which they begin, and the files; what is not yet
 * published is null.
 */

type Resolution = 'hour' | 'quarterhour';

const INDEX = /^\/app\/chart_data\/4169\/DE-LU\/index_(hour|quarterhour)\.json$/;
const FILE = /^\/app\/chart_data\/4169\/DE-LU\/4169_DE-LU_(hour|quarterhour)_(\d{1,15})\.json$/;
const QUARTER = 15 * 60_000;
/** The next week's file appears on Sunday at noon, Berlin. */
const NEW_FILE_HOUR = 12;

export function answerSmard(request: FeedRequest): FeedReply {
  if (request.userAgent === '') return pageReply(200, 'Please confirm that you are not a robot');
  if (INDEX.test(request.path)) return jsonReply(`{"timestamps":[${listedWeeks(request).join(',')}]}`);
  const [, resolution, monday] = FILE.exec(request.path) ?? [];
  if (resolution === undefined || !listedWeeks(request).includes(Number(monday))) return notFound();
  return weekFile(request, resolution === 'hour' ? 'hour' : 'quarterhour', weekOf(Number(monday)));
}

function listedWeeks({ now, switches }: FeedRequest): number[] {
  const instant = now - delayOf(switches);
  const today = dateAt(instant);
  const isPastNoon = instant >= berlinInstant(today, NEW_FILE_HOUR, 0);
  return mondaysUntil(feedDay(isPastNoon ? shiftDate(today, 1) : today).from);
}

function weekFile(request: FeedRequest, resolution: Resolution, dates: readonly string[]): FeedReply {
  const rows = dates.flatMap((date) => {
    const known = isPublishedForGermany('smard', date, request.now, request.switches);
    return rowsOf(request, date, resolution).map(
      ([start, amount]) => `[${start},${known ? amount : 'null'}]`,
    );
  });
  const meta = `{"version":1,"created":${madeAt(request, dates)}}`;
  return jsonReply(`{"meta_data":${meta},"series":[${rows.join(',')}]}`);
}

/** Hours of the hourly days stand four times in a file of quarter hours; hours of later days are rounded means. */
function rowsOf(
  { switches }: FeedRequest,
  date: string,
  resolution: Resolution,
): (readonly [number, string])[] {
  const values = valuesOf(date, switches);
  if (feedDay(date).width === 15 && resolution === 'hour') {
    return hoursOf(values).map(({ start, cents }) => [
      start,
      cents === null ? 'null' : shortDecimals(Math.round(cents)),
    ]);
  }
  const repeats = feedDay(date).width === 60 && resolution === 'quarterhour' ? [0, 1, 2, 3] : [0];
  return values.flatMap((value) =>
    repeats.map(
      (quarter) => [value.start + quarter * QUARTER, value.dropped ? 'null' : amountOf(value)] as const,
    ),
  );
}

/** When the file last changed. */
function madeAt({ now, switches, count }: FeedRequest, dates: readonly string[]): number {
  const published = [shiftDate(dates[0] ?? FIRST_DAY, -1), ...dates]
    .map((date) => publishedAt('smard', date) + delayOf(switches))
    .filter((instant) => instant <= now);
  return Math.max(0, ...published) + (switches.fresh_mrid === true ? count * 1000 : 0);
}
