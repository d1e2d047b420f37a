import { pricesOf } from '../../../src/cli/demo/feed/formula.ts';
import { type DeliveryDay, gridOf, startsOf } from '../../../src/spot-prices/calendar.ts';
import type { DayReading, PricePoint, WireAnswer } from '../../../src/spot-prices/series.ts';

/* Documents of ENTSO-E out of small descriptions; values follow from the date by the formula of the synthetic feed. */

export type Point = readonly [position: number | string, amount: string];

export interface PeriodParts {
  from: number;
  to: number;
  resolution?: string | null;
  points: readonly Point[];
}

export interface SeriesParts {
  /** Elements by name; null leaves one out. */
  elements?: Readonly<Record<string, string | null>>;
  sequence?: string | null;
  curve?: string | null;
  domain?: string;
  periods: readonly PeriodParts[];
}

export interface DocumentParts {
  namespace?: string;
  prefix?: string;
  declaration?: boolean;
  mrid?: string;
  created?: string;
  type?: string | null;
}

export const DE_LU = '10Y1001A1001A82H';
export const DE_AT_LU = '10Y1001A1001A63L';

export const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const minute = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 16)}Z`;

export function publication(series: readonly SeriesParts[], parts: DocumentParts = {}): string {
  const prefix = parts.prefix === undefined ? '' : `${parts.prefix}:`;
  const namespace = parts.namespace ?? 'urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3';
  const bound = parts.prefix === undefined ? 'xmlns' : `xmlns:${parts.prefix}`;
  const element = (name: string, text: string | null | undefined) =>
    text === null || text === undefined ? '' : `<${prefix}${name}>${text}</${prefix}${name}>`;
  const interval = ({ from, to }: PeriodParts) =>
    element('timeInterval', element('start', minute(from)) + element('end', minute(to)));
  const period = (parts: PeriodParts) =>
    element(
      'Period',
      [
        interval(parts),
        element('resolution', parts.resolution === undefined ? 'PT15M' : parts.resolution),
        ...parts.points.map(([position, amount]) =>
          element('Point', element('position', String(position)) + element('price.amount', amount)),
        ),
      ].join('\n'),
    );
  const timeSeries = (parts: SeriesParts, index: number) => {
    const elements: Record<string, string | null> = {
      mRID: String(index + 1),
      'auction.type': 'A01',
      businessType: 'A62',
      'in_Domain.mRID': parts.domain ?? DE_LU,
      'out_Domain.mRID': parts.domain ?? DE_LU,
      'contract_MarketAgreement.type': 'A01',
      'currency_Unit.name': 'EUR',
      'price_Measure_Unit.name': 'MWH',
      'classificationSequence_AttributeInstanceComponent.position':
        parts.sequence === undefined ? '1' : parts.sequence,
      curveType: parts.curve === undefined ? 'A03' : parts.curve,
      ...parts.elements,
    };
    const head = Object.entries(elements).map(([name, text]) => element(name, text));
    return element('TimeSeries', [...head, ...parts.periods.map(period)].join('\n'));
  };
  const content = [
    element('mRID', parts.mrid ?? '0d6c1f'),
    element('revisionNumber', '1'),
    element('type', parts.type === undefined ? 'A44' : parts.type),
    element('createdDateTime', parts.created ?? '2026-05-16T11:02:07Z'),
    ...series.map(timeSeries),
  ].join('\n');
  const declaration = parts.declaration === false ? '' : '<?xml version="1.0" encoding="utf-8"?>\n';
  const root = `${prefix}Publication_MarketDocument`;
  return `${declaration}<${root} ${bound}="${namespace}">\n${content}\n</${root}>\n`;
}

export function acknowledgement(...texts: readonly string[]): string {
  const reasons = texts.map((text) => `<Reason><code>999</code><text>${text}</text></Reason>`);
  return `<?xml version="1.0" encoding="utf-8"?>
<Acknowledgement_MarketDocument xmlns="urn:iec62325.351:tc57wg16:451-1:acknowledgementdocument:7:0">
<mRID>x</mRID><createdDateTime>2026-05-16T10:40:00Z</createdDateTime>${reasons.join('')}
</Acknowledgement_MarketDocument>`;
}

/** EUR/MWh as the feeds print it. */
export const twoDecimals = (cents: number): string => (cents / 100).toFixed(2);

/** The values of a day in the order of its intervals. */
export function amountsOf(day: DeliveryDay): string[] {
  return [...pricesOf(day)].map(twoDecimals);
}

/** What a reader must make of the day. */
export function pointsOf(day: DeliveryDay): PricePoint[] {
  const prices = pricesOf(day);
  return startsOf(gridOf(day)).map((start, index) => ({ start, eurMwh: String((prices[index] ?? 0) / 100) }));
}

/** All points of a curve, or only those that differ from the one before. */
export function pointsFor(amounts: readonly string[], curve: 'A01' | 'A03'): Point[] {
  return amounts
    .map((amount, index): Point => [index + 1, amount])
    .filter(([, amount], index) => curve === 'A01' || index === 0 || amounts[index - 1] !== amount);
}

export function periodOf(day: DeliveryDay, curve: 'A01' | 'A03' = 'A03'): PeriodParts {
  const { from, to, minutes } = gridOf(day);
  return { from, to, resolution: `PT${minutes}M`, points: pointsFor(amountsOf(day), curve) };
}

/** A day of the second auction: other values for the same intervals. */
export function otherAuction(day: DeliveryDay): SeriesParts {
  const { from, to, minutes } = gridOf(day);
  const amounts = [...pricesOf(day)].map((cents) => twoDecimals(cents + 777));
  return {
    sequence: '2',
    periods: [{ from, to, resolution: `PT${minutes}M`, points: pointsFor(amounts, 'A03') }],
  };
}

/** The days of an answer that was read; anything else fails the test with the answer. */
export function daysOf(answer: WireAnswer): readonly DayReading[] {
  if (answer.status !== 'read') throw new Error(JSON.stringify(answer));
  return answer.days;
}

export function onlyDay(answer: WireAnswer): DayReading {
  const [day, second] = daysOf(answer);
  if (day === undefined || second !== undefined) throw new Error(JSON.stringify(answer));
  return day;
}

/** EUR/MWh with two decimals as cents. */
export function sumOfCents(points: readonly PricePoint[]): number {
  return points.reduce((sum, { eurMwh }) => sum + Math.round(Number(eurMwh) * 100), 0);
}
