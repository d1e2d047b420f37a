import { type BufferPool, LentBytes } from '../database/buffer-pool.ts';
import { parseJson } from './json.ts';

/**
 * To parse and to check 1 MiB takes 60 to 90 ms, in which the process does nothing else. A larger body waits for the turn of
 * its organization before anybody looks into it. Nearly every body of a client that means well is smaller.
 */
export const PARSED_AT_ONCE_BYTES_MAX = 16 * 1024;

/**
 * A JSON body as it came, for a route that reads it itself. Nothing of it has been looked at: whether it is JSON at all
 * is found by `parse`, or by a reader of bytes that accepts less than JSON allows and leaves the rest to `parse`.
 */
export class JsonText {
  readonly #lent: LentBytes;

  constructor(bytes: Buffer, pool?: BufferPool) {
    this.#lent = new LentBytes(bytes, pool);
  }

  /** Throws behind `parse` and `discard`. */
  get bytes(): Buffer {
    return this.#lent.bytes;
  }

  /** The value, `{}` where nothing was sent; a `Failure` with 400 where the text is not JSON. Ends the use of `bytes`. */
  parse(): unknown {
    const { bytes } = this;
    const value = bytes.length === 0 ? {} : parseJson(bytes);
    this.discard();
    return value;
  }

  /** To be called when nobody looks at `bytes` any more: their memory serves the next body. */
  discard(): void {
    this.#lent.giveBack();
  }
}
