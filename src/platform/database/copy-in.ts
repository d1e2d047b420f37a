import { once } from 'node:events';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/**
 * Sends a statement that ends in `COPY … FROM STDIN` and, at the server's go-ahead, a complete COPY stream. Gives the number of
 * rows that the server stored. After an error of the server the client is usable.
 */
export async function copyInStream(client: pg.ClientBase, statement: string, bytes: Buffer): Promise<number> {
  const sink = copyFrom(statement);
  /*
   * After an error (the client's time-out for instance) the library lets go of the connection. If the rest of the rows
   * is sent after that, it would end its stream on a connection that it no longer has. It also reports the end of the
   * connection later, and an error without a listener ends the process.
   */
  sink.on('error', () => sink.destroy());
  const stored = once(sink, 'finish');
  client.query(sink);
  sink.end(bytes);
  await stored;
  return sink.rowCount;
}
