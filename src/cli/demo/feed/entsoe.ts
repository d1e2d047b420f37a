import { DateTime } from 'luxon';
import { datesWithin, FIRST_DAY, feedDay } from './days.ts';
import { acknowledgement, type EntsoeSeries, publicationDocument } from './entsoe-document.ts';
import { earlyAuctionPrice } from './formula.ts';
import { isPublished } from './publication.ts';
import { type FeedReply, type FeedRequest, TOKEN } from './reply.ts';
import { type FeedValue, valuesOf } from './values.ts';

/*
 * ENTSO-E's platform: prices of two auctions under one document type, in an order that means nothing, a hundred
 * series at a time, and acknowledgements with status 200 where there is nothing.
 */

const SEQUENCE = 'classificationSequence_AttributeInstanceComponent.position';
const CONTRACT = 'contract_MarketAgreement.type';
/** Other names are answered with 400: `curveType` is one that older releases of the platform do not know. */
const PARAMETERS = new Set([
  ...['securityToken', 'documentType', 'in_Domain', 'out_Domain', 'periodStart', 'periodEnd'],
  ...[SEQUENCE, CONTRACT, 'offset'],
]);
const GERMANY = '10Y1001A1001A82H';
const GERMANY_AND_AUSTRIA = '10Y1001A1001A63L';
const SERIES_PER_ANSWER = 100;
const DAYS_PER_REQUEST = 366;

export function answerEntsoe(request: FeedRequest): FeedReply {
  const { query } = request;
  if (request.path !== '/api') return { status: 404, contentType: 'text/plain', body: 'Not Found' };
  if (query.get('securityToken') !== TOKEN) {
    return {
      status: 401,
      contentType: 'text/plain',
      body: 'Unauthorized: missing or invalid security token',
    };
  }
  const problem = problemOf(query);
  if (problem !== null) return acknowledgement(request, problem, 400);
  const from = periodTime(query.get('periodStart'));
  const to = periodTime(query.get('periodEnd'));
  const offset = Number(query.get('offset') ?? 0);
  const series = seriesOf(request, from, to).slice(offset, offset + SERIES_PER_ANSWER);
  if (series.length > 0) return publicationDocument(request, series);
  const domains = `(${query.get('in_Domain')}, ${query.get('out_Domain')})`;
  const interval = `${DateTime.fromMillis(from, { zone: 'utc' }).toISO()}/${DateTime.fromMillis(to, { zone: 'utc' }).toISO()}`;
  return acknowledgement(
    request,
    `No matching data found for Data item ENERGY_PRICES ${domains} and interval ${interval}.`,
    200,
  );
}

function problemOf(query: URLSearchParams): string | null {
  const unknown = [...query.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) return `Input parameter does not exist: ${unknown}.`;
  const missing = ['documentType', 'in_Domain', 'out_Domain', 'periodStart', 'periodEnd'].find(
    (name) => query.get(name) === null,
  );
  if (missing !== undefined) return `Mandatory parameter is missing: ${missing}.`;
  if (query.get('documentType') !== 'A44') {
    return `Input parameter does not exist: documentType ${query.get('documentType')}.`;
  }
  const from = periodTime(query.get('periodStart'));
  const to = periodTime(query.get('periodEnd'));
  if (Number.isNaN(from) || Number.isNaN(to)) return 'Period must be written as yyyyMMddHHmm.';
  if (to <= from) return 'Period must end after it begins.';
  if (to - from > DAYS_PER_REQUEST * 86_400_000) {
    return 'The requested period exceeds the allowed maximum of one year.';
  }
  return /^\d+$/.test(query.get('offset') ?? '0') ? null : 'Input parameter is no number: offset.';
}

/** NaN for what is no `yyyyMMddHHmm`. */
function periodTime(text: string | null): number {
  return DateTime.fromFormat(text ?? '', 'yyyyMMddHHmm', { zone: 'utc' }).toMillis();
}

/** Whole delivery days, also for a window that begins inside of one; the later day first, sequence 2 before 1. */
function seriesOf(request: FeedRequest, from: number, to: number): EntsoeSeries[] {
  const { query, now, switches } = request;
  const domain = query.get('in_Domain') ?? '';
  if (query.get('out_Domain') !== domain || (query.get(CONTRACT) ?? 'A01') !== 'A01') return [];
  const only = query.get(SEQUENCE);
  const series: EntsoeSeries[] = [];
  for (const date of datesWithin(from, to).reverse()) {
    if (domain !== (date < FIRST_DAY ? GERMANY_AND_AUSTRIA : GERMANY)) continue;
    for (const sequence of [2, 1] as const) {
      const isIncluded = only === null || only === String(sequence);
      if (switches.only_seq2 === true ? sequence === 1 : !isIncluded) continue;
      if (sequence === 1 && switches.seq1_days?.includes(date) === false) continue;
      if (!isPublished(sequence === 1 ? 'entsoe' : 'earlyAuction', date, now, switches)) continue;
      series.push({
        day: feedDay(date),
        domain,
        sequence,
        values: valuesOfSequence(date, sequence, request),
      });
    }
  }
  return series;
}

function valuesOfSequence(date: string, sequence: 1 | 2, { switches }: FeedRequest): FeedValue[] {
  const values = valuesOf(date, switches);
  if (sequence === 1) return values;
  return values.map((value) => ({
    ...value,
    cents: earlyAuctionPrice(value.cents, value.start),
    literal: null,
  }));
}
