import { beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../cli/command-line.ts';
import { formulaCents, PriceRun } from '../price-run.ts';

const run = new PriceRun({ at: '2026-11-20T10:00:00Z' });
const UNWELL = { status: 403 } as const;

beforeEach(() => run.empty());

const prices = (...args: string[]) => runCommand(run.environment(), 'prices', ...args);
const json = (text: string) => JSON.parse(text) as Record<string, unknown>;

describe('prices backfill', () => {
  const span = ['backfill', '--from', '2025-09-29', '--to', '2025-10-03'];

  test('exit 0: all days complete; plain progress lines, a table at the end', async () => {
    const { exitCode, stdout, stderr } = await prices(...span);
    expect(exitCode).toBe(0);
    expect(stderr).toBe('4/4 days  entsoe 2025-09-29 until 2025-10-03: published, 240 intervals\n');
    expect(stdout).toMatch(/^source +requests +failures +days +intervals\nentsoe +1 +0 +4 +240\n/);
    expect(stdout).toMatch(/4 of 4 days complete \(0 before\), 4 changed, [\d.]+ s/);
    expect(stdout).not.toContain('\u001b[');
    expect(await run.servedCents('2025-10-01')).toEqual(formulaCents('2025-10-01'));
    expect((await prices(...span)).stdout).toContain('4 of 4 days complete (4 before), 0 changed');
  });

  test('exit 1: some are missing, and listed as spans', async () => {
    const absent = { absent_days: ['2025-09-30', '2025-10-01'] };
    run.feed.set({ entsoe: absent, smard: absent });
    /* A command really waits five seconds before each day that it asks of energy-charts. */
    const twoSources = { ...run.environment(), PRICES_SOURCES: 'entsoe,smard' };
    const backfill = (...more: string[]) => runCommand(twoSources, 'prices', ...span, ...more);
    const result = await backfill('--json');
    expect(result.exitCode).toBe(1);
    expect(json(result.stdout)).toMatchObject({
      days: 4,
      complete: 2,
      missing: ['2025-09-30', '2025-10-01'],
      unreachable: false,
      stopped: false,
    });
    expect((await backfill()).stdout).toContain('missing: 2025-09-30 until 2025-10-02');
  });

  test('exit 3: no source can be reached', async () => {
    run.feed.set({ entsoe: UNWELL, smard: UNWELL, 'energy-charts': UNWELL });
    const { exitCode, stdout } = await prices(...span);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('No source could be reached.');
  });

  test.each([
    [['--from', '2025-02-29', '--to', '2025-03-01'], /A calendar day like/],
    [['--from', '2025-03-02', '--to', '2025-03-02'], /is not behind --from 2025-03-02/],
    [['--from', '2025-03-02'], /--to <day>/],
    [['--from', '2025-03-02', '--to', '2199-01-01'], /until tomorrow/],
    [['--from', '2025-03-02', '--to', '2025-03-03', '--source', 'awattar'], /One of entsoe, smard/],
    [['--from', '2025-03-02', '--to', '2025-03-03', '--often'], /unknown option/],
  ])('exit 2: %j', async (args, sentence) => {
    const { exitCode, stderr } = await prices('backfill', ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(sentence);
  });

  test('--dry-run asks nobody', async () => {
    const before = run.requests();
    const { exitCode, stdout } = await prices(...span, '--dry-run');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^4 of 4 days would be asked for/);
    expect(stdout).toMatch(/entsoe +1 +4 +2025-09-29 +2025-10-03/);
    const shown = json((await prices(...span, '--dry-run', '--json')).stdout);
    expect(shown).toMatchObject({
      open: 4,
      requests: [{ source: 'entsoe', from: '2025-09-29', to: '2025-10-03' }],
    });
    expect(run.requests()).toBe(before);
  });
});

describe('prices pull', () => {
  test('exit 0 when the day is complete, with or without a request', async () => {
    const first = await prices('pull', '--date', '2025-10-26', '--json');
    expect(first.exitCode).toBe(0);
    expect(json(first.stdout)).toMatchObject({ outcome: 'complete', served_source: 'entsoe', changed: true });
    const again = await prices('pull', '--date', '2025-10-26');
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('already_complete') });
  });

  test('exit 1 when it is not, 3 when nobody could be reached, 2 when there is no such day', async () => {
    const absent = { absent_days: ['2025-10-26'] };
    run.feed.set({ entsoe: absent, smard: absent, 'energy-charts': absent });
    expect((await prices('pull', '--date', '2025-10-26')).exitCode).toBe(1);
    run.feed.set({ entsoe: UNWELL, smard: UNWELL, 'energy-charts': UNWELL });
    expect((await prices('pull', '--date', '2025-10-26')).exitCode).toBe(3);
    expect((await prices('pull', '--date', '2025-10-32')).exitCode).toBe(2);
  });

  test('exit 2 for a day that no source can have: nobody is asked, and no alarm is left behind', async () => {
    const { exitCode, stderr } = await prices('pull', '--date', '1900-01-01');
    expect(exitCode).toBe(2);
    expect(stderr).toBe('error: no source has prices before 2015-01-01\n');
    expect(await run.rows('SELECT FROM price_fetches')).toEqual([]);
    expect(await run.rows('SELECT FROM price_alarms')).toEqual([]);
  });
});

