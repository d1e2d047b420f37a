import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { fieldLines, type Screen, sentenceLines, tableLines } from '../../../src/cli/engine/table.ts';

const terminal = (width: number): Screen => ({ width, isTerminal: true, hasColour: false });
const FILE: Screen = { width: Number.POSITIVE_INFINITY, isTerminal: false, hasColour: false };

const INVOICES = {
  headings: ['id', 'status', 'total', 'due_on', 'note'],
  rows: [
    [
      'inv_0123456789abcdefghjkmnpq',
      'paid',
      '12.30',
      '2026-11-01',
      'paid in cash by the neighbour of the customer',
    ],
    ['inv_0123456789abcdefghjkmnpr', 'open', '1040.00', '2026-12-01', '電気料金 😀 für Ä'],
  ],
  least: ['due_on'],
};

describe('a table on a terminal', () => {
  test.each([40, 80, 120, 200])('has no line longer than %d characters', (width) => {
    const lines = tableLines(INVOICES, terminal(width));
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
    expect(lines[1]).toContain('inv_0123456789abcdefghjkmnpq');
  });

  test('has no line longer than the terminal is wide, whatever stands in it', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom(
        '-',
        'paid',
        '12.30',
        '電気料金',
        '😀👩‍👩‍👧‍👦',
        'inv_0123456789abcdefghjkmnpq',
        '\u001b[2J\nx',
      ),
    );
    const sheet = fc.integer({ min: 1, max: 7 }).chain((columns) =>
      fc.record({
        headings: fc.constant(Array.from({ length: columns }, (_, index) => `heading_${index}`)),
        rows: fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), {
          minLength: 1,
          maxLength: 6,
        }),
        least: fc.subarray(['heading_0', 'heading_2', 'heading_5']),
      }),
    );
    fc.assert(
      fc.property(sheet, fc.integer({ min: 24, max: 200 }), (made, width) => {
        const lines = tableLines(made, terminal(width));
        expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
        expect(lines.join('')).not.toMatch(/\p{Cc}/u);
        expect(lines.length).toBeGreaterThanOrEqual(made.rows.length + 1);
      }),
      { numRuns: 100 },
    );
  });

  test('cuts sentences first, then leaves out the least columns, and names them', () => {
    expect(tableLines(INVOICES, terminal(80))).toEqual([
      'id                            status    total  due_on      note',
      'inv_0123456789abcdefghjkmnpq  paid      12.30  2026-11-01  paid in cash by the…',
      'inv_0123456789abcdefghjkmnpr  open    1040.00  2026-12-01  電気料金 😀 für Ä',
    ]);
    expect(tableLines(INVOICES, terminal(60))).toEqual([
      'id                            status    total  note',
      'inv_0123456789abcdefghjkmnpq  paid      12.30  paid in cash…',
      'inv_0123456789abcdefghjkmnpr  open    1040.00  電気料金 😀…',
      '(no room for: due_on)',
    ]);
  });
});

test('a file gets every character, and columns as wide as their longest value', () => {
  expect(tableLines(INVOICES, FILE)).toEqual([
    'id                            status  total    due_on      note',
    'inv_0123456789abcdefghjkmnpq  paid    12.30    2026-11-01  paid in cash by the neighbour of the customer',
    'inv_0123456789abcdefghjkmnpr  open    1040.00  2026-12-01  電気料金 😀 für Ä',
  ]);
});

test('colours are for headings and states, and change nothing else', () => {
  const plain = tableLines(INVOICES, terminal(120));
  const coloured = tableLines(INVOICES, { ...terminal(120), hasColour: true });
  expect(coloured.map((line) => stripVTControlCharacters(line))).toEqual(plain);
  expect(coloured[0]).toContain('\u001b[1mstatus\u001b[22m');
  expect(coloured[1]).toContain('\u001b[32mpaid\u001b[39m');
  expect(coloured[1]).toContain('paid in cash');
});

test('long values go on below their beginning, and a word that is too long stays whole', () => {
  const address = `https://example.org/${'a'.repeat(40)}`;
  expect(
    fieldLines(
      [
        ['name', 'one two three four'],
        ['url', address],
        ['state', 'on'],
      ],
      terminal(16),
    ),
  ).toEqual(['name   one two', '       three', '       four', `url    ${address}`, 'state  on']);
  expect(sentenceLines('  first: a sentence that goes on', terminal(20))).toEqual([
    '  first: a sentence',
    '  that goes on',
  ]);
});
