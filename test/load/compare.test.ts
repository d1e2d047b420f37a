import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { compare } from '../../load/compare.ts';
import type { Leg } from '../../load/measure/leg.ts';
import { Report } from '../../load/measure/report.ts';
import { WrongUse } from '../../load/surroundings/failures.ts';
import { FACTS } from './facts.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'load-compare-'));
  const path = folder;
  onTestFinished(() => rm(path, { recursive: true }));
});

async function written(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify(content));
  return path;
}

const leg = (round: number, rowsPerSecond: number): Leg => ({
  ...{
    name: 'service',
    round,
    client: 'socket',
    rows: 100,
    seconds: 1,
    rows_per_second: rowsPerSecond,
    requests: 10,
  },
  cpu: { client: 0, service: 0.5, database: 0.5, redis: 0, machine: 1 },
  processor_ms: { client: 0.1, service: 0.2, database: null },
  ...{ disturbed_before: 0, disturbed: 0, wal_bytes: 12_000 },
});

function report(speeds: number[], configuration: Record<string, unknown>, facts = FACTS): Report {
  const found = new Report('small-batches', facts, configuration);
  for (const [index, speed] of speeds.entries()) found.add(leg(index + 1, speed));
  found.judge("P2'", (speeds[0] ?? 0) / 1000);
  found.details.neighbour_ms = { before: [1, 2, 9] };
  return found;
}

/** The cells of the line that begins with this. */
function line(text: string, name: string): string[] {
  const found = text.split('\n').find((line) => line.startsWith(`${name}  `)) ?? '';
  return found.split(/ {2,}/);
}

describe('npm run load -- compare', () => {
  test('shows each figure of both, medians of rounds with their range, and the ratio of the second to the first', async () => {
    const resultA = await written('a.json', report([100, 300, 200], { rows: [10, 100] }).toJson());
    const resultB = await written('b.json', report([400, 100, 300], { rows: [10, 100] }).toJson());
    const text = await compare(resultA, resultB);
    expect(text).toContain('same commit, machine, settings and configuration');
    expect(line(text, 'service rows_per_second')).toEqual([
      ...['service rows_per_second', '200', '100–300', '300', '100–400', '1.50'],
    ]);
    expect(line(text, 'service processor_ms service').slice(1)).toEqual([
      '0.2',
      '0.2–0.2',
      '0.2',
      '0.2–0.2',
      '1.00',
    ]);
    expect(line(text, 'service wal_bytes of a row').slice(1)).toEqual([
      '120',
      '120–120',
      '120',
      '120–120',
      '1.00',
    ]);
    expect(line(text, "P2'").slice(1)).toEqual(['0.1', '–', '0.4', '–', '4.00']);
    expect(line(text, 'neighbour_ms before').slice(1)).toEqual(['2', '1–9', '2', '1–9', '1.00']);
    expect(text).not.toContain('processor_ms database');
  });

  test('says whether commit, machine, settings or configuration differ, values of a list among them', async () => {
    const resultA = await written('a.json', report([1], { rows: [10, 100], gateways: 32 }).toJson());
    const elsewhere = {
      ...FACTS,
      ...{ git: 'fedcba987654', machine: { ...FACTS.machine, cores: 8 }, settings: { fsync: 'off' } },
    };
    const resultB = await written('b.json', report([1], { rows: [20, 100] }, elsewhere).toJson());
    const text = await compare(resultA, resultB);
    expect(text.split('\n').filter((line) => line.startsWith('differs'))).toEqual([
      'differs: git   A 0123456789ab   B fedcba987654',
      'differs: machine cores   A 2   B 8',
      'differs: settings fsync   A on   B off',
      'differs: configuration rows   A 10, 100   B 20, 100',
      'differs: configuration gateways   A 32   B not given',
    ]);
  });

  test('says whose figures were sent by another client', async () => {
    const [before, after] = [new Report('ingest', FACTS, {}), new Report('ingest', FACTS, {})];
    before.add(leg(1, 100));
    after.add({ ...leg(1, 100), client: 'autocannon 9.0.0' });
    const [resultA, resultB] = [
      await written('a.json', before.toJson()),
      await written('b.json', after.toJson()),
    ];
    const text = await compare(resultA, resultB);
    expect(text).toContain('differs: client service   A socket   B autocannon 9.0.0');
  });

  test('a figure that only one of them has is named', async () => {
    const found = report([1], {});
    found.details['100 rows: against InfluxDB'] = 0.58;
    const resultA = await written('a.json', found.toJson());
    const resultB = await written('b.json', report([1], {}).toJson());
    expect(await compare(resultA, resultB)).toContain('only in A: 100 rows: against InfluxDB');
    expect(await compare(resultB, resultA)).toContain('only in B: 100 rows: against InfluxDB');
  });

  test('a leg that only one of them has is named once, and its client is no difference', async () => {
    const [found, other] = [report([1], {}), report([1], {})];
    found.add({ ...leg(1, 55), name: '55 a second' });
    other.add({ ...leg(1, 82), name: '82 a second' });
    const text = await compare(
      await written('a.json', found.toJson()),
      await written('b.json', other.toJson()),
    );
    expect(text).not.toContain('differs: client');
    expect(text.split('\n').filter((line) => line.startsWith('only in'))).toEqual([
      ...['only in A: 55 a second', 'only in B: 82 a second'],
    ]);
  });

  test('two scenarios, a file that is no result and one that is not there are wrong use', async () => {
    const resultA = await written('a.json', report([1], {}).toJson());
    const resultB = await written('b.json', { ...report([1], {}).toJson(), scenario: 'ingest' });
    const nothing = await written('nothing.json', { scenario: 'ingest' });
    const missing = join(folder, 'missing.json');
    await expect(compare(resultA, resultB)).rejects.toThrow(WrongUse);
    await expect(compare(resultA, resultB)).rejects.toThrow('two scenarios, small-batches and ingest');
    await expect(compare(resultA, nothing)).rejects.toThrow('nothing.json is no result of a load run');
    await expect(compare(resultA, missing)).rejects.toThrow('missing.json cannot be read');
  });
});
