import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const execute = promisify(execFile);
const DISK = pathToFileURL('load/endurance/disk.ts').href;

const apart = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])];

test('a full disk takes no further byte, keeps what it has, and takes more when there is room again', async ({
  skip,
}) => {
  const mounts = spawnSync('unshare', [...apart, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]);
  skip(mounts.status !== 0, `no mounts of its own: ${mounts.stderr}`);
  const folder = await mkdtemp(join(tmpdir(), 'disk-'));
  onTestFinished(() => rmdir(folder));
  const program = `
    import { appendFile, readFile } from 'node:fs/promises';
    import { openDisk, useOwnMounts } from ${JSON.stringify(DISK)};
    const file = ${JSON.stringify(join(folder, 'file'))};
    const store = () => appendFile(file, Buffer.alloc(100_000)).then(() => 'stored', ({ code }) => code);
    const said = [useOwnMounts() ?? 'apart'];
    const disk = await openDisk(${JSON.stringify(folder)}, 1_000_000);
    said.push(await store());
    await disk.fill();
    said.push(await store(), (await readFile(file)).length >= 100_000);
    await disk.empty();
    said.push(await store());
    await disk.close();
    console.log(JSON.stringify(said));`;
  const node = [process.execPath, '--input-type=module', '--eval', program];
  const { stdout } = await execute('unshare', [...apart, ...node]);
  expect(JSON.parse(stdout)).toEqual(['apart', 'stored', 'ENOSPC', true, 'stored']);
});

test('endurance says why no disk can be filled, and does not pretend to', async () => {
  const words = ['load/main.ts', 'endurance', '--minutes', '1', '--only', 'disk'];
  const run = execute(process.execPath, words, { env: { ...process.env, PATH: '' } });
  await expect(run).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^left out: no disk can be made to be filled \(.*unshare.*\)$/m),
  });
});
