import { quoted } from './body.ts';
import { type EntsoePeriod, readPeriod } from './entsoe-period.ts';
import { childrenOf, childText, type XmlElement } from './xml-tree.ts';

/**
 * Two auctions are published under one document type. 1 is the coupled day-ahead auction, whose price counts; 2 is a
 * local one at 10:15 with other values for the same intervals.
 */
export type Auction = 'first' | 'another' | 'unstated';

/** One TimeSeries, before anything is believed. */
export interface EntsoeSeries {
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

/** What must stand in a TimeSeries, literally; where `mayBeAbsent`, only if it is there at all. */
const LITERALS: readonly { name: string; value: string; mayBeAbsent: boolean }[] = [
  /* Documents of earlier years do not name the contract; the request asked for day-ahead only. A07 is intraday. */
  { name: 'contract_MarketAgreement.type', value: 'A01', mayBeAbsent: true },
  { name: 'auction.type', value: 'A01', mayBeAbsent: true },
  { name: 'businessType', value: 'A62', mayBeAbsent: true },
  { name: 'currency_Unit.name', value: 'EUR', mayBeAbsent: false },
  { name: 'price_Measure_Unit.name', value: 'MWH', mayBeAbsent: false },
];

export function readSeries(element: XmlElement, label: string): EntsoeSeries {
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
export function domainProblem(series: EntsoeSeries, domain: string): string | null {
  const { label, inDomain, outDomain } = series;
  if (inDomain === domain && outDomain === domain) return null;
  const [name, found] = inDomain === domain ? ['out_Domain.mRID', outDomain] : ['in_Domain.mRID', inDomain];
  return `${label}: ${name} is ${shown(found)}, not ${quoted(domain)}`;
}

function shown(text: string | undefined): string {
  return text === undefined ? 'absent' : quoted(text);
}
