import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { residentBytes, watchCpu } from '../../load/measure/processor.ts';

/** Works until it has used so much processor time, whatever else the machine does. */
const burn = (seconds: number) =>
  `{ const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
     const begin = used(); while (used() - begin < ${seconds}); }`;

/** A program with a child of its own; both wait for a line before they work. */
async function startFamily(work: string) {
  const child = `process.stdin.once('data', () => { ${work} process.stdout.write('done') })`;
  const parent = `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdout.once('data', () => process.stdout.write('done'));
    child.once('spawn', () => process.stdout.write('ready'));
    process.stdin.on('data', (line) => child.stdin.write(line));
    process.on('disconnect', () => { child.kill(); process.exit(); });`;
  const family = spawn(process.execPath, ['-e', parent], { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] });
  onTestFinished(async () => {
    family.disconnect();
    await once(family, 'exit');
  });
  const { stdin, stdout } = family;
  if (stdin === null || stdout === null) throw new Error('No pipes');
  await once(stdout, 'data');
  return {
    pid: family.pid ?? 0,
    async work() {
      stdin.write('\n');
      await once(stdout, 'data');
    },
  };
}

test('processor time of a service is that of all its processes', async () => {
  const family = await startFamily(burn(0.4));
  const since = watchCpu({ service: family.pid, postmaster: null });
  await family.work();
  expect(since(1).service).toBeGreaterThan(0.35);
});

test('processor time of a cluster is that of all its servers, and of the workers apart', async () => {
  const [coordinator, worker] = [await startFamily(burn(0.2)), await startFamily(burn(0.5))];
  const since = watchCpu({ service: null, postmaster: coordinator.pid, workerPostmasters: [worker.pid] });
  await coordinator.work();
  await worker.work();
  const { database, workers } = since(1);
  expect(workers).toBeGreaterThan(0.45);
  expect(database).toBeGreaterThan((workers ?? 0) + 0.15);
});

test('processor time of the client has what psql used in it', () => {
  const since = watchCpu({ service: null, postmaster: null });
  execFileSync(process.execPath, ['-e', burn(0.4)]);
  expect(since(1)).toMatchObject({ service: null, database: null, redis: null });
  expect(since(1).client).toBeGreaterThan(0.35);
});

test('what it takes to look at all processes is not counted', () => {
  const watched = { service: process.pid, postmaster: process.pid, redis: process.pid };
  const rounds = 50;
  const client = Array.from({ length: rounds }, () => watchCpu(watched)(1).client);
  const begun = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) watchCpu(watched)(1);
  const { user, system } = process.cpuUsage(begun);
  expect(client.reduce((sum, seconds) => sum + seconds, 0)).toBeLessThan((user + system) / 1e6 / 10);
});

test('memory of a service is that of its largest process', async () => {
  const family = await startFamily('globalThis.kept = Buffer.alloc(200e6, 1);');
  await family.work();
  expect(residentBytes(family.pid)).toBeGreaterThan(200e6);
});

test('a process that is not there has no processor time', () => {
  const since = watchCpu({ service: 2 ** 30, postmaster: null });
  expect(since(1).service).toBeNull();
});
