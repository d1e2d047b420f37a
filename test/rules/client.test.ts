import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientTypesFile, clientTypesSource } from '../../scripts/write-client.ts';
import { projectFolder } from './project-files.ts';

test('client/description.ts is what the newest API description gives (else: node scripts/node.mjs scripts/write-client.ts)', async () => {
  expect(await readFile(clientTypesFile, 'utf8')).toBe(await clientTypesSource());
});

test('the client has the version of the project, and stands on the packages that are tested here', async () => {
  const read = async (path: string) => JSON.parse(await readFile(join(projectFolder, path), 'utf8'));
  const { version, devDependencies } = await read('package.json');
  const client = await read('client/package.json');
  expect(client.version).toBe(version);
  for (const [name, needed] of Object.entries(client.dependencies))
    expect(devDependencies[name]).toBe(needed);
});
