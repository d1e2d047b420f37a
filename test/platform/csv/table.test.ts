import { expect, test } from 'vitest';
import { type CsvRow, readCsvTable } from '../../../src/platform/csv/table.ts';

const table = (text: string | Buffer, columns = ['a', 'b'], optional: string[] = []) =>
  readCsvTable(Buffer.from(text), { columns, optional });

/** The value of one cell by one reader, and the rule that refuses it. */
function cell<Value>(text: string, read: (row: CsvRow) => Value): Value | string {
  const { rows, problems } = table(`a,b\n"${text}",\n`);
  const [row] = rows;
  if (row === undefined) throw new Error('No row');
  const value = read(row);
  const [problem] = problems;
  if (problem === undefined) return value;
  expect(problem).toEqual({ line: 2, column: 'a', value: text, rule: problem.rule });
  expect(value).toBeNull();
  return problem.rule;
}

test('columns may come in any order, optional ones may be absent', () => {
  const { rows, problems } = table('b,a\n1,2\n', ['a', 'b', 'c'], ['c']);
  expect(problems).toEqual([]);
  expect(rows.map((row) => [row.line, row.raw('a'), row.raw('b'), row.raw('c')])).toEqual([
    [2, '2', '1', ''],
  ]);
});

test.each([
  ['', [[1, '', 'The file is empty']]],
  [Buffer.from('a,b\n1,2\n\xff,3\n', 'latin1'), [[3, '', 'Not valid UTF-8']]],
  [
    'a,x\n1,2,3\n',
    [
      [1, 'x', 'Unknown column'],
      [1, 'b', 'This column is missing'],
    ],
  ],
  [
    'a,b,b\n1\n',
    [
      [1, 'b', 'This column is there twice'],
      [2, '', '1 fields instead of 3'],
    ],
  ],
  [
    'a,b\n1\n\n1,2\n1,2,3\n',
    [
      [2, '', '1 fields instead of 2'],
      [5, '', '3 fields instead of 2'],
    ],
  ],
])('what is wrong with the table as a whole is told: %j', (text, expected) => {
  const { problems } = table(text);
  expect(problems.map(({ line, column, rule }) => [line, column, rule])).toEqual(expected);
});

const RANGE = { min: -1000, max: 1000 };

test.each<[string, (row: CsvRow) => unknown, unknown]>([
  ['', (row) => row.text('a'), null],
  ['Käthe', (row) => row.text('a'), 'Käthe'],
  ['x\ty', (row) => row.text('a'), 'Control characters are not allowed'],
  ['', (row) => row.needed('a', (column) => row.text(column)), 'Must not be empty'],
  ['', (row) => row.decimal('a', RANGE), null],
  ['12.340', (row) => row.decimal('a', RANGE), '12.340'],
  ['-1', (row) => row.decimal('a', RANGE), '-1'],
  ['1,5', (row) => row.decimal('a', RANGE), 'Not a plain decimal number (12.34)'],
  ['1e3', (row) => row.decimal('a', RANGE), 'Not a plain decimal number (12.34)'],
  ['.5', (row) => row.decimal('a', RANGE), 'Not a plain decimal number (12.34)'],
  [' 1', (row) => row.decimal('a', RANGE), 'Not a plain decimal number (12.34)'],
  ['-1', (row) => row.decimal('a', { ...RANGE, min: 0 }), 'At least 0'],
  ['1.1', (row) => row.decimal('a', { ...RANGE, max: 1 }), 'At most 1'],
  [
    '1.001',
    (row) => row.decimal('a', { ...RANGE, fractionDigitsMax: 2 }),
    'At most 2 digits behind the point',
  ],
  ['12', (row) => row.wholeNumber('a'), 12],
  ['1.0', (row) => row.wholeNumber('a'), 'At most 0 digits behind the point'],
  ['99999', (row) => row.wholeNumber('a'), 'At most 32767'],
  ['2028-02-29', (row) => row.date('a'), '2028-02-29'],
  ['2027-02-29', (row) => row.date('a'), 'Not a day of the calendar (2027-01-01)'],
  ['1.1.2027', (row) => row.date('a'), 'Not a day of the calendar (2027-01-01)'],
  ['yes', (row) => row.yesNo('a'), true],
  ['no', (row) => row.yesNo('a'), false],
  ['true', (row) => row.yesNo('a'), 'Accepted: yes, no'],
  ['x', (row) => row.oneOf('a', ['x', 'y']), 'x'],
  ['X', (row) => row.oneOf('a', ['x', 'y']), 'Accepted: x, y'],
  ['12', (row) => row.matching('a', /^\d{2}$/, 'Not two digits'), '12'],
  ['123', (row) => row.matching('a', /^\d{2}$/, 'Not two digits'), 'Not two digits'],
])('the cell "%s" is read, or refused with its rule (%#)', (text, read, expected) => {
  expect(cell(text, read)).toBe(expected);
});
