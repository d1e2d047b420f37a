import {
  type DeliveryDay,
  type IntervalMinutes,
  minutesOf,
  startText,
  type Zone,
  zoneOf,
} from '../calendar.ts';
import type { WireAnswer, WireRequest } from '../series.ts';
import { answerOf, failed, quoted, rejected, sha256 } from './body.ts';
import { DayReadings } from './day-readings.ts';
import { type EntsoePeriod, expandPeriod, readPeriod } from './entsoe-period.ts';
import { childrenOf, childText, readXml, type XmlElement } from './xml-tree.ts';

/** The codes of the bidding zones; 10Y1001A1001A83F, the country, has no prices. */
export const ZONE_DOMAINS: Readonly<Record<Zone, string>> = {
  'DE-LU': '10Y1001A1001A82H',
  'DE-AT-LU': '10Y1001A1001A63L',
};

/** What decides about a series besides itself. */
export interface MarketRule {
  domainOn(deliveryOn: DeliveryDay): string;
  minutesOn(deliveryOn: DeliveryDay): IntervalMinutes;
  /** More than one auction is published: a series that names none is believed only if no series of its day does. */
  readonly severalAuctions: boolean;
}

/** A year of both auctions has 732. Every Period is expanded: 8 MiB of overlapping ones would be hours of work. */
const PERIOD_DAYS_MAX = 10_000;

/** A body as a tree, or why there is none. A year of it takes a second to parse: everything about it reads one tree. */
export type EntsoeBody =
  | { readonly status: 'parsed'; readonly root: XmlElement }
  | Extract<WireAnswer, { status: 'failed' | 'rejected' }>;

export function parseEntsoe(body: Uint8Array): EntsoeBody {
  return answerOf(() => ({ status: 'parsed' as const, root: readXml(body) }));
}

export function readEntsoe(body: Uint8Array, request: WireRequest): WireAnswer {
  return readEntsoePages([parseEntsoe(body)], request);
}

/**
 * An answer holds at most 100 TimeSeries; longer ones come in pages, which are one document: whether a series may lack
 * its sequence depends on all others of its day.
 */
export function readEntsoePages(
  bodies: readonly EntsoeBody[],
  request: WireRequest,
  rule: MarketRule = germanMarket(request),
): WireAnswer {
  const broken = bodies.find((body) => body.status !== 'parsed');
  if (broken !== undefined) return broken;
  return answerOf(() => {
    const roots = bodies.flatMap((body) => (body.status === 'parsed' ? [body.root] : []));
    const documents = roots.filter((root) => !isNothing(root));
    if (documents.length === 0) {
      return { status: 'not_published', detail: roots.map((root) => reasonsOf(root).join('; ')).join('; ') };
    }
    for (const document of documents) assertPrices(document);
    const readings = new DayReadings({ days: request.days, minutesOn: rule.minutesOn });
    readAll(documents, readings, rule);
    return {
      status: 'read',
      ...readings.read(),
      contentHash: sha256(documents.map(contentOf).join('\n')),
      sourceStamp: (documents[0] && childText(documents[0], 'createdDateTime')) ?? null,
      licence: null,
    };
  });
}

/** How many TimeSeries a well-formed body has; null for every other body. Exactly 100 ask for the next page. */
export function seriesCount(body: EntsoeBody): number | null {
  return body.status === 'parsed' ? childrenOf(body.root, 'TimeSeries').length : null;
}

function germanMarket({ zone, days }: WireRequest): MarketRule {
  return {
    domainOn: (deliveryOn) => ZONE_DOMAINS[days === null ? zoneOf(deliveryOn) : zone],
    minutesOn: minutesOf,
    severalAuctions: true,
  };
}

/** An acknowledgement that nothing matches. The root decides, not the status: both 200 and 400 have been sent with it. */
function isNothing(root: XmlElement): boolean {
  if (root.name !== 'Acknowledgement_MarketDocument') return false;
  const reasons = reasonsOf(root);
  const others = reasons.filter((text) => !text.startsWith('No matching data found'));
  if (reasons.length > 0 && others.length === 0) return true;
  throw rejected(`The request was refused: ${quoted(others.join('; ') || 'no reason given')}`);
}

function reasonsOf(root: XmlElement): string[] {
  return childrenOf(root, 'Reason').map((reason) => childText(reason, 'text') ?? '');
}

function assertPrices(root: XmlElement): void {
  if (root.name !== 'Publication_MarketDocument') {
    throw failed(`The root element is ${quoted(root.name)}, not Publication_MarketDocument`);
  }
  const type = childText(root, 'type');
  if (type !== 'A44') {
    throw rejected(`type is ${type === undefined ? 'absent' : quoted(type)}, not "A44" (prices)`);
  }
}

/** Without the two elements that are new in every answer. */
function contentOf(root: XmlElement): string {
  const lasting = root.children.filter(({ name }) => name !== 'mRID' && name !== 'createdDateTime');
  return JSON.stringify({ name: root.name, children: lasting });
}

function assertModest(every: readonly EntsoeSeries[]): void {
  const milliseconds = every
    .flatMap((series) => series.periods)
    .reduce((sum, period) => sum + period.to - period.from, 0);
  if (milliseconds > PERIOD_DAYS_MAX * 86_400_000) {
    throw rejected(`The Periods of the body cover more than ${PERIOD_DAYS_MAX} days`);
  }
}

