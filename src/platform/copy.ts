import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/** The server works on what has arrived while the rest is on its way. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Sends a complete COPY stream and gives the number of rows that the server stored. Through `pipeline` only: a stream
 * without it leaves the client hanging in COPY mode on an error, and a killed backend would end this process. A
 * failed COPY leaves the client usable.
 */
export async function copyIn(client: pg.ClientBase, statement: string, bytes: Buffer): Promise<number> {
  const stream = client.query(copyFrom(statement));
  await pipeline(Readable.from(chunksOf(bytes), { objectMode: false }), stream);
  return stream.rowCount;
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    yield bytes.subarray(start, start + CHUNK_BYTES);
  }
}
