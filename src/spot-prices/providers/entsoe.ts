import { configuredSources, settingsOf } from '../../config/price-sources.ts';
import { addDays, type DeliveryDay, dayStart } from '../calendar.ts';
import type { ReadBody, WireRequest } from '../series.ts';
import {
  type EntsoeBody,
  parseEntsoe,
  readEntsoe,
  readEntsoePages,
  seriesCount,
  ZONE_DOMAINS,
} from './entsoe.wire.ts';
import {
  type DaysAnswer,
  dayAnswer,
  failedExchange,
  madeOf,
  type ReadExchange,
  readBody,
  readExchange,
  unite,
} from './exchange.ts';
import {
  askAddress,
  type DaysQuestion,
  frozen,
  MEBIBYTE,
  type PriceSource,
  type SourceParts,
  sourceUrl,
} from './price-source.ts';
import type { FeedAnswer } from './request.ts';

/** ENTSO-E cuts an answer after so many series and does not say so. */
const SERIES_MAX = 100;
const PAGES_MAX = 20;

export const entsoe: PriceSource<'entsoe'> = frozen({
  ...configuredSources.entsoe,
  title: 'ENTSO-E Transparency Platform',
  shortTitle: 'ENTSO-E',
  zones: ZONE_DOMAINS,
  origin: 'TSO/NEMO',
  /* The platform began in that month. */
  firstDay: '2015-01-01',
  /* Two auctions a day reach the limit of series with 50 days, should the filter be ignored. */
  pace: { daysMax: 45, milliseconds: 1_000 },
  limits: {
    bodyBytesMax: 8 * MEBIBYTE,
    answerMilliseconds: 45_000,
    /* It bans the address for that long. */
    throttledMillisecondsMin: 10 * 60_000,
  },
  read: readEntsoe,
  ask,
});

async function ask(parts: SourceParts, question: DaysQuestion): Promise<DaysAnswer> {
  const pages: ReadExchange[] = [];
  const bodies: EntsoeBody[] = [];
  const request: WireRequest = { zone: question.zone, days: question.days };
  const hosts = [...settingsOf(parts.config, entsoe).addresses];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { failed, last } = await askHosts(parts, question, hosts, page * SERIES_MAX);
    for (const answer of failed) pages.push({ exchange: failedExchange(answer), days: null });
    const isDocument = last.status === 'answered' || last.httpStatus === 400;
    const body = isDocument && last.body !== undefined ? parseEntsoe(last.body) : null;
    const read = readPage(last, body, request);
    pages.push(read);
    if (read.days === null) return { exchanges: pages.map(({ exchange }) => exchange), days: null };
    if (body === null) break;
    bodies.push(body);
    if (seriesCount(body) !== SERIES_MAX) break;
  }
  const united = unite(question.days, pages);
  return bodies.length < 2 ? united : asOneDocument(united, bodies, request);
}

/** Reads all pages together: the other series of a day decide what one of them may lack. */
function asOneDocument(united: DaysAnswer, bodies: readonly EntsoeBody[], request: WireRequest): DaysAnswer {
  const whole = readEntsoePages(bodies, request);
  if (whole.status === 'not_published') return united;
  if (whole.status !== 'read') {
    const outcome = whole.status === 'failed' ? 'transient_failure' : 'rejected';
    const exchanges = united.exchanges.map(
      (exchange) => ({ ...exchange, outcome, detail: whole.reason }) as const,
    );
    return { exchanges, days: null };
  }
  const page = (deliveryOn: DeliveryDay) =>
    united.days?.find((day) => day.deliveryOn === deliveryOn)?.exchange ?? 0;
  return { ...united, days: whole.days.map((day) => dayAnswer(day, page(day.deliveryOn))) };
}

interface HostAnswers {
  readonly failed: readonly Exclude<FeedAnswer, { status: 'answered' }>[];
  readonly last: FeedAnswer;
}

/** The second host after a failed connection or a 5xx of the first; later pages begin with the one that answered. */
async function askHosts(
  parts: SourceParts,
  question: DaysQuestion,
  hosts: string[],
  offset: number,
): Promise<HostAnswers> {
  const failed: Exclude<FeedAnswer, { status: 'answered' }>[] = [];
  for (;;) {
    const [host = ''] = hosts;
    const last = await askHost(parts, question, host, offset);
    const isAway = last.status === 'transient_failure' && (last.httpStatus ?? 599) >= 500;
    if (last.status === 'answered' || !isAway || hosts.length < 2) return { failed, last };
    failed.push(last);
    hosts.shift();
  }
}

function askHost(
  parts: SourceParts,
  { zone, days, signal }: DaysQuestion,
  host: string,
  offset: number,
): Promise<FeedAnswer> {
  const { token = '' } = settingsOf(parts.config, entsoe);
  const [first = '', last = first] = [days[0], days.at(-1)];
  const url = sourceUrl(host, '/api', {
    securityToken: token,
    documentType: 'A44',
    in_Domain: ZONE_DOMAINS[zone],
    out_Domain: ZONE_DOMAINS[zone],
    'contract_MarketAgreement.type': 'A01',
    'classificationSequence_AttributeInstanceComponent.position': '1',
    periodStart: minuteText(dayStart(first)),
    periodEnd: minuteText(dayStart(addDays(last, 1))),
    ...(offset === 0 ? {} : { offset: String(offset) }),
  });
  return askAddress(parts, entsoe, url, signal);
}

/** An acknowledgement came with 400 in earlier years, and comes with 200 now: its text decides, not the status. */
function readPage(answer: FeedAnswer, body: EntsoeBody | null, request: WireRequest): ReadExchange {
  const readParsed: ReadBody = (bytes) => readEntsoePages([body ?? parseEntsoe(bytes)], request);
  if (answer.status !== 'rejected' || answer.httpStatus !== 400 || answer.body === undefined) {
    return readExchange(answer, readParsed, request);
  }
  const read = readBody(madeOf(answer), answer.body, readParsed, request);
  return read.exchange.outcome === 'not_published' || read.exchange.outcome === 'rejected'
    ? read
    : readExchange(answer, readParsed, request);
}

/** `yyyyMMddHHmm` in UTC. */
function minuteText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/[-:T]/g, '').slice(0, 12);
}
