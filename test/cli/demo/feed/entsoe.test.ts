import { beforeEach, expect, test } from 'vitest';
import { pricesOf } from '../../../../src/cli/demo/feed/formula.ts';
import { takeFeed } from '../../../setup/feed.ts';
import { ask, entsoePath, expandedCents, seriesIn } from './ask.ts';

const feed = await takeFeed({ now: '2026-11-20T14:00+01:00' });
beforeEach(() => feed.set({ now: '2026-11-20T14:00+01:00', entsoe: {} }));

test('omitted points are repeats, also at the end of the day', async () => {
  const { status, headers, text } = await ask(feed, entsoePath('202605162200', '202605172200'));
  expect([status, headers['content-type']]).toEqual([200, 'text/xml']);
  expect(headers['content-disposition']).toBe(
    'inline; filename="Energy_Prices_202605162200-202605172200.xml"',
  );
  const [series, ...more] = seriesIn(text);
  expect([more, series?.curve, series?.periods.length]).toEqual([[], 'A03', 1]);
  const given = new Set(series?.periods[0]?.points.map(([position]) => position));
  const omitted = Array.from({ length: 96 }, (_, index) => index + 1).filter(
    (position) => !given.has(position),
  );
  expect(omitted).toEqual([6, 36, 64, 88, 92, 94, 95, 96]);
  expect(expandedCents(series)).toEqual([...pricesOf('2026-05-17')]);
});

test.for([
  ['2026-03-29', '202603282300', '202603292200', 15],
  ['2026-10-25', '202610242200', '202610252300', 15],
  ['2025-03-30', '202503292300', '202503302200', 60],
  ['2024-10-27', '202410262200', '202410272300', 60],
] as const)('%s has as many prices as its hours hold', async ([day, from, to, minutes]) => {
  const [series] = seriesIn((await ask(feed, entsoePath(from, to))).text);
  expect(series?.periods[0]?.minutes).toBe(minutes);
  expect(expandedCents(series)).toEqual([...pricesOf(day)]);
});

test('both auctions come unless one is asked for: sequence 2 before 1, the later day first', async () => {
  const { text } = await ask(feed, entsoePath('202611192300', '202611212300', null));
  const order = seriesIn(text).map(({ sequence, periods }) => [sequence, periods[0]?.start]);
  expect(order).toEqual([
    [2, '2026-11-20T23:00Z'],
    [1, '2026-11-20T23:00Z'],
    [2, '2026-11-19T23:00Z'],
    [1, '2026-11-19T23:00Z'],
  ]);
  const [early, , , counting] = seriesIn(text);
  const differences = expandedCents(early).map(
    (price, index) => price - (pricesOf('2026-11-21')[index] ?? 0),
  );
  expect(Math.min(...differences)).toBeGreaterThanOrEqual(137);
  expect(Math.max(...differences)).toBeLessThan(137 + 900);
  expect(expandedCents(counting)).toEqual([...pricesOf('2026-11-20')]);
});

test('a narrower window still gets whole delivery days, and no day that begins where it ends', async () => {
  const { text } = await ask(feed, entsoePath('202611201200', '202611202300'));
  expect(seriesIn(text).map(({ periods }) => periods[0]?.start)).toEqual(['2026-11-19T23:00Z']);
});

test('a hundred series an answer, the rest behind the offset, then nothing more', async () => {
  const [from, to] = ['202607312200', '202611202300'];
  const pages = [];
  for (const offset of [0, 100, 200, 300]) {
    const { text } = await ask(feed, entsoePath(from, to, null, offset === 0 ? '' : `&offset=${offset}`));
    pages.push(seriesIn(text).length);
  }
  expect(pages).toEqual([100, 100, 24, 0]);
});

test('nothing yet is an acknowledgement with status 200', async () => {
  const { status, headers, text } = await ask(feed, entsoePath('202611212300', '202611222300'));
  expect([status, headers['content-type']]).toEqual([200, 'text/xml']);
  expect(headers['content-disposition']).toBe('inline; filename="acknowledgement.xml"');
  expect(text).toContain('<Acknowledgement_MarketDocument ');
  expect(text).toMatch(
    /<code>999<\/code>\s*<text>No matching data found for Data item .* and interval 2026-11-21T23:00:00\.000Z\/2026-11-22T23:00:00\.000Z\.<\/text>/,
  );
});

test('a domain without prices looks like a day without prices', async () => {
  const path = entsoePath('202611192300', '202611202300').replaceAll('10Y1001A1001A82H', '10Y1001A1001A83F');
  const { status, text } = await ask(feed, path);
  expect([status, text.includes('No matching data found')]).toEqual([200, true]);
});

test('the zone with Austria ends where the one without begins', async () => {
  const path = entsoePath('201809292200', '201810012200');
  const own = seriesIn((await ask(feed, path)).text);
  const older = seriesIn((await ask(feed, path.replaceAll('10Y1001A1001A82H', '10Y1001A1001A63L'))).text);
  expect(own.map(({ periods }) => periods[0]?.start)).toEqual(['2018-09-30T22:00Z']);
  expect(older.map(({ periods }) => periods[0]?.start)).toEqual(['2018-09-29T22:00Z']);
});

test('wrong requests: 401 for a foreign token, 400 with an acknowledgement for parameters', async () => {
  const good = entsoePath('202611192300', '202611202300');
  expect((await ask(feed, good.replace('securityToken=demo', 'securityToken=other'))).status).toBe(401);
  expect((await ask(feed, good.replace('securityToken=demo&', ''))).status).toBe(401);
  const unknown = await ask(feed, `${good}&curveType=A03`);
  expect([unknown.status, unknown.text.includes('Input parameter does not exist: curveType')]).toEqual([
    400,
    true,
  ]);
  const long = await ask(feed, entsoePath('202411192300', '202611202300'));
  expect([long.status, long.text.includes('exceeds the allowed maximum')]).toEqual([400, true]);
});

test('same request, same clock: same bytes; another number and time where a switch says so', async () => {
  const path = entsoePath('202611202300', '202611212300');
  const [first, second] = [await ask(feed, path), await ask(feed, path)];
  expect(first.text).toBe(second.text);
  expect(first.text).toContain('<createdDateTime>2026-11-20T13:00:00Z</createdDateTime>');
  feed.set({ entsoe: { fresh_mrid: true } });
  const [three, four] = [await ask(feed, path), await ask(feed, path)];
  expect(three.text).not.toBe(four.text);
  expect(seriesIn(three.text)).toEqual(seriesIn(four.text));
});
