import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectFolder } from '../../scripts/data-folder.mjs';

interface Lock {
  packages: Record<string, Record<string, unknown>>;
}

const HASHED = { version: '1.0.0', integrity: 'sha512-x' };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voltstream-lock-'));
  await mkdir(join(folder, 'scripts'));
  await cp(join(projectFolder, 'scripts/lock.mjs'), join(folder, 'scripts/lock.mjs'));
});

afterEach(() => rm(folder, { recursive: true }));

const lockFile = () => join(folder, 'package-lock.json');
const readLock = async () => JSON.parse(await readFile(lockFile(), 'utf8')) as Lock;

function completeLock(...parameters: string[]) {
  return spawnSync(process.execPath, [join(folder, 'scripts/lock.mjs'), ...parameters], { encoding: 'utf8' });
}

async function writeLock(packages: Lock['packages']): Promise<void> {
  await writeFile(lockFile(), `${JSON.stringify({ packages }, null, 2)}\n`);
}

test('an entry that npm left out is named by --check and written back as it was', async () => {
  const text = await readFile(join(projectFolder, 'package-lock.json'), 'utf8');
  const whole = JSON.parse(text) as Lock;
  const { 'node_modules/@biomejs/cli-darwin-x64': lost, ...others } = whole.packages;
  expect(lost).toMatchObject({ optional: true, os: ['darwin'], cpu: ['x64'] });
  await writeFile(lockFile(), `${JSON.stringify({ ...whole, packages: others }, null, 2)}\n`);

  const check = completeLock('--check');
  expect(check.status).toBe(1);
  expect(check.stderr).toContain('@biomejs/cli-darwin-x64');

  expect(completeLock().status).toBe(0);
  expect(Object.keys((await readLock()).packages)).toContain('node_modules/@biomejs/cli-darwin-x64');
  expect(completeLock('--check').status).toBe(0);
});

test('a complete lock is left alone, byte for byte', async () => {
  const text = await readFile(join(projectFolder, 'package-lock.json'), 'utf8');
  await writeFile(lockFile(), text);
  expect(completeLock().status).toBe(0);
  expect(await readFile(lockFile(), 'utf8')).toBe(text);
});

test('operating system, processor and C library are read from the name', async () => {
  const names = ['tool-linux-x64', 'tool-linux-arm64-musl', 'tool-win32-x64'];
  await writeLock({
    'node_modules/tool': {
      version: '1.2.3',
      dev: true,
      optionalDependencies: Object.fromEntries(names.map((name) => [name, '1.2.3'])),
    },
  });
  expect(completeLock().status).toBe(0);
  const { packages } = await readLock();
  const common = { version: '1.2.3', dev: true, optional: true };
  expect(packages['node_modules/tool-linux-x64']).toEqual({
    ...common,
    os: ['linux'],
    cpu: ['x64'],
    libc: ['glibc'],
  });
  expect(packages['node_modules/tool-linux-arm64-musl']).toEqual({
    ...common,
    os: ['linux'],
    cpu: ['arm64'],
    libc: ['musl'],
  });
  expect(packages['node_modules/tool-win32-x64']).toEqual({ ...common, os: ['win32'], cpu: ['x64'] });
});

test('a package that lies beside its dependent counts as locked', async () => {
  await writeLock({
    'node_modules/tool': { ...HASHED, optionalDependencies: { 'tool-linux-x64': '1.0.0' } },
    'node_modules/tool/node_modules/tool-linux-x64': { ...HASHED, optional: true },
  });
  expect(completeLock('--check').status).toBe(0);
});

test('what Linux with glibc installs is named by --check where its hash is missing, other platforms are not', async () => {
  await writeLock({
    'node_modules/tool': { version: '1.0.0' },
    'node_modules/tool-linux-arm64': {
      version: '1.0.0',
      os: ['linux'],
      cpu: ['arm64'],
      libc: ['glibc'],
    },
    'node_modules/tool-linux-x64-musl': { version: '1.0.0', os: ['linux'], cpu: ['x64'], libc: ['musl'] },
    'node_modules/tool-darwin-arm64': { version: '1.0.0', os: ['darwin'], cpu: ['arm64'] },
    'node_modules/tool-linux-s390x': { version: '1.0.0', os: ['linux'], cpu: ['s390x'] },
  });
  const { status, stderr } = completeLock('--check');
  expect(status).toBe(1);
  expect(stderr.trim().split('\n')).toEqual([
    'package-lock.json lacks the integrity of tool: run node scripts/lock.mjs --hashes',
    'package-lock.json lacks the integrity of tool-linux-arm64: run node scripts/lock.mjs --hashes',
  ]);
});

test('a name that says no platform is an error, not a guess', async () => {
  await writeLock({ 'node_modules/tool': { version: '1.0.0', optionalDependencies: { fancy: '1.0.0' } } });
  const { status, stderr } = completeLock();
  expect(status).not.toBe(0);
  expect(stderr).toContain('fancy');
});
