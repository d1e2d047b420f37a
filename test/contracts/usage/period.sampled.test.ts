import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../setup/client.ts';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { type Metered, startMetered } from './metered.ts';

/** The day is 2026-11-21 in Berlin. */
const NOW = '2026-11-20T23:30:00.000Z';

let metered: Metered;
let smart: string;
let analog: string;
beforeAll(async () => {
  metered = await startMetered(NOW);
  smart = (await metered.contract({ meter_type: 'smart' })).id;
  const contract = await metered.contract();
  await metered.read(contract, { '2026-01-01': 1000, '2026-10-01': 2000 });
  analog = contract.id;
});
afterAll(() => metered?.close());

async function refused(id: string, query: string) {
  return refusal((await metered.usage(id, query)) as unknown as Answer<ErrorBody>);
}

describe('auto', () => {
  test.each([
    ['2026-11-20', '15min'],
    ['2026-11-19', '15min'],
    ['2026-11-18', 'hour'],
    ['2026-11-14', 'hour'],
    ['2026-11-13', 'day'],
    ['2026-09-20', 'day'],
    ['2026-09-19', 'week'],
    ['2025-11-20', 'week'],
    ['2025-11-19', 'month'],
    ['2016-11-14', 'month'],
  ])('from %s until today is %s', async (start, resolution) => {
    for (const parameter of sampled(['', '&resolution=auto'], 2, Number(start.at(-1)))) {
      const answer = await metered.usage(smart, `start=${start}&end=2026-11-21${parameter}`);
      expect(answer.body.resolution).toBe(resolution);
    }
  });
});

describe('the longest periods', () => {
  const LONGEST = [
    ['15min', '2026-09-20', '2026-09-19'],
    ['hour', '2025-11-20', '2025-11-19'],
    ['day', '2016-11-13', '2016-11-12'],
    ['week', '2016-11-13', '2016-11-12'],
    ['month', '2016-11-13', '2016-11-12'],
    ['auto', '2016-11-13', '2016-11-12'],
  ] as const;
  test.each(sampled(LONGEST, 2, 1))('%s from %s, not from %s', async (resolution, longest, tooLong) => {
    const query = (start: string) => `start=${start}&end=2026-11-21&resolution=${resolution}`;
    expect((await metered.usage(smart, query(longest))).status).toBe(200);
    expect(await refused(smart, query(tooLong))).toEqual([400, 'too_big end']);
    expect(await refused(smart, `start=${tooLong}&resolution=${resolution}`)).toEqual([400, 'too_big end']);
  });

  test('an analog meter gives months, as long as those may be', async () => {
    const query = 'start=2025-01-01&end=2026-10-01&resolution=15min';
    expect((await metered.usage(analog, query)).status).toBe(200);
    expect(await refused(analog, 'start=2015-01-01&end=2026-10-01')).toEqual([400, 'too_big end']);
  });
});

describe('an end that is not after the start is told', () => {
  test.each([
    ['start=2026-11-20&end=2026-11-20', 'end'],
    ['start=2026-11-20&end=2026-11-19', 'end'],
    ['end=2026-11-20', 'end'],
    ['end=2020-01-01', 'end'],
    ['start=2026-11-21', 'start'],
    ['start=2027-01-01', 'start'],
    ['start=9999-12-31', 'start'],
    ['end=0001-01-01', 'end'],
  ])('smart: %s at %s', async (query, field) => {
    expect(await refused(smart, query)).toEqual([400, `too_small ${field}`]);
  });

  test.each([
    ['start=2026-10-01', 'start'],
    ['end=2025-11-21', 'end'],
    ['start=2026-03-01&end=2026-03-01', 'end'],
  ])('analog: %s at %s', async (query, field) => {
    expect(await refused(analog, query)).toEqual([400, `too_small ${field}`]);
  });

  test('a start without an end is no mistake while nothing was read', async () => {
    const { id } = await metered.contract();
    expect((await metered.usage(id, 'start=2026-11-01')).body.data).toEqual([]);
  });
});

describe('parameters', () => {
  test.each([
    ['resolution=minute', [422, 'invalid_value resolution']],
    ['resolution=', [422, 'invalid_value resolution']],
    ['resolution=15MIN', [422, 'invalid_value resolution']],
    ['start=2026-02-30', [400, 'invalid_format start']],
    ['start=2026-11-01T00:00:00Z', [400, 'invalid_format start']],
    ['end=', [400, 'invalid_format end']],
    ['end=tomorrow&resolution=minute', [400, 'invalid_format end', 'invalid_value resolution']],
    ['start=2026-11-01&start=2026-11-02', [400, 'custom start']],
    ['resolution=day&resolution=day', [400, 'custom resolution']],
    ['end=%ff', [400, 'invalid_format end']],
  ])('%s', async (query, expected) => {
    expect(await refused(smart, query)).toEqual(expected);
  });

  test('others are ignored', async () => {
    expect((await metered.usage(smart, 'limit=0&unknown=1&toString=1')).status).toBe(200);
  });

  test('every day of the calendar can be asked for', async () => {
    const periods = [
      ['0001-01-01', '0001-01-02'],
      ['9999-12-30', '9999-12-31'],
      ['9990-01-01', '9999-12-31'],
      ['2027-01-01', '2030-01-01'],
    ] as const;
    for (const [turn, [start, end]] of periods.entries()) {
      for (const id of sampled([smart, analog], 2, turn)) {
        const answer = await metered.usage(id, `start=${start}&end=${end}`);
        expect([answer.status, answer.body.data]).toEqual([200, []]);
      }
    }
  });

  test('they are looked at before the contract, their rules after it', async () => {
    const nobody = 'sub_000000000000000000000000';
    expect(await refused(nobody, 'resolution=minute')).toEqual([422, 'invalid_value resolution']);
    expect(await refused(nobody, 'start=2026-11-21&end=2026-11-20')).toEqual([404]);
  });
});
