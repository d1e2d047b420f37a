import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exclusively, makeFolder, passageMode, projectFolder } from '../../scripts/data-folder.mjs';

let folder: string;
let lock: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voltstream-lock-'));
  lock = join(folder, 'lock');
});

afterEach(() => rm(folder, { recursive: true }));

/** Another process that runs this while it holds the lock. */
function holder(work: string) {
  const source = pathToFileURL(join(projectFolder, 'scripts/data-folder.mjs')).href;
  const program = `
    import { exclusively } from ${JSON.stringify(source)};
    import { readFile, writeFile } from 'node:fs/promises';
    await exclusively(${JSON.stringify(lock)}, async () => { ${work} });
  `;
  const parameters = ['--input-type=module', '--eval', program];
  return spawn(process.execPath, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
}

test('processes that do something at once do it one after the other', async () => {
  const counter = join(folder, 'counter');
  await writeFile(counter, '0');
  const file = JSON.stringify(counter);
  const increase = `
    const number = Number(await readFile(${file}, 'utf8'));
    await new Promise((resolve) => setImmediate(resolve));
    await writeFile(${file}, String(number + 1));
  `;
  const ended = Array.from({ length: 8 }, () => once(holder(increase), 'exit'));
  for (const [code] of await Promise.all(ended)) expect(code).toBe(0);
  expect(await readFile(counter, 'utf8')).toBe('8');
  expect(await readdir(folder)).toEqual(['counter']);
});

test('the lock of a process that was killed is taken over', async () => {
  const first = holder("console.log('held'); await new Promise((resolve) => setTimeout(resolve, 60_000));");
  await once(first.stdout, 'data');
  first.kill('SIGKILL');
  await once(first, 'exit');
  let waited = false;
  const result = await exclusively(
    lock,
    async () => 'mine',
    () => {
      waited = true;
    },
  );
  expect({ result, waited }).toEqual({ result: 'mine', waited: false });
  expect(await readdir(folder)).toEqual([]);
});

test('a process id that now belongs to somebody else does not keep the lock', async () => {
  await mkdir(lock);
  await writeFile(join(lock, 'owner'), `${process.pid}-1`);
  expect(await exclusively(lock, async () => 'mine')).toBe('mine');
});

test('who waits is told so once, and gets its turn', async () => {
  const first = holder(
    "console.log('held'); await new Promise((resolve) => process.stdin.once('end', resolve).resume());",
  );
  await once(first.stdout, 'data');
  let told = 0;
  const result = await exclusively(
    lock,
    async () => 'mine',
    () => {
      told += 1;
      first.stdin.end();
    },
  );
  expect({ result, told }).toEqual({ result: 'mine', told: 1 });
});

test('two pieces of work of one process do not meet either', async () => {
  let inside = 0;
  const work = async () => {
    inside += 1;
    await new Promise((resolve) => setImmediate(resolve));
    expect(inside).toBe(1);
    inside -= 1;
  };
  await Promise.all([exclusively(lock, work), exclusively(lock, work), exclusively(lock, work)]);
  expect(await readdir(folder)).toEqual([]);
});

test('who does not want to wait leaves nothing behind', async () => {
  await exclusively(lock, async () => {
    const refused = exclusively(
      lock,
      async () => 'never',
      () => {
        throw new Error('in use');
      },
    );
    await expect(refused).rejects.toThrow('in use');
    expect(await readdir(folder)).toEqual(['lock']);
  });
});

test('a failure gives the lock back', async () => {
  await expect(exclusively(lock, () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
  expect(await readdir(folder)).toEqual([]);
});

test('the folder of data is for its owner; as root, the servers may pass through', async () => {
  const made = join(folder, 'data');
  await makeFolder(made);
  expect((await stat(made)).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
  expect(passageMode & 0o066).toBe(0);
});
