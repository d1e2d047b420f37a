import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ referenceData: true, clock: fakeClock('2026-11-20T09:00:00Z') });
});
afterAll(() => api?.close());

async function shown(query: string) {
  const answer = await fetch(`${api.baseUrl}/docs/served-zips${query}`);
  return [answer.status, /role="status">\s*(?:<p>(.*?)<\/p>)?\s*<\/div>/s.exec(await answer.text())?.[1]];
}

test('the page says who serves a zip, or why nobody does', async () => {
  expect(await shown('')).toEqual([200, undefined]);
  expect(await shown('?zip=10115')).toEqual([
    200,
    '<strong>10115 Berlin</strong> is served by Stromnetz Berlin (<code>stromnetz-berlin</code>).',
  ]);
  expect(await shown('?zip=00000')).toEqual([
    200,
    '<strong>00000</strong> is not served, because no operator is known for it.',
  ]);
});

test('what is no zip is 400 and named, and stays in the field where somebody can have typed it', async () => {
  const rule = 'A ZIP code has five digits, as 10115 has.';
  const fieldOf = async (query: string) =>
    /<input name="zip" value="([^"]*)"/.exec(
      await (await fetch(`${api.baseUrl}/docs/served-zips${query}`)).text(),
    )?.[1];
  for (const [query, named] of [
    ['?zip=1011', '1011'],
    ['?zip=<b>12', '&lt;b&gt;12'],
  ] as const) {
    expect(await shown(query)).toEqual([400, `“${named}” is no ZIP code. ${rule}`]);
    expect(await fieldOf(query)).toBe(named);
  }
  for (const query of ['?zip=', '?zip=10115&zip=20354', `?zip=${'1'.repeat(2000)}`]) {
    expect(await shown(query)).toEqual([400, `This is no ZIP code. ${rule}`]);
    expect(await fieldOf(query)).toBe('');
  }
});

test('more codes at once than the page looks up are 503, and served a moment later', async () => {
  const all = await Promise.all(Array.from({ length: 40 }, (_, index) => shown(`?zip=${20_000 + index}`)));
  expect(all.every(([status]) => status === 200 || status === 503)).toBe(true);
  expect(all.some(([status]) => status === 200)).toBe(true);
  expect((await shown('?zip=20039'))[0]).toBe(200);
});
