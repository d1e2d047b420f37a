import { describe, expect, test } from 'vitest';
import { KnownAnswers } from '../../load/measure/answers.ts';
import { type QuotedZip, quoteBodies } from '../../load/reads/quote-requests.ts';

const ZIPS: readonly QuotedZip[] = [
  { zip: '01067', hasSchedule: false },
  { zip: '10115', hasSchedule: true },
];

interface Sent {
  zip_code: string;
  usage: { consumption: number };
  optimization_rate?: number;
  grid_fee_reductions?: Record<string, boolean>;
}

const sent = (bodies: readonly Buffer[]) => bodies.map((body) => JSON.parse(body.toString()) as Sent);

describe('seeded requests for quotes', () => {
  test('the same seed is the same requests, another one others', () => {
    const bodies = quoteBodies('one', 300, ZIPS);
    expect(quoteBodies('one', 300, ZIPS)).toEqual(bodies);
    expect(quoteBodies('two', 300, ZIPS)).not.toEqual(bodies);
  });

  test('every zip, every combination of modules, with and without a rate, all usages, and nothing that is refused', () => {
    const requests = sent(quoteBodies('one', 2000, ZIPS));
    expect(new Set(requests.map(({ zip_code }) => zip_code))).toEqual(new Set(['01067', '10115']));
    const modules = requests.map(({ grid_fee_reductions: reductions = {} }) =>
      [1, 2, 3].filter((number) => reductions[`14a_module_${number}`] === true).join('+'),
    );
    expect(new Set(modules)).toEqual(new Set(['', '1', '2', '1+3']));
    const unknown = requests.filter(
      ({ zip_code, grid_fee_reductions: reductions }) =>
        zip_code === '01067' && reductions?.['14a_module_3'] === true,
    );
    expect(unknown).toEqual([]);
    const rates = new Set(requests.map(({ optimization_rate }) => optimization_rate));
    for (const rate of [undefined, 0]) expect(rates).toContain(rate);
    expect(rates.size).toBeGreaterThan(500);
    const usages = requests.map(({ usage }) => usage.consumption);
    expect(Math.min(...usages)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...usages)).toBeLessThanOrEqual(50_000);
    for (const [low, high] of [
      [100, 6_000],
      [6_000, 10_000],
      [10_000, 20_000],
      [20_000, 50_000],
    ] as const) {
      expect(usages.some((kwh) => kwh > low && kwh <= high)).toBe(true);
    }
    expect(usages.some((kwh) => !Number.isInteger(kwh))).toBe(true);
  });

  test('without a zip nothing can be asked for', () => {
    expect(() => quoteBodies('one', 1, [])).toThrow('No zip is supplied');
  });
});

describe('answers of a run', () => {
  const quote = (amount: number, moment: string) =>
    `{"object":"quote","amount":${amount},"quoted_at":"2026-11-22T${moment}.000Z"}`;

  test('are good in any order and at any moment', () => {
    const answers = new KnownAnswers([quote(1, '10:00:00'), quote(2, '10:00:00'), quote(1, '10:00:00')]);
    for (const amount of [2, 1, 1]) answers.add(200, quote(amount, '11:11:11'));
    answers.expect(3);
    expect(answers.allWere(200)).toBe(true);
  });

  test('fail the run where a figure differs, where one comes more often than it was asked for, and where one is missing', () => {
    const wrong = new KnownAnswers([quote(1, '10:00:00')]);
    wrong.add(200, quote(1.01, '10:00:00'));
    expect(wrong.allWere(200)).toBe(false);
    expect(wrong.problems[0]).toContain('1.01');
    const twice = new KnownAnswers([quote(1, '10:00:00'), quote(2, '10:00:00')]);
    twice.add(200, quote(1, '10:00:00'));
    twice.add(200, quote(1, '10:00:00'));
    expect(twice.byStatus).toEqual({ 200: 1, 0: 1 });
    const lost = new KnownAnswers([quote(1, '10:00:00')]);
    lost.expect(1);
    expect(lost.allWere(200)).toBe(false);
  });

  test('say why where the service refuses', () => {
    const answers = new KnownAnswers([quote(1, '10:00:00')]);
    answers.add(429, '{"code":"RATE_LIMIT_EXCEEDED"}');
    expect(answers.byStatus).toEqual({ 429: 1 });
    expect(answers.problems).toEqual(['429 {"code":"RATE_LIMIT_EXCEEDED"}']);
  });
});
