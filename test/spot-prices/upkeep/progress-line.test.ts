import { expect, test } from 'vitest';
import { progressLine } from '../../../src/cli/engine/progress-line.ts';

function output(isTerminal: boolean) {
  const written: string[] = [];
  const stream = { isTTY: isTerminal, columns: 20, write: (text: string) => written.push(text) };
  return { written, line: progressLine(stream as unknown as NodeJS.WriteStream) };
}

test('a terminal gets one line that is drawn again, never longer than the terminal', () => {
  const { written, line } = output(true);
  line.show({ live: 'one', plain: 'first' });
  line.show({ live: 'a text that is far too long for it', plain: 'second' });
  line.end();
  expect(written).toEqual(['\r\u001b[2Kone', '\r\u001b[2Ka text that is far ', '\n']);
});

test('everything else gets plain lines', () => {
  const { written, line } = output(false);
  line.show({ live: 'one', plain: 'first' });
  line.end();
  expect(written).toEqual(['first\n']);
});
