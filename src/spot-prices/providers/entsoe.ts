import { addDays, type DeliveryDay, dayStart } from '../calendar.ts';
import type { ReadBody, WireRequest } from '../series.ts';
import { type EntsoeBody, parseEntsoe, readEntsoePages, seriesCount, ZONE_DOMAINS } from './entsoe.wire.ts';
import {
  type Asked,
  dayAnswer,
  failedExchange,
  madeOf,
  type ReadExchange,
  readBody,
  readExchange,
  unite,
} from './exchange.ts';
import { feedUrl, type Provider, type ProviderParts, type Question } from './provider.ts';
import { type FeedAnswer, requestFeed } from './request.ts';
import { bodyBytesMax } from './wire-files.ts';

/** An answer with exactly so many series was cut there, without a word. */
const SERIES_MAX = 100;
const PAGES_MAX = 20;
const ANSWER_MILLISECONDS = 45_000;

export const entsoe: Provider = {
  source: 'entsoe',
  zones: ['DE-LU', 'DE-AT-LU'],
  /* Two auctions a day reach the limit of series with 50 days, should the filter be ignored. */
  daysMax: 45,
  ask,
};

async function ask(parts: ProviderParts, question: Question): Promise<Asked> {
  const pages: ReadExchange[] = [];
  const bodies: EntsoeBody[] = [];
  const request: WireRequest = { zone: question.zone, days: question.days };
  const hosts = [...parts.config.PRICES_ENTSOE_URL];
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

/** What a series may lack depends on all others of its day, so that pages are judged together. */
function asOneDocument(united: Asked, bodies: readonly EntsoeBody[], request: WireRequest): Asked {
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
  parts: ProviderParts,
  question: Question,
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
  parts: ProviderParts,
  { zone, days, signal }: Question,
  host: string,
  offset: number,
): Promise<FeedAnswer> {
  const token = parts.config.PRICES_ENTSOE_TOKEN ?? '';
  const [first = '', last = first] = [days[0], days.at(-1)];
  const url = feedUrl(host, '/api', {
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
  return requestFeed(parts, {
    source: 'entsoe',
    url,
    tokens: [token],
    bodyBytesMax: bodyBytesMax.entsoe,
    answerMilliseconds: ANSWER_MILLISECONDS,
    ...(signal === undefined ? {} : { signal }),
  });
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
