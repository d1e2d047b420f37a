// Writes client/description.ts from the newest API description: the types of the client.
// `node scripts/node.mjs scripts/write-client.ts`; a test compares the file with the description.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { NEWEST_VERSION } from '../src/config/versions.ts';
import { projectFolder } from './data-folder.mjs';

export const clientTypesFile = join(projectFolder, 'client', 'description.ts');

/** What test/rules/openapi.test.ts holds against the service. */
const descriptionFile = join(projectFolder, 'test', 'rules', 'openapi', `${NEWEST_VERSION}.openapi.json`);

interface Description {
  paths: Record<string, Record<string, { parameters?: readonly { $ref?: string }[] }>>;
}

const IDEMPOTENCY_KEY = '#/components/parameters/idempotencyKey';

export async function clientTypesSource(): Promise<string> {
  const text = await readFile(descriptionFile, 'utf8');
  const { paths } = JSON.parse(text) as Description;
  const takingKey = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { parameters = [] }]) => parameters.some(({ $ref }) => $ref === IDEMPOTENCY_KEY))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  const types = astToString(await openapiTS(text, { silent: true }));
  return [
    '// Written from the API description by scripts/write-client.ts: not changed by hand.',
    `export const API_VERSION = '${NEWEST_VERSION}';`,
    '',
    '/** Operations of which a repetition with the same key is answered as the first time. */',
    'export const TAKES_IDEMPOTENCY_KEY: ReadonlySet<string> = new Set([',
    ...takingKey.map((name) => `  '${name}',`),
    ']);',
    '',
    types,
  ].join('\n');
}

if (import.meta.main) await writeFile(clientTypesFile, await clientTypesSource());
