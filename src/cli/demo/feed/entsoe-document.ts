import { type FeedDay, minuteText, secondText } from './days.ts';
import { documentId, type FeedReply, type FeedRequest } from './reply.ts';
import { amountOf, type FeedValue } from './values.ts';

export interface EntsoeSeries {
  readonly day: FeedDay;
  readonly domain: string;
  /** 1 is the auction that counts, 2 the early one. */
  readonly sequence: 1 | 2;
  readonly values: readonly FeedValue[];
}

const NAMESPACE = 'urn:iec62325.351:tc57wg16:451-3:publicationdocument:';
const ACKNOWLEDGEMENT_NAMESPACE = 'urn:iec62325.351:tc57wg16:451-1:acknowledgementdocument:7:0';
const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';
const PLATFORM = '10X1001A1001A450';

export function publicationDocument(request: FeedRequest, series: readonly EntsoeSeries[]): FeedReply {
  const { namespace = '7:3', namespace_prefix: prefix } = request.switches;
  const name = namespace.includes('urn:') ? namespace : `${NAMESPACE}${namespace}`;
  const from = Math.min(...series.map(({ day }) => day.from));
  const to = Math.max(...series.map(({ day }) => day.to));
  const body = [
    `<Publication_MarketDocument xmlns="${name}">`,
    `  <mRID>${documentId(request)}</mRID><revisionNumber>1</revisionNumber><type>A44</type>`,
    party('sender', 'A32'),
    party('receiver', 'A33'),
    `  <createdDateTime>${madeAt(request)}</createdDateTime>`,
    `  <period.timeInterval>${interval(from, to)}</period.timeInterval>`,
    ...series.map((days, index) => timeSeries(request, days, index + 1)),
    '</Publication_MarketDocument>\n',
  ].join('\n');
  const fileName = `Energy_Prices_${request.query.get('periodStart')}-${request.query.get('periodEnd')}.xml`;
  return xmlReply(200, prefix === undefined ? body : prefixed(body, prefix), fileName);
}

export function acknowledgement(request: FeedRequest, text: string, status: 200 | 400): FeedReply {
  const body = [
    `<Acknowledgement_MarketDocument xmlns="${ACKNOWLEDGEMENT_NAMESPACE}">`,
    `  <mRID>${documentId(request)}</mRID>`,
    `  <createdDateTime>${madeAt(request)}</createdDateTime>`,
    party('sender', 'A32'),
    party('receiver', 'A39'),
    `  <received_MarketDocument.createdDateTime>${madeAt(request)}</received_MarketDocument.createdDateTime>`,
    '  <Reason>',
    '    <code>999</code>',
    `    <text>${escaped(text)}</text>`,
    '  </Reason>',
    '</Acknowledgement_MarketDocument>\n',
  ].join('\n');
  return xmlReply(status, body, 'acknowledgement.xml');
}

function xmlReply(status: number, body: string, fileName: string): FeedReply {
  return {
    status,
    contentType: 'text/xml',
    headers: { 'content-disposition': `inline; filename="${fileName}"` },
    body: `${DECLARATION}${body}`,
  };
}

function timeSeries(request: FeedRequest, series: EntsoeSeries, number: number): string {
  const { curve = 'A03', unit = 'MWH', currency = 'EUR' } = request.switches;
  const domain = `codingScheme="A01">${series.domain}`;
  const sequence = 'classificationSequence_AttributeInstanceComponent.position';
  return [
    '  <TimeSeries>',
    `    <mRID>${number}</mRID><auction.type>A01</auction.type><businessType>A62</businessType>`,
    `    <in_Domain.mRID ${domain}</in_Domain.mRID><out_Domain.mRID ${domain}</out_Domain.mRID>`,
    '    <contract_MarketAgreement.type>A01</contract_MarketAgreement.type>',
    `    <currency_Unit.name>${escaped(currency)}</currency_Unit.name><price_Measure_Unit.name>${escaped(unit)}</price_Measure_Unit.name>`,
    `    <${sequence}>${series.sequence}</${sequence}>`,
    `    <curveType>${curve}</curveType>`,
    ...periodsOf(series, curve),
    '  </TimeSeries>',
  ].join('\n');
}

/**
 * With curve A01 an absent point is a missing interval. With A03 it is a repeat, so that a hole needs a Period that
 * ends before it and another one behind it.
 */
function periodsOf({ day, values }: EntsoeSeries, curve: 'A01' | 'A03'): string[] {
  if (curve === 'A01') return [period(day, day.from, day.to, pointsOf(values, false))];
  const step = day.width * 60_000;
  const periods: string[] = [];
  let run: FeedValue[] = [];
  const close = () => {
    const [first, last] = [run[0], run.at(-1)];
    if (first !== undefined && last !== undefined) {
      periods.push(period(day, first.start, last.start + step, pointsOf(run, true)));
    }
    run = [];
  };
  for (const value of values) {
    if (value.dropped) close();
    else run.push(value);
  }
  close();
  return periods;
}

function period(day: FeedDay, from: number, to: number, points: readonly string[]): string {
  return [
    '    <Period>',
    `      <timeInterval>${interval(from, to)}</timeInterval><resolution>PT${day.width}M</resolution>`,
    ...points,
    '    </Period>',
  ].join('\n');
}

/** Positions count from 1. Without repeats, a position stands for itself and all that follow without a point. */
function pointsOf(values: readonly FeedValue[], withoutRepeats: boolean): string[] {
  const points: string[] = [];
  let previous: string | null = null;
  for (const [index, value] of values.entries()) {
    const amount = amountOf(value);
    if (value.dropped || (withoutRepeats && amount === previous)) continue;
    points.push(
      `      <Point><position>${index + 1}</position><price.amount>${amount}</price.amount></Point>`,
    );
    previous = amount;
  }
  return points;
}

function party(side: 'sender' | 'receiver', role: string): string {
  const name = `${side}_MarketParticipant`;
  return `  <${name}.mRID codingScheme="A01">${PLATFORM}</${name}.mRID><${name}.marketRole.type>${role}</${name}.marketRole.type>`;
}

function interval(from: number, to: number): string {
  return `<start>${minuteText(from)}</start><end>${minuteText(to)}</end>`;
}

function madeAt(request: FeedRequest): string {
  return secondText(request.now + (request.switches.fresh_mrid === true ? request.count * 1000 : 0));
}

function prefixed(body: string, prefix: string): string {
  return body.replace(/<(\/?)(?=[A-Za-z])/g, `<$1${prefix}:`).replace(' xmlns=', ` xmlns:${prefix}=`);
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