describe('prices status', () => {
  test('every day of the span with state, source, revisions and the bracket of its publication', async () => {
    await prices('backfill', '--from', '2025-10-25', '--to', '2025-10-27');
    run.feed.set({
      entsoe: { drop: ['2025-10-27T10:00Z'] },
      smard: { absent_days: ['2025-10-27'] },
      'energy-charts': { absent_days: ['2025-10-27'] },
    });
    await prices('pull', '--date', '2025-10-27');
    const span = ['--from', '2025-10-25', '--to', '2025-10-29'];
    const shown = json((await prices('status', ...span, '--json')).stdout);
    expect(shown.days).toMatchObject([
      {
        delivery_on: '2025-10-25',
        state: 'complete',
        source: 'entsoe',
        intervals: 96,
        expected: 96,
        revisions: 0,
      },
      { delivery_on: '2025-10-26', state: 'complete', intervals: 100, expected: 100 },
      { delivery_on: '2025-10-27', state: 'partial', intervals: 95, expected: 96, complete_since: null },
      { delivery_on: '2025-10-28', state: 'missing', source: null, intervals: 0 },
    ]);
    const { stdout, exitCode } = await prices('status', ...span);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^day +state +source +intervals +revisions +published after +published by\n/);
    expect(stdout).toMatch(/2025-10-28 +missing +- +0\/96/);
    expect(stdout).toContain('Open alarms: none');
  });

  test('--date shows the attempts, without the token; open alarms and pauses stand below the table', async () => {
    run.feed.set({ entsoe: { status: 401 } });
    await prices('pull', '--date', '2025-10-26');
    const detail = await prices('status', '--date', '2025-10-26', '--json');
    expect(json(detail.stdout)).toMatchObject({
      delivery_on: '2025-10-26',
      state: 'complete',
      source: 'smard',
      sources: [{ source: 'smard', state: 'complete', interval_count: 100 }],
      fetches: expect.arrayContaining([expect.objectContaining({ source: 'entsoe', outcome: 'denied' })]),
    });
    expect(detail.stdout).not.toContain('securityToken=demo');
    expect((await prices('status', '--date', '2025-10-26')).stdout).toContain('Attempts, newest first');
    const table = await prices('status', '--from', '2025-10-26', '--to', '2025-10-27');
    expect(table.stdout).toMatch(
      /Open alarms: 1\nalarm +kind +source +day +since +detail\n\d+ +denied +entsoe/,
    );
  });
});

describe('prices replay', () => {
  test('days go by with the clock set back: forecasts frozen before the prices came', async () => {
    const result = await prices('replay', '--from', '2025-11-04', '--to', '2025-11-06', '--json');
    expect(result).toMatchObject({ exitCode: 0 });
    expect(json(result.stdout)).toEqual({ from: '2025-11-04', to: '2025-11-06', steps: 12 });
    const frozen = await run.rows(
      `SELECT delivery_on::text, late, (frozen_at AT TIME ZONE 'UTC')::text AS frozen_at, captured_at < frozen_at AS before
         FROM price_forecast_frozen JOIN price_forecast_captures ON id = capture_id ORDER BY delivery_on`,
    );
    expect(frozen).toEqual([
      { delivery_on: '2025-11-04', late: false, frozen_at: '2025-11-03 11:00:00', before: true },
      { delivery_on: '2025-11-05', late: false, frozen_at: '2025-11-04 11:00:00', before: true },
    ]);
    expect(await run.servedCents('2025-11-05')).toEqual(formulaCents('2025-11-05'));
    run.feed.set({ now: () => run.clock.nowMilliseconds() });
  });

  test('is refused unless every address is the synthetic feed', async () => {
    const real = { PRICES_SMARD_URL: 'https://www.smard.de' };
    const result = await runCommand(
      { ...run.environment(), ...real },
      ...['prices', 'replay', '--from', '2025-11-04', '--to', '2025-11-05'],
    );
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(/^Refused: PRICES_SMARD_URL is not the synthetic feed/);
    const other = { PRICES_SMARD_URL: 'http://127.0.0.1:1' };
    const gone = await runCommand(
      { ...run.environment(), ...other },
      ...['prices', 'replay', '--from', '2025-11-04', '--to', '2025-11-05'],
    );
    expect(gone.stderr).toMatch(/^Refused: no synthetic feed answers at/);
    expect(await run.rows('SELECT FROM price_fetches')).toEqual([]);
  });
});
