import { type Output, widthOf } from './io.ts';

export interface ProgressLine {
  show(text: { live: string; plain: string }): void;
  end(): void;
}

/** One line that is drawn again on a terminal; a line each time everywhere else. */
export function progressLine(output: Output): ProgressLine {
  const isTerminal = output.isTTY === true;
  let isShown = false;
  return {
    show({ live, plain }) {
      if (!isTerminal) {
        output.write(`${plain}\n`);
        return;
      }
      output.write(`\r\u001b[2K${live.slice(0, widthOf(output) - 1)}`);
      isShown = true;
    },
    end() {
      if (isShown) output.write('\n');
      isShown = false;
    },
  };
}
