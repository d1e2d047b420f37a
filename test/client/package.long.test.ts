import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectFolder } from '../../scripts/data-folder.mjs';
import { createClient } from '../setup/factories.ts';
import { type QuoteService, startQuoteService } from '../tariffs/quotes/quote-service.ts';

/* The package as a partner gets it: packed, unpacked in a folder of its own, and used as its README shows. */

const run = promisify(execFile);
const clientFolder = join(projectFolder, 'client');

let service: QuoteService;
let folder: string;
beforeAll(async () => {
  service = await startQuoteService();
  folder = await mkdtemp(join(tmpdir(), 'voltstream-client-'));
});
afterAll(async () => {
  await service?.api.close();
  await rm(folder, { recursive: true, force: true });
  await rm(join(clientFolder, 'dist'), { recursive: true, force: true });
});

test('the packed client has its types, and the example of its README prices a plan', async () => {
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts=false', '--pack-destination', folder],
    {
      cwd: clientFolder,
    },
  );
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
    { filename: string; files: { path: string }[] },
  ];
  expect(files.map(({ path }) => path).toSorted()).toEqual([
    'README.md',
    'dist/description.d.ts',
    'dist/description.js',
    'dist/index.d.ts',
    'dist/index.js',
    'package.json',
  ]);
  const unpacked = join(folder, 'node_modules', 'voltstream-client');
  await mkdir(unpacked, { recursive: true });
  await run('tar', ['xzf', join(folder, filename), '-C', unpacked, '--strip-components=1']);
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types/node', 'undici-types']) {
    const place = join(folder, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(projectFolder, 'node_modules', name), place);
  }
  const readme = await readFile(join(clientFolder, 'README.md'), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'example.ts'), example);

  const tsc = join(projectFolder, 'node_modules/@typescript/native/bin/tsc');
  const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--types', 'node', '--skipLibCheck'];
  const checked = run(process.execPath, [tsc, ...strict, 'example.ts'], { cwd: folder });
  expect(
    await checked.then(
      ({ stdout: said }) => said,
      ({ stdout: said }) => said,
    ),
  ).toBe('');

  const { client_id, client_secret } = await createClient(service.api.deps, service.organization);
  const environment = { BASE: service.api.baseUrl, CLIENT_ID: client_id, CLIENT_SECRET: client_secret };
  const printed = await run(process.execPath, ['example.ts'], { cwd: folder, env: environment });
  expect(printed.stdout).toMatch(/^\S.*: \d+\.\d+ EUR a month\n$/);
});
