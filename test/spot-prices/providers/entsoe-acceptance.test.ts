import { describe, expect, test } from 'vitest';
import { type DeliveryDay, gridOf } from '../../../src/spot-prices/calendar.ts';
import { parseEntsoe, readEntsoe, readEntsoePages } from '../../../src/spot-prices/providers/entsoe.wire.ts';
import {
  amountsOf,
  bytes,
  DE_AT_LU,
  DE_LU,
  daysOf,
  onlyDay,
  otherAuction,
  periodOf,
  pointsFor,
  pointsOf,
  publication,
  type SeriesParts,
} from './documents.ts';

const DAY = '2026-05-17';
const NEXT = '2026-05-18';
const good: SeriesParts = { periods: [periodOf(DAY)] };

function read(series: readonly SeriesParts[], days: readonly DeliveryDay[] | null) {
  return readEntsoe(bytes(publication(series)), { zone: 'DE-LU', days });
}

describe('auctions', () => {
  test('only the second auction: nothing is published, and nothing was wrong', () => {
    expect(onlyDay(read([otherAuction(DAY)], [DAY]))).toMatchObject({ points: [], refused: [] });
  });

  test('the second auction fills no day of the first', () => {
    const days = daysOf(read([otherAuction(DAY), good, otherAuction(NEXT)], [DAY, NEXT]));
    expect(days.map(({ points }) => points)).toEqual([pointsOf(DAY), []]);
    expect(days[1]?.refused).toEqual([]);
  });

  test('the second auction fills no hole of the first', () => {
    const points = periodOf(DAY, 'A01').points.slice(0, 50);
    const holed: SeriesParts = { curve: 'A01', periods: [{ ...periodOf(DAY), points }] };
    expect(onlyDay(read([otherAuction(DAY), holed], [DAY])).points).toEqual(pointsOf(DAY).slice(0, 50));
  });

  test('without any sequence the series counts; beside one with a sequence it does not', () => {
    const nameless: SeriesParts = { sequence: null, periods: [periodOf(DAY)] };
    expect(onlyDay(read([nameless], [DAY])).points).toEqual(pointsOf(DAY));
    const day = onlyDay(read([nameless, otherAuction(DAY)], [DAY]));
    expect(day).toMatchObject({ points: [], refused: [] });
    const days = daysOf(read([nameless, otherAuction(NEXT)], [DAY, NEXT]));
    expect(days.map(({ points }) => points.length)).toEqual([96, 0]);
  });
});

describe('widths', () => {
  test('before the switch quarter hours are another auction; after it hours are refused', () => {
    const before = '2025-03-12';
    const { from, to } = gridOf(before);
    const quarters = pointsFor(amountsOf(DAY), 'A03');
    const both = [
      { periods: [periodOf(before)] },
      { periods: [{ from, to, resolution: 'PT15M', points: quarters }] },
    ];
    const day = onlyDay(read(both, [before]));
    expect(day.points).toEqual(pointsOf(before));
    expect(day.refused).toEqual(['TimeSeries 2: intervals of 15 minutes, the day has 60']);

    const hours: SeriesParts = {
      periods: [{ ...gridOf('2026-11-21'), resolution: 'PT60M', points: [[1, '94.26']] }],
    };
    const refused = onlyDay(read([hours], ['2026-11-21']));
    expect(refused.points).toEqual([]);
    expect(refused.refused).toEqual(['TimeSeries 1: intervals of 60 minutes, the day has 15']);
  });

  test('another zone keeps its hours; PT1H is PT60M', () => {
    const domain = '10YCZ-CEPS-----N';
    const hourly: SeriesParts = {
      domain,
      sequence: null,
      periods: [{ ...gridOf(DAY), resolution: 'PT60M', points: pointsFor(amountsOf('2025-03-12'), 'A03') }],
    };
    const rule = { domainOn: () => domain, minutesOn: () => 60 as const, severalAuctions: false };
    const body = bytes(publication([hourly]));
    const day = onlyDay(readEntsoePages([parseEntsoe(body)], { zone: 'DE-LU', days: [DAY] }, rule));
    expect(day.minutes).toBe(60);
    expect(day.points.map(({ eurMwh }) => eurMwh)).toEqual(
      pointsOf('2025-03-12').map(({ eurMwh }) => eurMwh),
    );
    const renamed = { ...periodOf('2025-03-12'), resolution: 'PT1H' };
    expect(onlyDay(read([{ periods: [renamed] }], null)).points).toEqual(pointsOf('2025-03-12'));
  });

  test('a Period off the grid, or of an unknown width, is refused alone', () => {
    const quarter = gridOf(DAY);
    const shifted = { ...periodOf(DAY), from: quarter.from + 300_000, to: quarter.to + 300_000 };
    for (const [bad, reason] of [
      [{ ...shifted, to: quarter.to }, 'no multiple of its resolution'],
      [{ ...periodOf(DAY), resolution: 'PT30M' }, 'resolution is "PT30M"'],
      [{ ...periodOf(DAY), resolution: null }, 'has no resolution'],
    ] as const) {
      const [refused, kept] = daysOf(read([{ periods: [bad, periodOf(NEXT)] }], [DAY, NEXT]));
      expect(refused?.points).toEqual([]);
      expect(refused?.refused.join()).toContain(reason);
      expect(kept?.points).toEqual(pointsOf(NEXT));
    }
    const [day] = daysOf(read([{ periods: [shifted] }], [DAY]));
    expect(day?.refused.join()).toContain("begins between the day's intervals");
  });
});

