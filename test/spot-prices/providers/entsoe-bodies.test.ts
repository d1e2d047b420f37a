import { describe, expect, test } from 'vitest';
import {
  parseEntsoe,
  readEntsoe,
  readEntsoePages,
  seriesCount,
} from '../../../src/spot-prices/providers/entsoe.wire.ts';
import type { Point, SeriesParts } from './documents.ts';
import {
  acknowledgement,
  bytes,
  onlyDay,
  otherAuction,
  periodOf,
  pointsOf,
  publication,
} from './documents.ts';

const DAY = '2026-05-17';
const request = { zone: 'DE-LU', days: [DAY] } as const;
const good: SeriesParts = { periods: [periodOf(DAY)] };

function withPoint(point: Point) {
  const period = periodOf(DAY);
  return readEntsoe(
    bytes(publication([{ periods: [{ ...period, points: [...period.points, point] }] }])),
    request,
  );
}

describe('points', () => {
  test.each([
    [97, 'position 97 lies beyond the end'],
    [0, 'position is "0"'],
    [12, 'position 12 occurs twice'],
    ['', 'position is ""'],
    ['6.0', 'position is "6.0"'],
    ['-6', 'position is "-6"'],
    ['99999999999999999999', 'position is "99999999999999999999"'],
  ])('position %s refuses the document', (position, reason) => {
    const answer = withPoint([position, '1.00']);
    expect(answer).toMatchObject({ status: 'rejected', reason: expect.stringContaining(reason) });
  });

  test('counts for the series of every auction', () => {
    const other = otherAuction(DAY);
    const periods = other.periods.map((period) => ({
      ...period,
      points: [...period.points, [1, '1'] as const],
    }));
    expect(readEntsoe(bytes(publication([good, { ...other, periods }])), request).status).toBe('rejected');
  });

  test.each([
    ['50.00', '50'],
    ['-0.01', '-0.01'],
    ['-0.00', '0'],
    ['+7.10', '7.1'],
    ['.5', '0.5'],
    ['133', '133'],
    ['133.', '133'],
    [' 12.30\n', '12.3'],
    ['<![CDATA[5]]><!-- -->0', '50'],
    ['&#53;0', '50'],
    ['99999.123456789012345678901234567890125', '99999.123456789012345678901234567890125'],
  ])('the amount %s', (amount, eurMwh) => {
    expect(onlyDay(withPoint([6, amount])).points[5]?.eurMwh).toBe(eurMwh);
  });

  test.each(['1,5', '1e3', '', 'NaN', 'Infinity', '1 0', '\u00a01', '0x10', '--1', '<b>1</b>', '१'])(
    'the amount %s rejects the document',
    (amount) => {
      const answer = withPoint([6, amount]);
      expect(answer).toMatchObject({ status: 'rejected', reason: expect.stringContaining('price.amount') });
    },
  );

  test('no price is clamped', () => {
    const points = periodOf(DAY, 'A01').points.slice(0, 3);
    const amounts = ['-500', '940.10', '4100'];
    const priced = points.map(([position], index): Point => [position, amounts[index] ?? '']);
    const series = { curve: 'A01', periods: [{ ...periodOf(DAY), points: priced }] };
    const { points: read } = onlyDay(readEntsoe(bytes(publication([series])), request));
    expect(read.map(({ eurMwh }) => eurMwh)).toEqual(['-500', '940.1', '4100']);
  });
});

