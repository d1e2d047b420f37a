import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  instantFromMicroseconds,
  instantInUtc,
  instantMicroseconds,
  isInstant,
} from '../../../src/platform/time/instant.ts';
import { runs } from '../../setup/tier.ts';

const judge = z.iso.datetime({ offset: true });

/** Zod's verdict, less what it accepts and this service does not. */
function isAccepted(text: string): boolean {
  return judge.safeParse(text).success && !text.startsWith('0000') && !/\.\d{7,}/.test(text);
}

describe('the parser of instants accepts what it should', () => {
  test.each([
    ['B102 no offset', '2026-10-05T08:30:00', false],
    ['B102 no seconds', '2026-10-05T08:30Z', false],
    ['B102 date only', '2026-10-05', false],
    ['B102 space for T', '2026-10-05 08:30:00Z', false],
    ['B102 lower-case t', '2026-10-05t08:30:00Z', false],
    ['B102 lower-case z', '2026-10-05T08:30:00z', false],
    ['B102 offset without colon', '2026-10-05T08:30:00+0200', false],
    ['B102 offset of hours only', '2026-10-05T08:30:00+02', false],
    ['B102 offset of 25 hours', '2026-10-05T08:30:00+25:00', false],
    ['B102 decimal comma', '2026-10-05T08:30:00,5Z', false],
    ['B102 week date', '2026-W41-1T08:30:00Z', false],
    ['B103 hour 24', '2026-10-05T24:00:00Z', false],
    ['B103 second 60', '2026-10-05T08:30:60Z', false],
    ['B103 30 February', '2026-02-30T00:00:00Z', false],
    ['B103 29 February of a common year', '2025-02-29T00:00:00Z', false],
    ['B103 29 February of a leap year', '2028-02-29T00:00:00Z', true],
    ['B103 29 February 2100', '2100-02-29T00:00:00Z', false],
    ['B103 year 294277', '294277-01-01T00:00:00Z', false],
    ['B103 year -000001', '-000001-01-01T00:00:00Z', false],
    ['B103 year 0000', '0000-06-01T00:00:00Z', false],
    ['B105 six fraction digits', '2026-10-05T08:30:00.123456Z', true],
    ['B105 seven fraction digits', '2026-10-05T08:30:00.1234567Z', false],
    ['B105 a dot without digits', '2026-10-05T08:30:00.Z', false],
    ['text behind it', '2026-10-05T08:30:00Zx', false],
    ['nothing', '', false],
  ])('%s: %s is %s', (_title, text, accepted) => {
    expect(isInstant(text)).toBe(accepted);
    expect(isAccepted(text)).toBe(accepted);
  });

  test('B103 agrees with Zod on random dates, times and zones', () => {
    const padded = (max: number, digits: number) =>
      fc.integer({ min: 0, max }).map((value) => String(value).padStart(digits, '0'));
    const texts = fc
      .tuple(
        fc.oneof(padded(9999, 4), fc.constantFrom('0000', '1900', '2000', '2024', '2100')),
        padded(13, 2),
        padded(32, 2),
        padded(24, 2),
        padded(60, 2),
        fc.option(fc.tuple(padded(60, 2), fc.option(fc.stringMatching(/^\d{1,8}$/)))),
        fc.oneof(
          fc.constantFrom('Z', 'z', '', '+', '+02', '+0200'),
          fc
            .tuple(fc.constantFrom('+', '-'), padded(25, 2), padded(60, 2))
            .map(([s, h, m]) => `${s}${h}:${m}`),
        ),
      )
      .map(([year, month, day, hour, minute, second, zone]) => {
        const fraction = second?.[1] == null ? '' : `.${second[1]}`;
        const seconds = second === null ? '' : `:${second[0]}${fraction}`;
        return `${year}-${month}-${day}T${hour}:${minute}${seconds}${zone}`;
      });
    fc.assert(
      fc.property(texts, (text) => {
        expect([text, isInstant(text)]).toEqual([text, isAccepted(text)]);
      }),
      { numRuns: runs(5_000) },
    );
  });

  test('B103 agrees with Zod on texts with one character changed', () => {
    const base = '2026-10-05T08:30:00.123+02:00';
    fc.assert(
      fc.property(
        fc.nat(base.length - 1),
        fc.constantFrom(...'0123456789TZ:+-. tzW,'),
        fc.boolean(),
        (at, character, insert) => {
          const text = base.slice(0, at) + character + base.slice(insert ? at : at + 1);
          expect([text, isInstant(text)]).toEqual([text, isAccepted(text)]);
        },
      ),
      { numRuns: runs(3_000) },
    );
  });
});

describe('instants keep their microseconds', () => {
  test('B104 two offsets of one instant are one number', () => {
    expect(instantMicroseconds('2026-12-01T12:00:00.250+01:00')).toBe(
      instantMicroseconds('2026-12-01T11:00:00.25Z'),
    );
    expect(instantMicroseconds('2026-12-01T00:00:00+05:30')).toBe(
      instantMicroseconds('2026-11-30T18:30:00Z'),
    );
    expect(instantMicroseconds('2026-12-01T23:00:00-05:00')).toBe(
      instantMicroseconds('2026-12-02T04:00:00Z'),
    );
  });

  test('B105 one microsecond apart is two numbers', () => {
    const [first, second] = ['2026-12-01T11:00:00.000001Z', '2026-12-01T11:00:00.000002Z'].map(
      instantMicroseconds,
    );
    expect((second ?? 0) - (first ?? 0)).toBe(1);
  });

  test('B106 the doubled hour of the autumn change is two instants', () => {
    const summer = instantMicroseconds('2026-10-25T02:30:00+02:00');
    expect(instantMicroseconds('2026-10-25T02:30:00+01:00') - summer).toBe(3_600_000_000);
  });

  test.each([
    ['2000-01-01T00:00:00Z', 0],
    ['1999-12-31T23:59:59.999999Z', -1],
    ['2026-10-05T08:30:00.5Z', 844_504_200_500_000],
  ])('%s is %i microseconds from 2000', (text, microseconds) => {
    expect(instantMicroseconds(text)).toBe(microseconds);
  });

  test.each([
    ['2026-10-05T10:30:00+02:00', '2026-10-05T08:30:00.000Z'],
    ['2026-10-05T08:30:00.1Z', '2026-10-05T08:30:00.100Z'],
    ['2026-10-05T08:30:00.123456Z', '2026-10-05T08:30:00.123456Z'],
    ['2026-10-05T08:30:00.123000Z', '2026-10-05T08:30:00.123Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
    ['9999-12-31T23:59:59-01:00', null],
    ['0001-01-01T00:00:00+01:00', null],
    ['infinity', null],
  ])('%s in UTC is %s', (text, utc) => {
    expect(instantInUtc(text)).toBe(utc);
  });

  test('numbers and texts are the same instants in both directions', () => {
    const range = { min: -8_000_000_000_000_000, max: 8_000_000_000_000_000 };
    fc.assert(
      fc.property(fc.integer(range), (microseconds) => {
        const text = instantFromMicroseconds(microseconds);
        expect(instantMicroseconds(text)).toBe(microseconds);
        expect(instantInUtc(text)).toBe(text);
      }),
    );
  });
});
