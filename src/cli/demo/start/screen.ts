import { styleText } from 'node:util';

/** Lines for people; a terminal gets colours and one line that is drawn again, everything else plain lines. */
export interface Screen {
  /** A step that is done. */
  done(text: string): void;
  say(text: string): void;
  /**
   * Replaces the live line, which stays below what is said. It is cut to the width of the terminal: a line that wraps
   * cannot be drawn again in its place, and would push the key off the screen. Where there is no terminal it is printed
   * once a minute.
   */
  live(text: string): void;
  endLive(): void;
}

type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;

const PLAIN_INTERVAL_MILLISECONDS = 60_000;
/** Of a terminal that does not know its own. */
const USUAL_COLUMNS = 80;
const ERASE_LINE = '\r\u001b[2K';

export function createScreen(output: Output, quiet: boolean, now = () => performance.now()): Screen {
  const isTerminal = output.isTTY === true;
  const isColoured = isTerminal && process.stdout.hasColors?.() !== false;
  let shown: string | null = null;
  let lastPlain = Number.NEGATIVE_INFINITY;
  const drawLive = () => {
    if (shown === null) return;
    /* The last column stays free: a cursor behind it already stands on the next line. */
    const width = (output.columns || USUAL_COLUMNS) - 1;
    output.write(`${ERASE_LINE}${cut(`  ${shown}`, width)}`);
  };
  const print = (text: string) => {
    if (quiet) return;
    output.write(`${shown === null ? '' : ERASE_LINE}${text}\n`);
    drawLive();
  };
  return {
    done: (text) => print(`  ${isColoured ? styleText('green', '✓') : '✓'} ${text}`),
    say: print,
    live(text) {
      if (quiet) return;
      if (isTerminal) {
        shown = text;
        drawLive();
      } else if (now() - lastPlain >= PLAIN_INTERVAL_MILLISECONDS) {
        lastPlain = now();
        output.write(`  ${text}\n`);
      }
    },
    endLive() {
      if (shown !== null) output.write(ERASE_LINE);
      shown = null;
    },
  };
}

function cut(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`;
}
