import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { InTurn } from '../../../src/platform/fair-queue.ts';
import type { Page } from '../../../src/platform/interface/route.ts';
import { type ListPortion, wholeList } from '../../../src/platform/interface/whole-list.ts';

const atOnce: InTurn = (work) => work();

interface Row {
  id: string;
  created_at: string;
}

/** A list whose portions hold so many rows; `seen` are the positions that were asked for. */
function openList(rows: readonly Row[], portionRows: number) {
  const seen: (string | null)[] = [];
  const read = async ({ after, cursorAfter }: ListPortion): Promise<Page<unknown>> => {
    seen.push(after?.id ?? null);
    const from = after === null ? 0 : rows.findIndex((row) => row.id === after.id) + 1;
    const items = rows.slice(from, from + portionRows);
    const last = items.at(-1);
    const hasMore = from + items.length < rows.length;
    return { items, next_page: hasMore && last !== undefined ? cursorAfter(last) : null };
  };
  return { seen, read };
}

const rows = Array.from({ length: 7 }, (_, index) => ({
  id: `row_${index}`,
  created_at: `2026-10-0${index + 1}`,
}));
const shown = (item: unknown) => ({ id: (item as Row).id });

test('writes every row once, in order, portion by portion, as one list without pages', async () => {
  const list = openList(rows, 3);
  const written = JSON.parse(await text(await wholeList(atOnce, list.read, shown)));
  expect(written).toEqual({ object: 'list', items: rows.map(({ id }) => ({ id })) });
  expect(list.seen).toEqual([null, 'row_2', 'row_5']);
});

test('an empty list and one of exactly one portion', async () => {
  expect(await text(await wholeList(atOnce, openList([], 3).read, shown))).toBe(
    '{"object":"list","items":[]}',
  );
  const page = await text(await wholeList(atOnce, openList(rows.slice(0, 3), 3).read, shown));
  expect(JSON.parse(page).items.length).toBe(3);
});

test('a portion whose rows have gone meanwhile leaves no comma behind', async () => {
  const portions: Page<unknown>[] = [
    { items: [rows[0]], next_page: 'more' },
    { items: [], next_page: 'more' },
    { items: [rows[1]], next_page: null },
  ];
  const written = await text(await wholeList(atOnce, async () => portions.shift() as Page<unknown>, shown));
  expect(JSON.parse(written).items).toEqual([{ id: 'row_0' }, { id: 'row_1' }]);
});

test('a first portion that fails is a failure before anything was written', async () => {
  await expect(wholeList(atOnce, () => Promise.reject(new Error('no database')), shown)).rejects.toThrow(
    'no database',
  );
});

test('a later portion that fails cuts the answer off in the middle', async () => {
  const list = openList(rows, 3);
  const stream = await wholeList(
    atOnce,
    (portion) => {
      if (portion.after !== null) return Promise.reject(new Error('lost'));
      return list.read(portion);
    },
    shown,
  );
  let written = '';
  const reading = (async () => {
    for await (const chunk of stream) written += String(chunk);
  })();
  await expect(reading).rejects.toThrow('lost');
  expect(written).toContain('row_2');
  expect(() => JSON.parse(written) as unknown).toThrow();
});

test('the next portion is read when the reader has taken the one before: memory holds a few, not all', async () => {
  const many = Array.from({ length: 1000 }, (_, index) => ({ id: `row_${index}`, created_at: '' }));
  const list = openList(many, 10);
  const stream = await wholeList(atOnce, list.read, (item) => ({
    ...(item as Row),
    text: 'x'.repeat(10_000),
  }));
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  expect(list.seen.length).toBeLessThan(5);
  stream.destroy();
});
