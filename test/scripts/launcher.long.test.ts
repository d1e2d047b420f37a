import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataFolder, projectFolder } from '../../scripts/data-folder.mjs';

const launcher = join(projectFolder, 'scripts', 'node.mjs');
const machineNode = machinesOwnNode();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voltstream-launcher-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** The Node that npm itself runs on: whatever this machine has, behind the pinned one in the search path. */
function machinesOwnNode(): { path: string; major: number } | undefined {
  for (const each of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(each, 'node');
    const { stdout } = spawnSync(path, ['-v'], { encoding: 'utf8' });
    const major = Number(/^v(\d+)\./.exec(stdout ?? '')?.[1]);
    if (major > 0 && dirname(path) !== dirname(process.execPath)) return { path, major };
  }
  return undefined;
}

async function script(name: string, ...lines: string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, lines.join('\n'));
  return path;
}

function launch(...parameters: string[]) {
  return launchWith(process.env, ...parameters);
}

function launchWith(env: NodeJS.ProcessEnv, ...parameters: string[]) {
  const node = machineNode?.path ?? process.execPath;
  return spawnSync(node, [launcher, ...parameters], { encoding: 'utf8', env });
}

/** A program that says when it runs, and what reaches it. */
async function launchWaiting(): Promise<ChildProcess & { said(text: string): Promise<void> }> {
  const file = await script(
    'waiting.mjs',
    "for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => console.log(name));",
    "process.stdin.on('end', () => process.exit(7)).resume();",
    "console.log('running');",
  );
  const child = spawn(process.execPath, [launcher, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  let wake = () => {};
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString('utf8');
    wake();
  });
  const said = async (text: string) => {
    while (!output.includes(text)) await new Promise<void>((resolve) => (wake = resolve));
  };
  await said('running');
  return Object.assign(child, { said });
}

test('a file runs under the pinned Node, whichever Node the machine has', async () => {
  const file = await script('version.mjs', 'console.log(process.version, process.argv.slice(2).join("|"));');
  const { stdout, status } = launch(file, 'one two', '--three');
  expect({ stdout, status }).toEqual({ stdout: `${process.version} one two|--three\n`, status: 0 });
});

test('what the program starts as "node" is the pinned one too', async () => {
  const file = await script(
    'inner.mjs',
    "import { execFileSync } from 'node:child_process';",
    "process.stdout.write(execFileSync('node', ['-v']));",
  );
  expect(launch(file).stdout).toBe(`${process.version}\n`);
});

test('compiled code is kept in the own folder of the project, or where the caller says', async () => {
  const file = await script(
    'compiled.mjs',
    "import { getCompileCacheDir } from 'node:module';",
    'console.log(getCompileCacheDir());',
  );
  const { NODE_COMPILE_CACHE: _, ...others } = process.env;
  const kept = (env: NodeJS.ProcessEnv) => dirname(launchWith(env, file).stdout);
  expect(kept(others)).toBe(join(dataFolder, 'compiled'));
  expect(kept({ ...others, NODE_COMPILE_CACHE: join(folder, 'elsewhere') })).toBe(join(folder, 'elsewhere'));
});

/** Runs the file with compiled code kept in this folder; what it prints may come from there from the second time on. */
const launchKept = (kept: string, file: string) =>
  launchWith({ ...process.env, NODE_COMPILE_CACHE: kept }, file);

test('what runs is what is written: a change that keeps length and time of a file is compiled anew', async () => {
  const kept = join(folder, 'kept');
  const file = await script('changed.ts', "const said: string = 'first';", 'console.log(said);');
  const { atime, mtime } = await stat(file);
  expect([launchKept(kept, file).stdout, launchKept(kept, file).stdout]).toEqual(['first\n', 'first\n']);
  expect((await readdir(kept)).length).toBe(1);
  await script('changed.ts', "const said: string = 'later';", 'console.log(said);');
  await utimes(file, atime, mtime);
  expect(launchKept(kept, file).stdout).toBe('later\n');
});

