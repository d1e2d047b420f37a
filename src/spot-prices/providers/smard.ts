import { DateTime } from 'luxon';
import { configuredSources, settingsOf } from '../../config/price-sources.ts';
import {
  addDays,
  DE_LU_SINCE,
  type DeliveryDay,
  dayStart,
  MARKET_TIME_ZONE,
  minutesOf,
} from '../calendar.ts';
import {
  type DaysAnswer,
  failedExchange,
  madeOf,
  notPublished,
  type ReadExchange,
  readExchange,
  type SourceExchange,
  unite,
} from './exchange.ts';
import {
  ANSWER_MILLISECONDS,
  askAddress,
  type DaysQuestion,
  frozen,
  MEBIBYTE,
  type PriceSource,
  type SourceParts,
  sourceUrl,
} from './price-source.ts';
import type { FeedAnswer } from './request.ts';
import { readSmard, readSmardIndex } from './smard.wire.ts';

/** The day-ahead price of the zone: the number is the only statement of what is in a file. */
const SERIES = '4169';
const ZONE = 'DE-LU';
const FOLDER = `/app/chart_data/${SERIES}/${ZONE}`;

type ChunkWidth = 'hour' | 'quarterhour';

export const smard: PriceSource<'smard'> = frozen({
  ...configuredSources.smard,
  title: 'SMARD',
  zones: { 'DE-LU': ZONE },
  origin: 'BNetzA',
  firstDay: DE_LU_SINCE,
  /* A file per week, found through an index: two requests a second are one file. */
  pace: { daysMax: 7, milliseconds: 1_000 },
  /* Neither across a Monday nor across the switch to quarter hours: both begin another file. */
  endsRequest: (day, next) => widthOf(day) !== widthOf(next) || weekStart(day) !== weekStart(next),
  limits: { bodyBytesMax: 2 * MEBIBYTE, answerMilliseconds: ANSWER_MILLISECONDS },
  probe: `${FOLDER}/index_quarterhour.json`,
  read: readSmard,
  ask,
});

/** An index and a file per week for each width that the days have; in the week of the switch these are two. */
async function ask(parts: SourceParts, question: DaysQuestion): Promise<DaysAnswer> {
  const byWidth = Map.groupBy(question.days, widthOf);
  const read: ReadExchange[] = [];
  for (const [width, days] of byWidth) {
    const answers = await askWidth(parts, { ...question, days }, width);
    read.push(...answers);
    if (answers.at(-1)?.days === null) return { exchanges: read.map(({ exchange }) => exchange), days: null };
  }
  return unite(question.days, read);
}

/** Other files repeat the hour four times, or round a mean of quarters. */
function widthOf(day: DeliveryDay): ChunkWidth {
  return minutesOf(day) === 60 ? 'hour' : 'quarterhour';
}

/** The last entry has no days where something failed. */
async function askWidth(
  parts: SourceParts,
  question: DaysQuestion,
  width: ChunkWidth,
): Promise<ReadExchange[]> {
  const answer = await get(parts, question, `${FOLDER}/index_${width}.json`);
  if (answer.status !== 'answered') return [{ exchange: failedExchange(answer), days: null }];
  const index = readSmardIndex(answer.body);
  if (index.status !== 'read') return [{ exchange: unreadableIndex(answer, index), days: null }];

  const read: ReadExchange[] = [];
  const listed = new Set(index.starts);
  const [known, absent] = [new Set<number>(), [] as DeliveryDay[]];
  for (const day of question.days) {
    const week = weekStart(day);
    if (listed.has(week)) for (const name of namesFor(day, week, index.starts)) known.add(name);
    else absent.push(day);
  }
  if (absent.length > 0) {
    read.push(notPublished(madeOf(answer), `The week of ${absent[0]} is not in the index`, absent));
  }
  for (const name of known) {
    const file = await askFile(parts, question, `${FOLDER}/${SERIES}_${ZONE}_${width}_${name}.json`);
    read.push(file);
    if (file.days === null) return read;
  }
  return read;
}

/** The file of the week; for a Monday of the newest week the one before as well, because the newest is late at times. */
function namesFor(day: DeliveryDay, week: number, starts: readonly number[]): number[] {
  const ascending = [...starts].sort((a, b) => a - b);
  const isNewest = ascending.at(-1) === week;
  const before = ascending.at(-2);
  return isNewest && before !== undefined && dayStart(day) === week ? [before, week] : [week];
}

async function askFile(parts: SourceParts, question: DaysQuestion, path: string): Promise<ReadExchange> {
  const answer = await get(parts, question, path);
  if (answer.status === 'rejected' && answer.httpStatus === 404) {
    const detail = 'The file that the index lists is not there';
    const exchange: SourceExchange = { ...failedExchange(answer), outcome: 'transient_failure', detail };
    return { exchange, days: null };
  }
  return readExchange(answer, readSmard, { zone: question.zone, days: question.days });
}

function get(parts: SourceParts, { signal }: DaysQuestion, path: string): Promise<FeedAnswer> {
  const [base] = settingsOf(parts.config, smard).addresses;
  return askAddress(parts, smard, sourceUrl(base, path), signal);
}

function unreadableIndex(
  answer: Extract<FeedAnswer, { status: 'answered' }>,
  index: { status: 'failed' | 'rejected'; reason: string },
): SourceExchange {
  const status = index.status === 'failed' ? 'transient_failure' : 'rejected';
  return failedExchange({ ...answer, status, reason: index.reason });
}

/** Local midnight of the day's Monday: the name of its file. */
function weekStart(day: DeliveryDay): number {
  const { weekday } = DateTime.fromISO(day, { zone: MARKET_TIME_ZONE });
  return dayStart(addDays(day, 1 - weekday));
}
