import { describe, expect, test } from 'vitest';
import { csvProblemText, readCsv } from '../../../src/platform/csv/csv.ts';
import { processorMilliseconds } from '../../setup/fastest.ts';

const fields = (text: string) => readCsv(text).records.map((record) => record.fields);

describe('what RFC 4180 allows', () => {
  test.each([
    [
      'lines that end with LF',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'lines that end with CRLF',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'no end of the last line',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a byte order mark', '\ufeffa,b\n', [['a', 'b']]],
    ['a byte order mark before a quote', '\ufeff"a",b\n', [['a', 'b']]],
    [
      'empty fields',
      ',\n"",\n',
      [
        ['', ''],
        ['', ''],
      ],
    ],
    ['an empty field at the very end', 'a,', [['a', '']]],
    ['blanks, which belong to their field', ' a , b \n', [[' a ', ' b ']]],
    ['quotes around commas', '"a,b",c\n', [['a,b', 'c']]],
    ['quotes written twice', '"say ""x""",""""\n', [['say "x"', '"']]],
    ['line ends inside quotes', '"a\nb\r\nc",d\n', [['a\nb\r\nc', 'd']]],
    ['an empty file', '', []],
  ])('%s', (_title, text, records) => {
    const read = readCsv(text);
    expect(read.problems).toEqual([]);
    expect(fields(text)).toEqual(records);
  });

  test('a record knows the line on which it begins', () => {
    const { records } = readCsv('a\n"x\ny\nz"\nb\n');
    expect(records.map(({ line }) => line)).toEqual([1, 2, 5]);
  });

  test('200,000 records take less than five seconds of processor time', async () => {
    const text = '20354,test-netz,"a ""b"" c",0.5\n'.repeat(200_000);
    const milliseconds = await processorMilliseconds(() =>
      expect(readCsv(text).records).toHaveLength(200_000),
    );
    expect(milliseconds).toBeLessThan(5_000);
  });
});

describe('what breaks a rule is a problem with its place, and the lines behind it are read', () => {
  test.each([
    ['a quote inside a plain field', 'a,b"c\nx,y\n', 1, 'character 4', 'A quote in a field'],
    ['text behind a closing quote', 'a,"b"c\nx,y\n', 1, 'character 6', 'Text behind the closing quote'],
    ['a carriage return alone', 'a\rb\nx,y\n', 1, 'character 2', 'A carriage return without'],
    ['a carriage return behind a quote', '"a"\rb\nx,y\n', 1, 'character 4', 'A carriage return without'],
    ['a problem behind lines inside quotes', '"a\nb"c\nx,y\n', 2, 'character 3', 'Text behind'],
  ])('%s', (_title, text, line, column, rule) => {
    const { records, problems } = readCsv(text);
    expect(problems).toEqual([{ line, column, value: '', rule: expect.stringContaining(rule) }]);
    expect(records.at(-1)?.fields).toEqual(['x', 'y']);
  });

  test('a quote that is never closed is told where it opens', () => {
    const { records, problems } = readCsv('a,b\nc,"d\ne,f\n');
    expect(problems).toEqual([
      { line: 2, column: 'character 3', value: '', rule: 'This quote is never closed' },
    ]);
    expect(records.map((record) => record.fields)).toEqual([['a', 'b']]);
  });
});

test('a problem is one line of text: file, line, column, value and rule', () => {
  const problem = { line: 3, column: 'price', value: 'x\ny', rule: 'Not a number' };
  expect(csvProblemText('plans.csv', problem)).toBe('plans.csv:3 price "x\ufffdy": Not a number');
  expect(csvProblemText('plans.csv', { ...problem, column: '', value: '' })).toBe(
    'plans.csv:3: Not a number',
  );
  const long = csvProblemText('plans.csv', { ...problem, value: '😀'.repeat(100) });
  expect(long).toBe(`plans.csv:3 price "${'😀'.repeat(40)}…": Not a number`);
});
