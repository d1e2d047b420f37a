import { CronExpressionParser } from 'cron-parser';
import { expect, test } from 'vitest';
import { assertTimetable } from '../../src/platform/job-ticks.ts';
import { jobWorkers } from '../../workers/index.ts';
import { scheduleLines } from '../../workers/schedules.ts';

test('every line can be read, has a name of its own and a job with a function', () => {
  const functions = new Set(jobWorkers.map((one) => one.definition.name));
  expect(new Set(scheduleLines.map((line) => line.id)).size).toBe(scheduleLines.length);
  for (const line of scheduleLines) {
    assertTimetable(line);
    expect(functions).toContain(line.job.name);
    expect(line.job.payload.safeParse(line.payload ?? {}).success).toBe(true);
  }
});

test('every job is in the list once and is named by verb and noun', () => {
  const names = jobWorkers.map((one) => one.definition.name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
});

test('no fixed time lies in the hour that is missing in spring and comes twice in autumn', () => {
  for (const { cron, timeZone } of scheduleLines) {
    const { hour } = CronExpressionParser.parse(cron, { tz: timeZone }).fields;
    const hours = hour.values.map(Number);
    expect(hours.length === 24 || !hours.includes(2), cron).toBe(true);
  }
});
