import { describe, expect, test } from 'vitest';
import { acceptsGzip } from '../../../src/platform/http/accept.ts';
import { entityTagsOf, namesContent } from '../../../src/platform/interface/entity-tag.ts';

const tags = entityTagsOf('v1.abc');

describe('If-None-Match', () => {
  test.each([
    '*',
    ' * ',
    '"v1.abc"',
    'W/"v1.abc"',
    '"v1.abc-gzip"',
    '"x", "v1.abc"',
    '"x,y",W/"z" , W/"v1.abc-gzip"',
  ])('%s names it', (header) => {
    expect(namesContent(header, tags)).toBe(true);
  });

  test.each([undefined, '', 'v1.abc', '"v1.abc', '"v1"', '"V1.ABC"', '"x", "y"', '"*"', 'w/"x"', '""'])(
    '%s does not',
    (header) => {
      expect(namesContent(header, tags)).toBe(false);
    },
  );
});

test.each([
  ['gzip', true],
  ['gzip, deflate, br', true],
  ['br;q=1.0, GZIP;q=0.8', true],
  ['*', true],
  ['x-gzip', true],
  ['br', false],
  ['gzip;q=0', false],
  ['gzip; q=0.000, *', false],
  ['*;q=0', false],
  ['identity', false],
  ['', false],
  [undefined, false],
])('Accept-Encoding: %s takes gzip: %s', (header, takes) => {
  expect(acceptsGzip(header)).toBe(takes);
});
