import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { instantFromMicroseconds } from '../../../src/platform/time/instant.ts';
import { timeLimits } from '../../../src/telemetry/snapshots/time-limits.ts';

describe('what a request accepts as a timestamp', () => {
  test.each([
    ['2026-12-01T11:05:00.000Z', 13, '2025-11-01T11:05:00.000Z'],
    ['2027-03-31T23:59:59.999Z', 13, '2026-02-28T23:59:59.999Z'],
    ['2028-02-29T00:00:00.000Z', 12, '2027-02-28T00:00:00.000Z'],
    ['2028-03-30T00:00:00.000Z', 1, '2028-02-29T00:00:00.000Z'],
    ['2027-01-31T00:00:00.000Z', 2, '2026-11-30T00:00:00.000Z'],
    ['2026-12-01T11:05:00.000Z', 1200, '1926-12-01T11:05:00.000Z'],
    ['2026-12-01T11:05:00.000Z', 0, '1715-01-01T00:00:00.000Z'],
  ])('at %s with %s months: from %s on', (now, months, earliest) => {
    expect(instantFromMicroseconds(timeLimits(Date.parse(now), months).earliest)).toBe(earliest);
  });

  test('months are counted as calendars do', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2120, 0, 1) }),
        fc.integer({ min: 1, max: 240 }),
        (now, months) => {
          const expected = DateTime.fromMillis(now, { zone: 'utc' })
            .minus({ months })
            .toJSDate()
            .toISOString();
          expect(instantFromMicroseconds(timeLimits(now, months).earliest)).toBe(expected);
        },
      ),
    );
  });
});