test('a failure in code that was compiled before names the line that was written', async () => {
  const kept = join(folder, 'kept');
  const types = ['interface Unused {', '  member: string;', '}'];
  const file = await script('failing.ts', ...types, "throw new Error('said' as string);");
  for (const { stderr } of [launchKept(kept, file), launchKept(kept, file)]) {
    expect(stderr).toContain(`${file}:4:7`);
  }
});

test('where compiled code cannot be kept a file runs all the same', async () => {
  const file = await script('unkept.ts', 'const said: string = "runs";', 'console.log(said);');
  const { stdout, stderr, status } = launchKept(join(file, 'no-folder'), file);
  expect({ stdout, stderr, status }).toEqual({ stdout: 'runs\n', stderr: '', status: 0 });
});

test('the exit code is passed on', async () => {
  expect(launch(await script('exit.mjs', 'process.exit(42);')).status).toBe(42);
});

test('a program that a signal ended has the exit code that a shell gives', async () => {
  expect(launch(await script('killed.mjs', "process.kill(process.pid, 'SIGKILL');")).status).toBe(128 + 9);
});

test('systemd does not wait for a process that ended before it was ready', () => {
  const gone = spawnSync(process.execPath, ['--version']).pid;
  const { stderr, status } = spawnSync(process.execPath, [join(projectFolder, 'ops/until-ready.mjs'), '1'], {
    encoding: 'utf8',
    env: { ...process.env, MAINPID: String(gone) },
  });
  expect([stderr, status]).toEqual([
    `Process ${gone} ended before it was ready: its own lines say why.\n`,
    1,
  ]);
});

test.each([
  ...[['', '127.0.0.1'] as const, ['127.0.0.2', '127.0.0.2'] as const],
  ...[['0.0.0.0', '127.0.0.1'] as const, ['::', '127.0.0.1'] as const, ['::1', '::1'] as const],
])('systemd waits for a process with HOST=%s where that one listens', async (HOST, address) => {
  const requests: (string | undefined)[] = [];
  const server = createServer(({ url }, answer) => {
    requests.push(url);
    answer.end();
  });
  server.listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, [join(projectFolder, 'ops/until-ready.mjs'), String(port)], {
    ...{ stdio: 'inherit', env: { ...process.env, HOST, MAINPID: String(process.pid) } },
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(requests).toEqual(['/readyz']);
  server.close();
});

test('SIGTERM and SIGHUP reach the program, and the launcher waits for its end', async () => {
  const child = await launchWaiting();
  child.kill('SIGTERM');
  await child.said('SIGTERM');
  child.kill('SIGHUP');
  await child.said('SIGHUP');
  child.stdin?.end();
  expect(await once(child, 'exit')).toEqual([7, null]);
});

test('SIGINT is left to the terminal, which gives it to the program itself: one Ctrl-C stays one', async () => {
  const child = await launchWaiting();
  child.kill('SIGINT');
  child.kill('SIGTERM');
  await child.said('SIGTERM');
  child.stdin?.end();
  const [part] = child.stdout?.read() ?? [''];
  expect(String(part)).not.toContain('SIGINT');
  expect(await once(child, 'exit')).toEqual([7, null]);
});

test.skipIf(machineNode === undefined || machineNode.major >= 24)(
  'an old Node without the platform package is told what to do, in one sentence',
  async () => {
    await cp(join(projectFolder, 'scripts'), join(folder, 'scripts'), { recursive: true });
    const file = await script('any.mjs', '');
    const { stderr, status } = spawnSync(machineNode?.path ?? '', [join(folder, 'scripts/node.mjs'), file], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^Node \d+\.\d+\.\d+ is too old: run npm ci .* or install Node 24\.7 or newer\.\n$/,
    );
  },
);

test('without the platform package a Node that is new enough does the work itself', async () => {
  await cp(join(projectFolder, 'scripts'), join(folder, 'scripts'), { recursive: true });
  const file = await script('own.mjs', 'console.log(process.execPath);');
  const { stdout } = spawnSync(process.execPath, [join(folder, 'scripts/node.mjs'), file], {
    encoding: 'utf8',
  });
  expect(stdout).toBe(`${process.execPath}\n`);
});
