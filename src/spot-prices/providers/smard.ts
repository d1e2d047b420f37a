import { DateTime } from 'luxon';
import { addDays, type DeliveryDay, dayStart, MARKET_TIME_ZONE, minutesOf } from '../calendar.ts';
import {
  type Asked,
  type Exchange,
  failedExchange,
  madeOf,
  notPublished,
  type ReadExchange,
  readExchange,
  unite,
} from './exchange.ts';
import {
  ANSWER_MILLISECONDS,
  feedUrl,
  type Provider,
  type ProviderParts,
  type Question,
} from './provider.ts';
import { type FeedAnswer, requestFeed } from './request.ts';
import { readSmardIndex } from './smard.wire.ts';
import { bodyBytesMax, wireFiles } from './wire-files.ts';

/** The day-ahead price of the zone: the number is the only statement of what is in a file. */
const SERIES = '4169';
const FOLDER = `/app/chart_data/${SERIES}/DE-LU`;

type Width = 'hour' | 'quarterhour';

export const smard: Provider = {
  source: 'smard',
  zones: ['DE-LU'],
  daysMax: 7,
  ask,
};

/** An index and a file per week for each width that the days have; in the week of the switch these are two. */
async function ask(parts: ProviderParts, question: Question): Promise<Asked> {
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
function widthOf(day: DeliveryDay): Width {
  return minutesOf(day) === 60 ? 'hour' : 'quarterhour';
}

/** The last entry has no days where something failed. */
async function askWidth(parts: ProviderParts, question: Question, width: Width): Promise<ReadExchange[]> {
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
  for (const name of [...known].sort((a, b) => a - b)) {
    const file = await askFile(parts, question, `${FOLDER}/${SERIES}_DE-LU_${width}_${name}.json`);
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

async function askFile(parts: ProviderParts, question: Question, path: string): Promise<ReadExchange> {
  const answer = await get(parts, question, path);
  if (answer.status === 'rejected' && answer.httpStatus === 404) {
    const detail = 'The file that the index lists is not there';
    const exchange: Exchange = { ...failedExchange(answer), outcome: 'transient_failure', detail };
    return { exchange, days: null };
  }
  return readExchange(answer, wireFiles.smard, { zone: question.zone, days: question.days });
}

function get(parts: ProviderParts, { signal }: Question, path: string): Promise<FeedAnswer> {
  return requestFeed(parts, {
    source: 'smard',
    url: feedUrl(parts.config.PRICES_SMARD_URL, path),
    tokens: [],
    bodyBytesMax: bodyBytesMax.smard,
    answerMilliseconds: ANSWER_MILLISECONDS,
    ...(signal === undefined ? {} : { signal }),
  });
}

function unreadableIndex(
  answer: Extract<FeedAnswer, { status: 'answered' }>,
  index: { status: 'failed' | 'rejected'; reason: string },
): Exchange {
  const status = index.status === 'failed' ? 'transient_failure' : 'rejected';
  return failedExchange({ ...answer, status, reason: index.reason });
}

/** Local midnight of the day's Monday: the name of its file. */
function weekStart(day: DeliveryDay): number {
  const { weekday } = DateTime.fromISO(day, { zone: MARKET_TIME_ZONE });
  return dayStart(addDays(day, 1 - weekday));
}
