import { Readable } from 'node:stream';
import type { InTurn } from '../fair-queue.ts';
import { answerText } from './answer-text.ts';
import type { PagePosition } from './pagination.ts';
import type { Page } from './route.ts';

/** Rows read and written at a time: the memory of one answer, however long the list is. */
const PORTION_ROWS = 1_000;

/** A handler gives one portion behind a position, and says where the next one begins. */
export interface ListPortion {
  limit: number;
  after: PagePosition | null;
  cursorAfter(row: PagePosition): string;
}

/**
 * A list of a version without pages, as a stream: the rows are read by key in portions and written as they come. The first
 * portion is read before anything is written, so that a failure of it still gets its own status; one that comes later
 * cuts the connection, which no reader takes for a complete answer. Each portion is a turn of its own: 16 readers of 100,000
 * customers had every connection to the database, and the small requests of another organization waited for 33 s.
 */
export async function wholeList(
  inTurn: InTurn,
  read: (portion: ListPortion) => Promise<Page<unknown>>,
  shown: (item: unknown) => unknown,
): Promise<Readable> {
  let after: PagePosition | null = null;
  const portionOf = async () => {
    const page = await read({
      limit: PORTION_ROWS,
      after,
      cursorAfter: (row) => {
        after = { created_at: row.created_at, id: row.id };
        return 'behind this portion';
      },
    });
    return {
      text: page.items.map((item) => answerText(shown(item))).join(','),
      last: page.next_page === null,
    };
  };
  const next = () => inTurn(portionOf);
  const first = await next();
  return Readable.from(
    (async function* texts() {
      let portion = first;
      yield `{"object":"list","items":[${portion.text}`;
      while (!portion.last) {
        portion = await next();
        if (portion.text !== '') yield `,${portion.text}`;
      }
      yield ']}';
    })(),
    { objectMode: false },
  );
}
