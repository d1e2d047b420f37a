import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsedPrices } from '../../../src/cli/prices/parse.ts';
import { startText } from '../../../src/spot-prices/calendar.ts';
import { runCommand } from '../../cli/command-line.ts';
import {
  acknowledgement,
  bytes,
  DE_AT_LU,
  otherAuction,
  periodOf,
  pointsOf,
  publication,
  type SeriesParts,
} from './documents.ts';

const DAY = '2026-05-17';
const NEXT = '2026-05-18';
const good: SeriesParts = { periods: [periodOf(DAY)] };
const secondRefused = publication([
  good,
  { elements: { 'currency_Unit.name': 'SEK' }, periods: [periodOf(NEXT)] },
]);
const twoDays = publication([{ periods: [periodOf(NEXT), periodOf(DAY)] }, otherAuction(DAY)]);

const shown = (day: string) =>
  pointsOf(day).map(({ start, eurMwh }) => ({ start: startText(start), eur_mwh: eurMwh }));

let folder: string;
const files: Record<string, string> = {
  'two-days.xml': twoDays,
  'second-refused.xml': secondRefused,
  'nothing.xml': acknowledgement('No matching data found for Data item'),
  'cut.xml': twoDays.slice(0, -40),
  'html.json': '<!DOCTYPE html><html></html>',
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prices-parse-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
});
afterAll(() => rm(folder, { recursive: true }));

/** Nothing in the environment: no database, no configuration. */
function parse(file: string, ...options: readonly string[]) {
  return runCommand({}, 'prices', 'parse', join(folder, file), ...options);
}

async function parseJson(file: string, ...options: readonly string[]) {
  const { exitCode, stdout, stderr } = await parse(file, ...options, '--json');
  expect(stderr).toBe('');
  return { exitCode, object: JSON.parse(stdout) };
}

describe('the command', () => {
  test('a body of two days: both, each of them, none of a third', async () => {
    const both = await parseJson('two-days.xml', '--source', 'entsoe');
    expect(both.exitCode).toBe(0);
    expect(both.object).toEqual({
      status: 'ok',
      reason: null,
      source: 'entsoe',
      resolution: '15min',
      points: [...shown(DAY), ...shown(NEXT)],
    });
    for (const day of [DAY, NEXT]) {
      const { object } = await parseJson('two-days.xml', '--source', 'entsoe', '--day', day);
      expect(object).toMatchObject({ status: 'ok', reason: null, points: shown(day) });
    }
    const third = await parseJson('two-days.xml', '--source', 'entsoe', '--day', '2026-05-19');
    expect(third).toEqual({
      exitCode: 0,
      object: { status: 'not_published', reason: null, source: 'entsoe', resolution: null, points: [] },
    });
  });

  test('a body whose second day is refused', async () => {
    const both = await parseJson('second-refused.xml', '--source', 'entsoe');
    expect(both.exitCode).toBe(0);
    expect(both.object).toMatchObject({ status: 'ok', points: shown(DAY) });
    expect(both.object.reason).toBe('2026-05-18: TimeSeries 2: currency_Unit.name is "SEK", not "EUR"');
    const second = await parseJson('second-refused.xml', '--source', 'entsoe', '--day', NEXT);
    expect(second.exitCode).toBe(1);
    expect(second.object).toMatchObject({ status: 'refused', resolution: null, points: [] });
    const first = await parseJson('second-refused.xml', '--source', 'entsoe', '--day', DAY);
    expect(first.object).toMatchObject({ status: 'ok', reason: null, points: shown(DAY) });
  });

  test('exit codes: 0 without prices, 1 refused, 2 wrong use', async () => {
    expect((await parseJson('nothing.xml', '--source', 'entsoe')).exitCode).toBe(0);
    expect((await parseJson('cut.xml', '--source', 'entsoe')).exitCode).toBe(1);
    expect((await parseJson('html.json', '--source', 'smard')).exitCode).toBe(1);
    for (const wrong of [
      ['two-days.xml'],
      ['two-days.xml', '--source', 'nordpool'],
      ['two-days.xml', '--source', 'entsoe', '--day', '2026-02-29'],
      ['two-days.xml', '--source', 'entsoe', '--day', '20260517'],
      ['two-days.xml', '--source', 'entsoe', '--unknown'],
      ['absent.xml', '--source', 'entsoe'],
      ['.', '--source', 'entsoe'],
    ]) {
      const { exitCode, stdout } = await parse(wrong[0] ?? '', ...wrong.slice(1), '--json');
      expect({ wrong, exitCode, stdout }).toEqual({ wrong, exitCode: 2, stdout: '' });
    }
  });

  test('without --json a table for people', async () => {
    const { exitCode, stdout } = await parse('two-days.xml', '--source', 'entsoe', '--day', DAY);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^status +ok\n/);
    expect(stdout).toMatch(/\n2026-05-16T22:00:00Z +32\.22\n/);
  });
});

describe('what is shown', () => {
  const parsed = (text: string, day: string | null = null) => parsedPrices(bytes(text), 'entsoe', day);

  test('days of both widths are mixed', () => {
    const text = publication([{ periods: [periodOf('2025-09-30'), periodOf('2025-10-01')] }]);
    expect(parsed(text)).toMatchObject({ status: 'ok', reason: null, resolution: 'mixed' });
    expect(parsed(text).points).toEqual([...shown('2025-09-30'), ...shown('2025-10-01')]);
    expect(parsed(text, '2025-09-30').resolution).toBe('hourly');
    expect(parsed(text, '2025-10-01').resolution).toBe('15min');
  });

  test('the zone before October 2018 counts as asked', () => {
    const old = '2018-09-30';
    const text = publication([{ domain: DE_AT_LU, periods: [periodOf(old)] }]);
    for (const day of [null, old])
      expect(parsed(text, day)).toMatchObject({ status: 'ok', points: shown(old) });
    const wrong = publication([{ periods: [periodOf(old)] }]);
    for (const day of [null, old]) expect(parsed(wrong, day).status).toBe('refused');
  });

  test('the second auction alone is not published; a refused series without a day is refused', () => {
    expect(parsed(publication([otherAuction(DAY)]))).toMatchObject({ status: 'not_published', reason: null });
    expect(parsed(publication([])).status).toBe('not_published');
    const dayless = publication([{ elements: { 'currency_Unit.name': 'SEK' }, periods: [] }]);
    expect(parsed(dayless).status).toBe('refused');
    expect(parsed(dayless, DAY).status).toBe('not_published');
  });

  test('of many refused parts the first ones are named', () => {
    const bad = { elements: { 'currency_Unit.name': 'SEK' }, periods: [periodOf(DAY)] };
    const { reason } = parsed(publication(Array.from({ length: 30 }, () => bad)));
    expect(reason).toMatch(/; and 10 more$/);
  });
});
