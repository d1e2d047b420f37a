import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DeliveryDay, gridOf, startsOf } from '../../../src/spot-prices/calendar.ts';
import { type ReadableSource, sources } from '../../../src/spot-prices/providers/index.ts';
import type { WireAnswer } from '../../../src/spot-prices/series.ts';
import { runs } from '../../setup/tier.ts';
import { bytes, onlyDay, type Point, pointsFor, publication } from './documents.ts';
import { DOCUMENTED_SOURCES, SOURCE_DOCUMENTS } from './source-documents.ts';

const amount = fc.integer({ min: -50_000, max: 400_000 }).map((cents) => (cents / 100).toFixed(2));
const anyDay = fc.constantFrom(
  '2026-05-17',
  '2026-03-29',
  '2026-10-25',
  '2025-09-30',
  '2025-03-30',
  '2024-10-27',
);
/* Few different values make many repeats. */
const dayOfValues = fc
  .tuple(anyDay, fc.array(amount, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat(3)))
  .map(([day, palette, choices]) => {
    const amounts = startsOf(gridOf(day)).map(
      () => palette[(choices.next().value ?? 0) % palette.length] ?? '',
    );
    return { day, amounts };
  });

function document(day: DeliveryDay, curve: 'A01' | 'A03', points: readonly Point[]): Uint8Array {
  const { from, to, minutes } = gridOf(day);
  return bytes(publication([{ curve, periods: [{ from, to, resolution: `PT${minutes}M`, points }] }]));
}

function read(body: Uint8Array, day: DeliveryDay | null, source: ReadableSource = 'entsoe'): WireAnswer {
  return sources[source].read(body, { zone: 'DE-LU', days: day === null ? null : [day] });
}

test('a curve with all points and a compressed one mean the same', () => {
  fc.assert(
    fc.property(dayOfValues, ({ day, amounts }) => {
      const [full, compressed] = (['A01', 'A03'] as const).map((curve) =>
        onlyDay(read(document(day, curve, pointsFor(amounts, curve)), day)),
      );
      expect(compressed?.points).toEqual(full?.points);
      expect(full?.points.map(({ eurMwh }) => Number(eurMwh))).toEqual(
        amounts.map((text) => Number(text) + 0),
      );
    }),
    { numRuns: runs(40) },
  );
});

test('the order of points never matters', () => {
  const shuffled = dayOfValues.chain(({ day, amounts }) => {
    const points = pointsFor(amounts, 'A03');
    return fc.record({
      day: fc.constant(day),
      points: fc.constant(points),
      mixed: fc.shuffledSubarray(points, { minLength: points.length }),
    });
  });
  fc.assert(
    fc.property(shuffled, ({ day, points, mixed }) => {
      const [first, second] = [points, mixed].map((list) => onlyDay(read(document(day, 'A03', list), day)));
      expect(second).toEqual(first);
    }),
    { numRuns: runs(40) },
  );
});

test.each(DOCUMENTED_SOURCES)('%s: a cut body never has a value', (source) => {
  const body = bytes(SOURCE_DOCUMENTS[source].whole);
  expect(onlyDay(read(body, null, source)).points.length).toBeGreaterThan(0);
  for (let length = 0; length < body.length; length += 1) {
    expect(read(body.subarray(0, length), null, source).status).toBe('failed');
  }
});

test('whatever the bytes, a reader answers', () => {
  const parts = fc.array(
    fc.constantFrom(
      ...Object.values(SOURCE_DOCUMENTS).flatMap(({ whole }) => whole.split(/(?<=[>,{}[\]:"])/)),
    ),
    {
      maxLength: 40,
    },
  );
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    parts.map((list) => list.join('')),
  );
  fc.assert(
    fc.property(texts, fc.constantFrom(...DOCUMENTED_SOURCES), (text, source) => {
      expect(['failed', 'rejected', 'not_published', 'read']).toContain(
        read(bytes(text), null, source).status,
      );
    }),
    { numRuns: runs(500) },
  );
});

test('one byte changed: either the values of the others stay, or nothing is read', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...DOCUMENTED_SOURCES),
      fc.nat(),
      fc.integer({ min: 0, max: 255 }),
      (source, at, byte) => {
        const body = Buffer.from(SOURCE_DOCUMENTS[source].whole);
        body[at % body.length] = byte;
        const answer = read(body, null, source);
        if (answer.status !== 'read') return;
        for (const day of answer.days) {
          for (const point of day.points) {
            expect(point.eurMwh).toMatch(/^(?!-0$)-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
            expect((point.start - gridOf(day.deliveryOn).from) % (day.minutes * 60_000)).toBe(0);
          }
        }
      },
    ),
    { numRuns: runs(500) },
  );
});
