import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** What pg and pg-copy-streams call on the query: neither says it in its types. */
interface Conversation {
  query_timeout: number;
  /** pg puts a function here that clears the time-out of the query; to be called at its end. */
  callback?: () => void;
  handleReadyForQuery(): void;
  rowCount: number;
}

/**
 * Sends what a `COPY … TO STDOUT` gives into a stream, as fast as that one takes it, ends it, and gives the number of rows.
 * After an error of the stream nobody has read the rest: whoever holds the client gives it up, as isConnectionDoubtful says
 * of such an error.
 */
export async function copyOut(
  client: pg.ClientBase,
  statement: string,
  sink: Writable,
  milliseconds: number,
): Promise<number> {
  const source = copyTo(statement);
  const conversation = source as unknown as Conversation;
  conversation.query_timeout = milliseconds;
  /* The server says the number of rows behind the last of them, maybe in a later packet. */
  const isReady = new Promise<void>((resolve) => {
    conversation.handleReadyForQuery = resolve;
  });
  client.query(source);
  try {
    await pipeline(source, sink);
    await isReady;
  } finally {
    conversation.callback?.();
  }
  return conversation.rowCount;
}
