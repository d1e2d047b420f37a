import { describe, expect, test } from 'vitest';
import type { Leg } from '../../load/measure/leg.ts';
import { Report } from '../../load/measure/report.ts';
import { FACTS } from './facts.ts';

/** A leg of so many seconds while others used so many cores; null: it is not known during the leg. */
function leg(seconds: number, disturbed: number | null, before = 0): Leg {
  return {
    ...{ name: 'service', round: 1, client: 'socket', rows: 100, seconds, rows_per_second: 100 / seconds },
    cpu: { client: 0.1, service: 0.5, database: 0.5, redis: 0, machine: 2 },
    ...{ disturbed_before: before, disturbed, wal_bytes: 0 },
  };
}

/** On two cores. */
function reportOf(...legs: Leg[]): Report {
  const report = new Report('ingest', FACTS, {});
  for (const leg of legs) report.add(leg);
  return report;
}

describe('the report of a load run', () => {
  test('names the client that sent beside each leg and each target, as text and as JSON', () => {
    const report = reportOf(leg(10, 0), { ...leg(10, 0), client: 'autocannon 9.0.0' });
    report.judge('P1', 1.2, 'autocannon 9.0.0');
    const lines = report.toText().split('\n');
    expect(lines.filter((line) => /^service {2}/.test(line)).map((line) => line.split(/ {2,}/)[2])).toEqual([
      'socket',
      'autocannon 9.0.0',
    ]);
    expect(lines.find((line) => line.startsWith('P1 '))).toContain('  autocannon 9.0.0  ');
    expect(report.toJson()).toMatchObject({
      legs: [{ client: 'socket' }, { client: 'autocannon 9.0.0' }],
      targets: [{ client: 'autocannon 9.0.0' }],
    });
  });
});

describe('the verdict of a load run', () => {
  test('below its promise, while others used more than a tenth of the machine, it is not judged: exit code 4', () => {
    const report = reportOf(leg(10, 0.1), leg(10, 0.35));
    report.judge('P1', 0.9);
    expect(report.judgements[0]).toMatchObject({ outcome: 'not judged', others_share: 0.1125 });
    expect(report.exit).toMatchObject({ code: 4 });
    expect(report.toText()).toContain('not judged');
    expect(report.toText()).not.toContain('MISSED');
    expect(report.toText()).toContain('other programs used 11 % of the machine');
  });

  test('on a quiet machine it is missed: exit code 1', () => {
    const report = reportOf(leg(30, 0.1), leg(10, 0.35));
    report.judge('P1', 0.9);
    expect(report.judgements[0]).toMatchObject({ outcome: 'missed' });
    expect(report.exit).toMatchObject({ code: 1 });
  });

  test('what others did after it was judged does not matter to it', () => {
    const report = reportOf(leg(10, 0));
    report.judge('P1', 0.9);
    report.add(leg(100, 2));
    report.judge('P3', 0.1);
    expect(report.judgements.map(({ outcome }) => outcome)).toEqual(['missed', 'not judged']);
    expect(report.exit).toMatchObject({ code: 1 });
  });

  test('where a server takes part that is not watched, what others used just before counts', () => {
    const report = reportOf(leg(10, null, 0.5));
    report.judge('P1', 0.9);
    expect(report.judgements[0]).toMatchObject({ outcome: 'not judged', others_share: 0.25 });
  });

  test('memory, a figure that is not there, and wrong counts fail on a busy machine as well', () => {
    const memory = reportOf(leg(10, 1));
    memory.judge('P8 memory', 351);
    expect(memory.exit).toMatchObject({ code: 1 });
    const nothing = reportOf(leg(10, 1));
    nothing.judge('P1', Number.NaN);
    expect(nothing.exit).toMatchObject({ code: 1 });
    const wrong = reportOf(leg(10, 1));
    wrong.judge('P1', 0.5);
    wrong.problems.push('one row is missing');
    expect(wrong.exit).toMatchObject({ code: 1 });
  });

  test('without legs nothing tells what others used: it is judged', () => {
    const report = reportOf();
    report.judge('P10', 13);
    report.judge('P5', 9);
    expect(report.judgements.map(({ outcome }) => outcome)).toEqual(['missed', 'missed']);
  });

  test('what held is held, on a busy machine as well', () => {
    const report = reportOf(leg(10, 1));
    report.judge('P1', 1.1);
    expect(report.judgements[0]).toMatchObject({ outcome: 'held' });
    expect(report.exit).toMatchObject({ code: 0 });
  });
});