function readAll(documents: readonly XmlElement[], readings: DayReadings, rule: MarketRule): void {
  const every = documents
    .flatMap((document) => childrenOf(document, 'TimeSeries'))
    .map((element, index) => readSeries(element, `TimeSeries ${index + 1}`));
  assertModest(every);
  const all = every.map((series) => ({
    series,
    periods: series.periods.map((period) => ({ period, days: readings.daysWithin(period.from, period.to) })),
  }));
  const daysWithAuction = new Set<DeliveryDay>();
  for (const { series, periods } of all) {
    for (const day of periods.flatMap(({ days }) => days)) {
      readings.see(day);
      if (series.auction !== 'unstated') daysWithAuction.add(day);
    }
  }
  for (const { series, periods } of all) {
    /* Never another auction, not even to fill a hole: for us its intervals are not published. */
    if (series.auction === 'another') continue;
    if (periods.length === 0) for (const problem of series.problems) readings.refuse(null, problem);
    for (const { period, days } of periods) {
      const values = expandPeriod(period, series.repeats);
      for (const day of days) {
        const problems = problemsOn(day, series, period, readings, rule);
        for (const problem of problems) readings.refuse(day, problem);
        const nameless = series.auction === 'unstated' && rule.severalAuctions && daysWithAuction.has(day);
        if (problems.length === 0 && !nameless) addValues(day, period, values, readings);
      }
    }
  }
}

function problemsOn(
  day: DeliveryDay,
  series: EntsoeSeries,
  period: EntsoePeriod,
  readings: DayReadings,
  rule: MarketRule,
): readonly string[] {
  const domain = domainProblem(series, rule.domainOn(day));
  const problems = domain === null ? series.problems : [...series.problems, domain];
  if (problems.length > 0) return problems;
  if (period.problem !== null) return [period.problem];
  const grid = readings.gridOn(day);
  const width = grid.minutes * 60_000;
  if (period.minutes !== grid.minutes) {
    return [`${series.label}: intervals of ${period.minutes} minutes, the day has ${grid.minutes}`];
  }
  if ((period.from - grid.from) % width !== 0) {
    return [`${series.label}: a Period begins between the day's intervals`];
  }
  return [];
}

function addValues(
  day: DeliveryDay,
  period: EntsoePeriod,
  values: readonly (string | undefined)[],
  readings: DayReadings,
): void {
  const grid = readings.gridOn(day);
  const width = grid.minutes * 60_000;
  const to = Math.min(grid.to, period.to);
  for (let start = Math.max(grid.from, period.from); start < to; start += width) {
    const value = values[(start - period.from) / width];
    if (value === undefined) continue;
    const other = readings.add(day, start, value);
    if (other !== undefined) {
      readings.refuseDay(day, `price.amount is ${other} and ${value} for the interval ${startText(start)}`);
    }
  }
}

/**
 * Two auctions are published under one document type. 1 is the coupled day-ahead auction, whose price counts; 2 is a
 * local one at 10:15 with other values for the same intervals.
 */
type Auction = 'first' | 'another' | 'unstated';

/** One TimeSeries, before anything is believed. */
interface EntsoeSeries {
  /** Where it stands: its own number changes from answer to answer. */
  readonly label: string;
  readonly auction: Auction;
  readonly inDomain: string | undefined;
  readonly outDomain: string | undefined;
  /** Sentences on why it is refused, whatever the day. */
  readonly problems: readonly string[];
  /** A curve whose omitted positions repeat the one before. */
  readonly repeats: boolean;
  readonly periods: readonly EntsoePeriod[];
}

const SEQUENCE = 'classificationSequence_AttributeInstanceComponent.position';

/** Texts that must stand in a TimeSeries, literally; with `mayBeAbsent`, only if the element is there at all. */
const LITERALS: readonly { name: string; value: string; mayBeAbsent: boolean }[] = [
  /* Documents of earlier years do not name the contract; the request asked for day-ahead only. A07 is intraday. */
  { name: 'contract_MarketAgreement.type', value: 'A01', mayBeAbsent: true },
  { name: 'auction.type', value: 'A01', mayBeAbsent: true },
  { name: 'businessType', value: 'A62', mayBeAbsent: true },
  { name: 'currency_Unit.name', value: 'EUR', mayBeAbsent: false },
  { name: 'price_Measure_Unit.name', value: 'MWH', mayBeAbsent: false },
];

function readSeries(element: XmlElement, label: string): EntsoeSeries {
  const problems: string[] = [];
  for (const { name, value, mayBeAbsent } of LITERALS) {
    const text = childText(element, name);
    if (text === undefined && mayBeAbsent) continue;
    if (text !== value) problems.push(`${label}: ${name} is ${shown(text)}, not ${quoted(value)}`);
  }
  const curve = childText(element, 'curveType');
  if (curve !== undefined && curve !== 'A01' && curve !== 'A03') {
    problems.push(`${label}: curveType is ${quoted(curve)}, not A01 or A03`);
  }
  return {
    label,
    auction: auctionOf(childText(element, SEQUENCE)),
    inDomain: childText(element, 'in_Domain.mRID'),
    outDomain: childText(element, 'out_Domain.mRID'),
    problems,
    repeats: curve === 'A03',
    periods: childrenOf(element, 'Period').map((period) => readPeriod(period, label)),
  };
}

function auctionOf(sequence: string | undefined): Auction {
  if (sequence === undefined) return 'unstated';
  return /^0*1$/.test(sequence) ? 'first' : 'another';
}

/** Why the series does not belong to the zone; null where it does. */
function domainProblem(series: EntsoeSeries, domain: string): string | null {
  const { label, inDomain, outDomain } = series;
  if (inDomain === domain && outDomain === domain) return null;
  const [name, found] = inDomain === domain ? ['out_Domain.mRID', outDomain] : ['in_Domain.mRID', inDomain];
  return `${label}: ${name} is ${shown(found)}, not ${quoted(domain)}`;
}

function shown(text: string | undefined): string {
  return text === undefined ? 'absent' : quoted(text);
}
