import { configuredSources, settingsOf } from '../../config/price-sources.ts';
import { DE_LU_SINCE, type DeliveryDay } from '../calendar.ts';
import { readEnergyCharts } from './energy-charts.wire.ts';
import { type DaysAnswer, madeOf, notPublished, type ReadExchange, readExchange, unite } from './exchange.ts';
import { pause } from './pause.ts';
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

type OwnFields = 'name' | 'title' | 'origin' | 'pace' | 'licence' | 'address' | 'probe';

export const energyCharts = rangeSource(
  {
    ...configuredSources.energyCharts,
    title: 'Energy-Charts',
    /* It hands on what SMARD publishes for the German zone. */
    origin: 'BNetzA',
    pace: { daysMax: 90, milliseconds: 5_000 },
    probe: '/price?bzn=DE-LU&start=2026-01-01&end=2026-01-01',
  },
  { dayPaceMilliseconds: 5_000 },
);

/** A source that answers a range of days in the form of Energy-Charts; the pace is that between single days. */
export function rangeSource<const Name extends string>(
  own: Pick<PriceSource<Name>, OwnFields>,
  { dayPaceMilliseconds }: { dayPaceMilliseconds: number },
): PriceSource<Name> {
  const source: PriceSource<Name> = frozen({
    ...own,
    zones: { 'DE-LU': 'DE-LU' },
    firstDay: DE_LU_SINCE,
    limits: { bodyBytesMax: 8 * MEBIBYTE, answerMilliseconds: ANSWER_MILLISECONDS },
    read: readEnergyCharts,
    ask: (parts, question) => ask(source, dayPaceMilliseconds, parts, question),
  });
  return source;
}

/** A range of which no day is known is 404, and so is one that begins or ends too far off: then day by day. */
async function ask(
  source: PriceSource,
  dayPaceMilliseconds: number,
  parts: SourceParts,
  question: DaysQuestion,
): Promise<DaysAnswer> {
  const { days, signal } = question;
  const range = await askRange(source, parts, question, days);
  if (range.exchange.httpStatus !== 404 || range.days === null || days.length === 1) {
    return range.days === null ? { exchanges: [range.exchange], days: null } : unite(days, [range]);
  }
  const read: ReadExchange[] = [{ ...range, days: [] }];
  for (const day of days) {
    await pause(parts, dayPaceMilliseconds, signal);
    const reading = await askRange(source, parts, question, [day]);
    read.push(reading);
    if (reading.days === null) return { exchanges: read.map(({ exchange }) => exchange), days: null };
  }
  return unite(days, read);
}

async function askRange(
  source: PriceSource,
  parts: SourceParts,
  { zone, signal }: DaysQuestion,
  days: readonly DeliveryDay[],
): Promise<ReadExchange> {
  const url = sourceUrl(settingsOf(parts.config, source).addresses[0], '/price', {
    bzn: source.zones[zone] ?? zone,
    start: days[0] ?? '',
    end: days.at(-1) ?? '',
  });
  const answer = await askAddress(parts, source, url, signal);
  if (answer.status === 'rejected' && answer.httpStatus === 404) {
    return notPublished(madeOf(answer), 'Status 404: nothing for any of these days', days);
  }
  const read = readExchange(answer, source.read, { zone, days });
  return { ...read, exchange: { ...read.exchange, days } };
}