describe('labels', () => {
  const wrong: readonly [string, Record<string, string | null>][] = [
    ['currency_Unit.name is "SEK"', { 'currency_Unit.name': 'SEK' }],
    ['currency_Unit.name is absent', { 'currency_Unit.name': null }],
    ['price_Measure_Unit.name is "KWH"', { 'price_Measure_Unit.name': 'KWH' }],
    ['contract_MarketAgreement.type is "A07"', { 'contract_MarketAgreement.type': 'A07' }],
    ['auction.type is "A02"', { 'auction.type': 'A02' }],
    ['businessType is "A63"', { businessType: 'A63' }],
    ['curveType is "A02"', { curveType: 'A02' }],
    ['in_Domain.mRID is "10YAT-APG------L"', { 'in_Domain.mRID': '10YAT-APG------L' }],
    ['out_Domain.mRID is "10Y1001A1001A83F"', { 'out_Domain.mRID': '10Y1001A1001A83F' }],
    ['in_Domain.mRID is absent', { 'in_Domain.mRID': null }],
  ];

  test.each(wrong)('%s: refused, and a good series beside it is kept', (sentence, elements) => {
    const bad: SeriesParts = { elements, periods: [periodOf(DAY)] };
    const alone = onlyDay(read([bad], [DAY]));
    expect(alone.points).toEqual([]);
    expect(alone.refused.join()).toContain(sentence);
    const beside = onlyDay(read([bad, good], [DAY]));
    expect(beside.points).toEqual(pointsOf(DAY));
    expect(beside.refused.join()).toContain(sentence);
  });

  test('contract, auction type and business type may be absent', () => {
    const elements = { 'contract_MarketAgreement.type': null, 'auction.type': null, businessType: null };
    expect(onlyDay(read([{ ...good, elements }], [DAY])).points).toEqual(pointsOf(DAY));
  });

  test('each day has the zone of its time', () => {
    const days = ['2018-09-30', '2018-10-01'] as const;
    const series = (domain: string) => days.map((day) => ({ domain, periods: [periodOf(day)] }));
    const counts = (domain: string) => daysOf(read(series(domain), null)).map(({ points }) => points.length);
    expect(counts(DE_AT_LU)).toEqual([24, 0]);
    expect(counts(DE_LU)).toEqual([0, 24]);
  });
});

describe('repetition', () => {
  test('equal values of one identity collapse; different ones refuse the day', () => {
    expect(onlyDay(read([good, good], [DAY]))).toMatchObject({ points: pointsOf(DAY), refused: [] });
    const points = periodOf(DAY, 'A01').points.with(10, [11, '1.00']);
    const changed: SeriesParts = { periods: [{ ...periodOf(DAY), points }, periodOf(NEXT)] };
    const [day, next] = daysOf(read([good, changed], [DAY, NEXT]));
    expect(day?.points).toEqual([]);
    expect(day?.refused.join()).toMatch(/price.amount is .* and 1 for the interval 2026-05-17T00:30:00Z/);
    expect(next?.points).toEqual(pointsOf(NEXT));
  });

  test('the content is the same with another number and another time of making', () => {
    const hash = (parts: object) => {
      const answer = readEntsoe(bytes(publication([good], parts)), { zone: 'DE-LU', days: null });
      return answer.status === 'read' ? answer.contentHash : answer;
    };
    expect(hash({ mrid: 'other', created: '2026-05-17T00:00:00Z' })).toBe(hash({}));
    expect(hash({ type: 'A44', namespace: 'urn:x' })).toMatch(/^[0-9a-f]{64}$/);
    const other = readEntsoe(bytes(publication([good, good])), { zone: 'DE-LU', days: null });
    expect(other).not.toMatchObject({ contentHash: hash({}) });
  });
});
