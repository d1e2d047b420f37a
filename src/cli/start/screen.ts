import { styleText } from 'node:util';

/** Lines for people; a terminal gets colours and one line that is drawn again, everything else plain lines. */
export interface Screen {
  /** A step that is done. */
  done(text: string): void;
  say(text: string): void;
  /** Replaces the live line; where there is no terminal it is printed at most every ten seconds. */
  live(text: string): void;
  endLive(): void;
}

const PLAIN_INTERVAL_MILLISECONDS = 10_000;

export function createScreen(output: NodeJS.WriteStream, quiet: boolean): Screen {
  const isTerminal = output.isTTY === true && process.stdout.hasColors?.() !== false;
  let liveShown = false;
  let lastPlain = Number.NEGATIVE_INFINITY;
  const print = (text: string) => {
    if (quiet) return;
    if (liveShown) output.write('\n');
    liveShown = false;
    output.write(`${text}\n`);
  };
  return {
    done: (text) => print(`  ${isTerminal ? styleText('green', '✓') : '✓'} ${text}`),
    say: print,
    live(text) {
      if (quiet) return;
      if (isTerminal) {
        output.write(`\r\u001b[2K  ${text}`);
        liveShown = true;
      } else if (performance.now() - lastPlain >= PLAIN_INTERVAL_MILLISECONDS) {
        lastPlain = performance.now();
        output.write(`  ${text}\n`);
      }
    },
    endLive() {
      if (liveShown) output.write('\n');
      liveShown = false;
    },
  };
}
