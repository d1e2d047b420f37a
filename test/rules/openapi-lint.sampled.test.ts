import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { versionEngine } from '../../src/api/app.ts';
import { topics } from '../../src/api/topics.ts';
import { readServiceConfig } from '../../src/config/config.ts';
import { NEWEST_VERSION, VERSION_NAMES, type VersionName } from '../../src/config/versions.ts';
import { webhookDescriptions } from '../../src/events/description.ts';
import { accessDescription } from '../../src/identity/oauth/description.ts';
import { openDeps } from '../../src/platform/deps.ts';
import { openApiDocument } from '../../src/platform/openapi/openapi.ts';
import { testEnvironment } from '../setup/api.ts';
import { nodeEnvironment } from '../setup/node-environment.ts';
import { isLongTier } from '../setup/tier.ts';
import { projectFolder } from './project-files.ts';

/* Descriptions are made of routes and schemas alone: nothing is connected to here. */
const deps = openDeps(
  readServiceConfig({
    ...testEnvironment(
      { appUrl: 'postgres://127.0.0.1:1/none', maintenanceUrl: 'postgres://127.0.0.1:1/none' },
      'redis://127.0.0.1:1',
    ),
    BASE_URL: 'https://api.voltstream.example',
  }),
);
const versions = versionEngine(deps);

const documentOf = (version: VersionName) =>
  openApiDocument(version, {
    config: deps.config,
    versions,
    access: accessDescription,
    webhooks: webhookDescriptions(topics),
  });

afterAll(() => deps.close());

interface Operation {
  responses: object;
}

/* The rule that every operation has a success knows no redirects: theirs is 302. */
test('all descriptions lint clean by the strict rules, and each operation has a success', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  /* The linter takes a second for each: by `npm test` it reads the newest, from which the others differ a little. */
  const linted = isLongTier ? VERSION_NAMES : [NEWEST_VERSION];
  const files = linted.map((version) => join(folder, `${version}.json`));
  for (const version of VERSION_NAMES) {
    const { paths } = documentOf(version) as { paths: Record<string, Record<string, Operation>> };
    for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
      expect(Object.keys(operation.responses).filter((status) => /^(2..|302)$/.test(status))).not.toEqual([]);
    }
  }
  for (const [index, version] of linted.entries()) {
    await writeFile(files[index] ?? '', JSON.stringify(documentOf(version)));
  }
  const cli = 'node_modules/@redocly/cli/bin/cli.js';
  const rules = ['--extends', 'recommended-strict', '--skip-rule', 'operation-2xx-response'];
  await promisify(execFile)(process.execPath, [cli, 'lint', ...rules, ...files], {
    cwd: projectFolder,
    env: { ...nodeEnvironment(), REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  await rm(folder, { recursive: true });
});
