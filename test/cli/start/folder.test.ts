import { link, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeSecretFile } from '../../../src/cli/local/folder.ts';

test('a file of a start replaces the one before, which stays whole until then', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'voltstream-folder-'));
  try {
    const [path, before] = [join(folder, 'start.json'), join(folder, 'before')];
    await writeFile(path, 'old');
    await link(path, before);
    await writeSecretFile(path, 'new');
    expect(await Promise.all([path, before].map((file) => readFile(file, 'utf8')))).toEqual(['new', 'old']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['before', 'start.json']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
