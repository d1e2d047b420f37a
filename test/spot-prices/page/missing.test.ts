import { expect, test } from 'vitest';
import { missingText } from '../../../src/spot-prices/page/curve.ts';

const known = (
  state: 'complete' | 'partial' | 'suspect',
  last_incomplete_at: string | null,
  is_held_back = state === 'suspect',
) => ({
  delivery_on: '2026-11-21',
  served_source: null,
  preferred_source: null,
  state,
  version: 0,
  is_held_back,
  last_incomplete_at,
  first_complete_at: null,
  updated_at: '2026-11-20T12:00:00Z',
});

test.each([
  ['before the auction nobody has it', '2026-11-20T08:00:00Z', null, 'not published'],
  [
    'a source has just said that it has none',
    '2026-11-20T13:00:00Z',
    known('partial', '2026-11-20T12:55:00Z'),
    'not published',
  ],
  ['no source has answered', '2026-11-20T13:00:00Z', null, 'not fetched'],
  [
    'the last answer is from before an outage',
    '2026-11-21T09:00:00Z',
    known('partial', '2026-11-20T12:55:00Z'),
    'not fetched',
  ],
  [
    'the prices look like none',
    '2026-11-20T13:00:00Z',
    known('suspect', '2026-11-20T12:55:00Z'),
    'held back',
  ],
  [
    'a part is served, and what completes it looks like no prices',
    '2026-11-20T13:00:00Z',
    known('partial', '2026-11-20T12:55:00Z', true),
    'held back',
  ],
])('%s: %s', (_name, now, day, text) => {
  expect(missingText({ deliveryOn: '2026-11-21', known: day }, Date.parse(now))).toBe(text);
});
