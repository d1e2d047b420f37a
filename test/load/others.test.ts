import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { lineProtocol, Others, reportRatios } from '../../load/ingest/others.ts';
import { Report } from '../../load/measure/report.ts';
import { startProgram } from '../../load/others/program.ts';
import { Cleanup } from '../../load/surroundings/cleanup.ts';
import { WrongUse } from '../../load/surroundings/failures.ts';
import { FACTS } from './facts.ts';

const report = () => new Report('ingest', FACTS, {});

const SERVER = `
  const { createServer } = require('node:http');
  createServer((_, answer) => answer.end()).listen(Number(process.argv[1]), '127.0.0.1');`;

describe('databases of others', () => {
  test('a program runs with a folder of its own, and both go with the run', async () => {
    const cleanup = new Cleanup();
    let folder = '';
    const { pid, url } = await startProgram(
      {
        ...{ name: 'Other', option: '--other', program: process.execPath, readyPath: '/ping' },
        parameters: async (given, port) => {
          folder = given;
          return ['-e', SERVER, String(port)];
        },
      },
      cleanup,
    );
    expect((await fetch(url)).ok).toBe(true);
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(existsSync(folder)).toBe(true);
    await cleanup.run();
    expect(existsSync(folder)).toBe(false);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test.each([
    ['that ends at once', process.execPath, ['-e', 'process.exit(7)'], 'it ended (7)'],
    ['that is not there', '/nowhere/influxd', [], 'ENOENT'],
  ])('a program %s is wrong use, said with its option', async (_what, program, words, reason) => {
    const cleanup = new Cleanup();
    const started = startProgram(
      { name: 'Other', option: '--other', program, readyPath: '/', parameters: async () => words },
      cleanup,
    );
    await expect(started).rejects.toThrow(WrongUse);
    await expect(started).rejects.toThrow(`--other: ${program} cannot be used`);
    await expect(started).rejects.toThrow(reason);
    await cleanup.run();
  });

  test('they get the values that the service gets, and nothing for what is absent', () => {
    const copy =
      '7\t2026-11-22T10:00:01.000Z\t-1.25\t\\N\ttrue\t0.5\n8\t2026-11-22T10:00:02.000Z\t3\t0.2\t\\N\t\\N\n';
    expect(lineProtocol(Buffer.from(copy)).toString()).toBe(
      'asset_snapshots,asset=7 power_kw=-1.25,connected=true,vehicle_state_of_charge=0.5 1795341601000\n' +
        'asset_snapshots,asset=8 power_kw=3,state_of_charge=0.2 1795341602000',
    );
  });

  test('those whose program is not named are said to be not run', async () => {
    const found = report();
    await Others.start({}, found, new Cleanup());
    expect(found.remarks).toEqual([
      'InfluxDB: not run (--influxd PATH)',
      'VictoriaMetrics: not run (--victoria-metrics PATH)',
    ]);
  });

  test('one that has fewer rows than it acknowledged fails the run', async () => {
    const server = { name: 'Other', pid: 1, writeUrl: 'http://127.0.0.1:1/', count: async () => -1 };
    const found = report();
    await new Others([server]).verify(found);
    expect(found.problems).toEqual(['Other: -1 rows counted, 0 sent']);
    expect(found.exit.code).toBe(1);
  });

  test('a ratio says how often the service is as fast', () => {
    const found = report();
    reportRatios(found, '100 rows, 32 gateways', 58, [{ name: 'InfluxDB', speed: 100 }]);
    expect(found.remarks).toEqual(['100 rows, 32 gateways: 0.58 times as fast as InfluxDB']);
    expect(found.details).toEqual({ '100 rows, 32 gateways: against InfluxDB': 0.58 });
  });
});
