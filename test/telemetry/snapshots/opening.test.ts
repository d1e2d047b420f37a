import { describe, expect, test } from 'vitest';
import { readOpening } from '../../../src/telemetry/snapshots/scan.ts';

describe('the beginning of a body', () => {
  test.each([
    ['another order', '{"snapshots":[],"household":"dom_1"}'],
    ['another key first', '{"a":1,"household":"dom_1","snapshots":[]}'],
    ['no object', '[]'],
    ['nothing', ''],
    ['an escape in the household', '{"household":"dom\\u005f1","snapshots":[]}'],
    ['a number as household', '{"household":1,"snapshots":[]}'],
    ['an empty household', '{"household":"","snapshots":[]}'],
    ['rows that are no list', '{"household":"dom_1","snapshots":{}}'],
    ['a long household', `{"household":"${'x'.repeat(256)}","snapshots":[]}`],
    ['a household without end', '{"household":"dom_1'],
  ])('%s is left to the parser', (_name, text) => {
    expect(readOpening(Buffer.from(text))).toBeNull();
  });

  test('names the household and the place of the first row', () => {
    const bytes = Buffer.from(' { "household" : "dom_1" , "snapshots" : [ {} ] } ');
    expect(readOpening(bytes)).toEqual({ household: 'dom_1', rowsAt: bytes.indexOf('{}') });
  });
});