describe('whole bodies', () => {
  const whole = publication([otherAuction(DAY), good]);

  test('cut at every 500th byte there is never a value', () => {
    const body = bytes(whole);
    for (let length = 0; length < body.length - 1; length += 500) {
      expect(readEntsoe(body.subarray(0, length), request).status).toBe('failed');
    }
  });

  test('nor at any byte of a small one', () => {
    const period = periodOf('2025-03-30');
    const body = bytes(
      publication([{ periods: [{ ...period, points: period.points.slice(0, 2) }] }]).trimEnd(),
    );
    for (let length = 0; length < body.length; length += 1) {
      expect(readEntsoe(body.subarray(0, length), { zone: 'DE-LU', days: null }).status).toBe('failed');
    }
    expect(onlyDay(readEntsoe(body, { zone: 'DE-LU', days: null })).points).toHaveLength(23);
  });

  test.each([
    ['an empty body', ''],
    ['white space', ' \n'],
    ['HTML', '<!DOCTYPE html><html><body>Maintenance<br></body></html>'],
    ['well-formed XHTML', '<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>'],
    ['another root', '<Foo/>'],
    ['model inputs', '<GL_MarketDocument><type>A65</type></GL_MarketDocument>'],
    ['a document type', whole.replace('<Publ', '<!DOCTYPE Publication_MarketDocument><Publ')],
    ['a second root', `${whole}<more/>`],
    [
      'an unbound prefix',
      whole.replace('<TimeSeries>', '<x:TimeSeries>').replace('</TimeSeries>', '</x:TimeSeries>'),
    ],
    ['JSON', '{"series":[]}'],
  ])('%s is a failure', (_, text) => {
    expect(readEntsoe(bytes(text), request).status).toBe('failed');
  });

  test('bytes that are no UTF-8 are a failure; a byte order mark is none', () => {
    const body = bytes(whole);
    expect(readEntsoe(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]), request).status).toBe('read');
    const broken = Buffer.from(whole.replace('0d6c1f', '0d6cÿ'), 'latin1');
    expect(readEntsoe(broken, request)).toMatchObject({
      status: 'failed',
      reason: 'The body is not valid UTF-8',
    });
    expect(readEntsoe(Buffer.from(whole, 'utf16le'), request).status).toBe('failed');
  });

  test('elements that no rule names mean nothing, deep ones neither', () => {
    const extra = '<note xmlns="urn:y" currency="SEK"><currency_Unit.name>SEK</currency_Unit.name></note>';
    const text = whole
      .replaceAll('<Period>', `${extra}<Period>${extra}`)
      .replaceAll('<Point>', `<Point>${extra}<quality>A04</quality>`);
    expect(onlyDay(readEntsoe(bytes(text), request)).points).toEqual(pointsOf(DAY));
  });

  test('another type, an element twice, a time without offset, a Period of years: rejected', () => {
    const oneType = publication([good], { type: 'A65' });
    const noType = publication([good], { type: null });
    const twice = publication([good]).replace('<curveType>', '<curveType>A01</curveType><curveType>');
    const naive = publication([good]).replace('<start>2026-05-16T22:00Z', '<start>2026-05-17T00:00');
    const long = publication([good]).replace('<end>2026', '<end>2036');
    const backwards = publication([good]).replace('<end>2026', '<end>2025');
    for (const text of [oneType, noType, twice, naive, long, backwards]) {
      expect(readEntsoe(bytes(text), request).status).toBe('rejected');
    }
  });

  test('Periods beyond number are not expanded', () => {
    const { from } = periodOf(DAY);
    const year = { from, to: from + 360 * 86_400_000, points: [[1, '1.00'] as const] };
    const answer = readEntsoe(
      bytes(publication([{ periods: Array.from({ length: 30 }, () => year) }])),
      request,
    );
    expect(answer).toMatchObject({ status: 'rejected', reason: expect.stringContaining('10000 days') });
  });

  test('nesting and text have limits', () => {
    const deep = `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`;
    expect(readEntsoe(bytes(deep), request).status).toBe('rejected');
    const wide = publication([good]).replace('A62', 'A'.repeat(200_000));
    expect(readEntsoe(bytes(wide), request).status).toBe('rejected');
  });
});

describe('acknowledgements', () => {
  const item = 'No matching data found for Data item Prices [12.1.D] (10Y1001A1001A82H) and interval';

  test.each([
    'No matching data found',
    `${item} 2026-05-16T22:00:00.000Z/2026-05-17T22:00:00.000Z.`,
    `${item} 2026-05-16T22:00Z/2026-05-17T22:00Z.`,
    `${item} null/null.`,
    'No matching data found for Data item Energy &amp; Prices',
  ])('%s: not published, and the text is kept', (text) => {
    const answer = readEntsoe(bytes(acknowledgement(text)), request);
    expect(answer).toEqual({ status: 'not_published', detail: text.replace('&amp;', '&') });
  });

  test.each([
    [['Input parameter does not exist: foo']],
    [['The amount of requested data exceeds the allowed maximum']],
    [['No matching data found', 'Input parameter does not exist: foo']],
    [[]],
    [['']],
  ])('the reasons %j: rejected', (texts) => {
    expect(readEntsoe(bytes(acknowledgement(...texts)), request).status).toBe('rejected');
  });

  test('a truncated acknowledgement is a failure', () => {
    expect(readEntsoe(bytes(acknowledgement('No matching data found').slice(0, -5)), request).status).toBe(
      'failed',
    );
  });
});

test('pages are one document, and the series of a page can be counted', () => {
  const many = publication(Array.from({ length: 100 }, () => otherAuction(DAY)));
  expect(seriesCount(parseEntsoe(bytes(many)))).toBe(100);
  expect(seriesCount(parseEntsoe(bytes('<html')))).toBeNull();
  const pages = [many, publication([good])].map(bytes);
  expect(onlyDay(readEntsoePages(pages.map(parseEntsoe), request)).points).toEqual(pointsOf(DAY));
  const ended = [publication([good]), acknowledgement('No matching data found')].map(bytes);
  expect(onlyDay(readEntsoePages(ended.map(parseEntsoe), request)).points).toEqual(pointsOf(DAY));
  const nameless = publication([{ ...good, sequence: null }]);
  expect(onlyDay(readEntsoePages([bytes(nameless), bytes(many)].map(parseEntsoe), request)).points).toEqual(
    [],
  );
});
