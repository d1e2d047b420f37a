import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Findings } from '../../load/measure/ledger.ts';
import { type FaultRun, findingsTable, outageTable, problemsOf } from '../../load/scale-out/fault-tables.ts';
import { type LedgerAnswer, outcomeOf } from '../../load/scale-out/ledger-writers.ts';
import { MortalNode, readNodes } from '../../load/scale-out/nodes.ts';
import { outageOf } from '../../load/scale-out/outage.ts';
import { WrongUse } from '../../load/surroundings/failures.ts';
import { isAlive } from '../../scripts/local-services/server-processes.ts';

const ADMIN_URL = 'postgres://postgres:x@127.0.0.1:1/postgres';

async function ownFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'load-nodes-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const answered = (number: number, at: number, status: number | null): LedgerAnswer => ({
  ...{ number, at, milliseconds: 1, status },
  outcome: outcomeOf(status),
});

describe('an outage', () => {
  /* Even batches need the node. */
  const needsNode = (number: number) => number % 2 === 0;
  const INSTANTS = { killed: 1_000, started: 5_000, ready: 5_400, served: 5_600 };

  test('is told by what was answered between the kill and the first batch that needs the node', () => {
    const answers = [
      ...[answered(0, 900, 200), answered(2, 950, 503)],
      ...[answered(1, 1_500, 200), answered(3, 4_900, 200), answered(4, 1_001, 200)],
      ...[answered(6, 1_200, null), answered(8, 2_000, 503), answered(10, 5_500, 503)],
      ...[answered(12, 5_600, 200), answered(14, 6_000, 503)],
    ];
    expect(outageOf('w1', INSTANTS, answers, needsNode)).toEqual({
      ...{
        node: 'w1',
        seconds: 4,
        acknowledged: 3,
        acknowledged_of_others: 2,
        refused: 2,
        without_answer: 1,
      },
      ...{ seconds_to_start: 0.4, seconds_to_serve: 0.2 },
    });
  });

  test('that never ended says so', () => {
    const outage = outageOf('w1', { ...INSTANTS, served: null }, [answered(8, 90_000, 503)], needsNode);
    expect(outage).toMatchObject({ refused: 1, seconds_to_serve: null });
    expect(outageTable('nodes', [outage])).toContain('never');
  });
});

describe('a run with kills fails', () => {
  const FINDINGS: Findings = {
    ...{ lost: [], partial: [], storedThoughRefused: [] },
    ...{ strangers: 0, acknowledged: 7, unknown: 1, rows: 900 },
  };
  const outage = outageOf('w1', { killed: 0, started: 1, ready: 2, served: 3 }, [], () => true);
  const whole: FaultRun = {
    ...{ outages: [outage], findings: FINDINGS, undecided: 0 },
    moved: { ended: 'finished', served_by_the_added: true },
  };

  test('by nothing where all that was acknowledged is stored', () => {
    expect(problemsOf('nodes', whole)).toEqual([]);
    expect(findingsTable('nodes', FINDINGS)).toMatch(/writes to nodes +7 +1 +900 +0 +0 +0 +0/);
  });

  test.each<[string, Partial<FaultRun>]>([
    ['1 batches acknowledged and lost: 4', { findings: { ...FINDINGS, lost: [4] } }],
    ['1 batches stored in part: 4', { findings: { ...FINDINGS, partial: [4] } }],
    ['1 batches refused and stored: 4', { findings: { ...FINDINGS, storedThoughRefused: [4] } }],
    ['3 rows that nobody sent', { findings: { ...FINDINGS, strangers: 3 } }],
    ['no batch was acknowledged', { findings: { ...FINDINGS, acknowledged: 0 } }],
    ['2 transactions wait for their second phase', { undecided: 2 }],
    [
      'w1 came back, and none of its batches was acknowledged',
      { outages: [{ ...outage, seconds_to_serve: null }] },
    ],
    ['shards were not moved: failed', { moved: { ended: 'failed', served_by_the_added: true } }],
    ['the added worker took no batch', { moved: { ended: 'finished', served_by_the_added: false } }],
  ])('%s', (problem, change) => {
    expect(problemsOf('nodes', { ...whole, ...change })).toEqual([`writes to nodes: ${problem}`]);
  });
});

/** A program with a child, both in a folder whose postmaster.pid names it. */
async function startServer(folder: string): Promise<{ parent: number; child: number }> {
  const sleep = 'setInterval(() => {}, 1000)';
  const program = `
    const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(sleep)}]);
    child.once('spawn', () => process.stdout.write(String(child.pid)));
    ${sleep}`;
  const parent = spawn(process.execPath, ['-e', program], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = (await once(parent.stdout, 'data')) as [Buffer];
  const pids = { parent: parent.pid ?? 0, child: Number(text.toString()) };
  onTestFinished(() => {
    for (const pid of Object.values(pids)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {}
    }
  });
  await writeFile(join(folder, 'postmaster.pid'), `${pids.parent}\n${folder}\n`);
  return pids;
}

describe('a node of a run', () => {
  const nodeIn = (data: string) => new MortalNode({ name: 'w1', adminUrl: ADMIN_URL, data, start: ['true'] });

  test('is killed with all its processes', async () => {
    const folder = await ownFolder();
    const { parent, child } = await startServer(folder);
    await nodeIn(folder).kill();
    expect([await isAlive(parent), await isAlive(child)]).toEqual([false, false]);
  });

  test('whose process id belongs to another program now is left alone', async () => {
    const [folder, strange] = [await ownFolder(), await ownFolder()];
    const { parent } = await startServer(strange);
    await writeFile(join(folder, 'postmaster.pid'), `${parent}\n`);
    await expect(nodeIn(folder).kill()).rejects.toThrow(`w1: no server works in ${folder}`);
    expect(await isAlive(parent)).toBe(true);
  });

  test('stands in a file with at least two others', async () => {
    const path = join(await ownFolder(), 'nodes.json');
    const node = { name: 'c', adminUrl: ADMIN_URL, data: '/data', start: ['true'] };
    await writeFile(path, JSON.stringify([node, node, node]));
    expect(await readNodes(path)).toHaveLength(3);
    for (const wrong of [
      [node, node],
      [node, node, { ...node, start: [] }],
      [node, node, { ...node, adminUrl: 'x' }],
      '{',
    ]) {
      await writeFile(path, typeof wrong === 'string' ? wrong : JSON.stringify(wrong));
      await expect(readNodes(path)).rejects.toThrow(WrongUse);
    }
    await expect(readNodes(`${path}.none`)).rejects.toThrow(WrongUse);
  });
});
