import { CronExpressionParser } from 'cron-parser';
import { expect, test } from 'vitest';
import { assertTimetable } from '../../src/platform/jobs/ticks.ts';
import { addDays, berlinMilliseconds } from '../../src/platform/time/berlin-calendar.ts';
import { jobWorkers } from '../../workers/index.ts';
import { scheduleLines } from '../../workers/schedules.ts';

const DATABASE = 'postgres://app:secret@db-1:5432/voltstream';
const lines = scheduleLines(DATABASE);

test('every line can be read, has a name of its own and a job with a function', () => {
  const functions = new Set(jobWorkers.map((worker) => worker.definition.name));
  expect(new Set(lines.map((line) => line.id)).size).toBe(lines.length);
  for (const line of lines) {
    assertTimetable(line);
    expect(functions).toContain(line.job.name);
    expect(line.job.payload.safeParse(line.payload ?? {}).success).toBe(true);
  }
});

test('every job is in the list once and is named by verb and noun', () => {
  const names = jobWorkers.map((worker) => worker.definition.name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
});

test('the times that a job names for operators are times of its schedules, and only scheduled jobs name some', () => {
  const wrong: string[] = [];
  let named = 0;
  for (const { definition } of jobWorkers) {
    const timetables = lines
      .filter((line) => line.job.name === definition.name)
      .map(({ cron, timeZone }) => CronExpressionParser.parse(cron, { tz: timeZone }).fields);
    for (const [time, hour, minute] of definition.when.matchAll(/\b(\d\d):(\d\d)\b/g)) {
      named += 1;
      const ticks = timetables.some(
        (fields) =>
          fields.hour.values.map(Number).includes(Number(hour)) &&
          fields.minute.values.map(Number).includes(Number(minute)),
      );
      if (!ticks) wrong.push(`${definition.name}: ${time}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(named).toBeGreaterThan(10);
});

test('no fixed time lies in the hour that is missing in spring and comes twice in autumn', () => {
  for (const { cron, timeZone } of lines) {
    const { hour } = CronExpressionParser.parse(cron, { tz: timeZone }).fields;
    const hours = hour.values.map(Number);
    expect(hours.length === 24 || !hours.includes(2), cron).toBe(true);
  }
});

test('lines that ask feeds begin 0 to 40 seconds after the minute, the same for every process of one installation', () => {
  const priceLines = (url: string) => scheduleLines(url).filter((line) => /price/.test(line.job.name));
  const seconds = (url: string) =>
    new Set(
      priceLines(url)
        .map((line) => line.cron.split(' ')[0])
        .filter((second) => second !== '0'),
    );
  expect(seconds(DATABASE)).toEqual(seconds('postgres://maintenance:other@db-1:5432/voltstream'));
  const offsets = Array.from({ length: 200 }, (_, index) => [
    ...seconds(`postgres://a:b@db-${index}/voltstream`),
  ]);
  expect(offsets.every((found) => found.length <= 1)).toBe(true);
  const numbers = new Set(offsets.flat().map(Number));
  expect(Math.max(...numbers)).toBeLessThanOrEqual(40);
  expect(numbers.size).toBeGreaterThan(30);
});

/** Times of a day, the last one included. */
function every(minutes: number, first: string, last: string): string[] {
  const [from = 0, until = 0] = [first, last].map((time) => {
    const [hour, minute] = time.split(':').map(Number);
    return (hour ?? 0) * 60 + (minute ?? 0);
  });
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  return Array.from({ length: (until - from) / minutes + 1 }, (_, index) => {
    const at = from + index * minutes;
    return `${two(at / 60)}:${two(at % 60)}`;
  });
}

test('tomorrow is asked for every five minutes from 12:45 to 15:30 and every half hour to midnight, by the clock of the market', () => {
  const minutesOf = (day: string) => {
    const tomorrow = lines.filter(
      (line) => line.payload?.day === '+1' && line.job.name === 'pull-spot-prices',
    );
    const [begin, midnight] = [berlinMilliseconds(day), berlinMilliseconds(addDays(day, 1))];
    const local = (instant: number) =>
      new Intl.DateTimeFormat('de-DE', {
        hour: '2-digit',
        minute: '2-digit',
        timeZone: 'Europe/Berlin',
      }).format(instant);
    const ticks: number[] = [];
    for (const line of tomorrow) {
      const parsed = CronExpressionParser.parse(line.cron, {
        tz: line.timeZone,
        currentDate: new Date(begin - 1),
      });
      for (let tick = parsed.next().getTime(); tick < midnight; tick = parsed.next().getTime())
        ticks.push(tick);
    }
    return ticks.sort((a, b) => a - b).map(local);
  };
  for (const day of ['2026-03-29', '2026-07-01', '2026-10-25', '2026-11-20']) {
    expect([day, minutesOf(day)]).toEqual([
      day,
      [...every(5, '12:45', '15:30'), ...every(30, '16:00', '23:30')],
    ]);
  }
});
