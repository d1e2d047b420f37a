import { afterAll, beforeAll, expect, test } from 'vitest';
import { topics } from '../../../src/api/topics.ts';
import { startApi, type TestApi } from '../../setup/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.close());

/** The words of each cell, row by row. */
function rowsOf(html: string): string[][] {
  return [...html.matchAll(/<tr id="[^"]+">(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td>(.*?)<\/td>/gs)].map(([, cell = '']) =>
      cell
        .replaceAll(/<[^>]+>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ),
  );
}

test('the page of topics says of each one when it is told, with which ids, and since which version it is listed', async () => {
  const html = await (await fetch(`${api.baseUrl}/docs/topics`)).text();
  const expected = topics.map(({ name, when, since, context }) => [
    name,
    when.replaceAll('`', ''),
    Object.entries(context)
      .map(([member, { optional }]) => (optional === true ? `${member} (may be absent)` : member))
      .join(' '),
    since,
  ]);
  const rows = rowsOf(html);
  expect(rows.slice(0, -1)).toEqual(expected);
  expect(rows.at(-1)?.[0]).toBe('test.event');
  expect(html).toContain('webhook-signature');
  expect(html).toContain('events of one step share it');
});
