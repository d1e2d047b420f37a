import type { Readable } from 'node:stream';
import { type DestinationStream, type Logger, pino } from 'pino';

const NEW_LINE = 0x0a;

/**
 * Writes the lines of other processes between its own ones. Several processes at one pipe would cut each other's lines in
 * two as soon as it is full.
 */
export function relayLines(log: Logger): (from: Readable) => void {
  const internal = log as unknown as Record<symbol, unknown>;
  const output = internal[pino.symbols.streamSym] as DestinationStream;
  return (from) => {
    let rest: Buffer = Buffer.alloc(0);
    from.on('data', (bytes: Buffer) => {
      const whole = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      let begin = 0;
      for (let end = whole.indexOf(NEW_LINE); end >= 0; end = whole.indexOf(NEW_LINE, begin)) {
        output.write(whole.toString('utf8', begin, end + 1));
        begin = end + 1;
      }
      rest = whole.subarray(begin);
    });
  };
}
