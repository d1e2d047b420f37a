import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectFolder } from '../../scripts/data-folder.mjs';

/*
 * A container engine cannot be brought along. This program answers in its place, as the documentation of Compose says
 * it would, and writes down what it was asked and with which variables.
 */
const ENGINE = `#!/bin/sh
echo "$* [$POSTGRES_PASSWORD$VALKEY_PASSWORD]" >> "\${0%/*}/asked"
case "$*" in
  info*) echo 28.0.1;;
  "compose version"*) echo 2.33.1;;
  *" up "*) touch "\${0%/*}/running-\${*##* }";;
  *" stop "*) rm "\${0%/*}/running-\${*##* }";;
  *" port timescaledb "*) echo 127.0.0.1:40001;;
  *" port valkey "*) echo 127.0.0.1:40002;;
  *" ps "*) cd "\${0%/*}" && ls | sed -n 's/^running-//p';;
esac
`;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voltstream-engine-'));
  await writeFile(join(folder, 'docker'), ENGINE, { mode: 0o755 });
});

afterEach(() => rm(folder, { recursive: true }));

/** What `work` resolves to, in a process that finds this engine and whose shell has passwords of something else. */
function withEngine(work: string): unknown {
  const source = pathToFileURL(join(projectFolder, 'scripts/local-services.ts')).href;
  const program = `
    import { startLocalServices, statusOfLocalServices, stopLocalServices } from ${JSON.stringify(source)};
    const folder = ${JSON.stringify(join(folder, 'services'))};
    const start = () => startLocalServices({ folder, needs: { postgres: true, redis: true } });
    console.log(JSON.stringify(await (async () => { ${work} })()));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, POSTGRES_PASSWORD: 'of-the-shell' },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

/** What compose was asked, less the two questions whether it is there. */
async function composeCommands(): Promise<string[]> {
  const lines = (await readFile(join(folder, 'asked'), 'utf8')).trimEnd().split('\n');
  return lines
    .filter((line) => line.includes('--project-name'))
    .map((line) => line.replaceAll(projectFolder, 'PROJECT').replaceAll(folder, 'FOLDER'));
}

test('where a container engine runs, its two servers are used, one after the other', async () => {
  const services = withEngine('return start();');
  expect(services).toMatchObject({
    kind: 'compose',
    started: { postgres: true, redis: true },
    postgres: { adminUrl: expect.stringMatching(/^postgres:\/\/postgres:\w+@127\.0\.0\.1:40001\/postgres$/) },
    redis: { url: expect.stringMatching(/^redis:\/\/:\w+@127\.0\.0\.1:40002$/) },
  });
  const commands = await composeCommands();
  const common =
    /^compose --project-name voltstream-[0-9a-f]{12} --file PROJECT\/docker-compose.yml --env-file /;
  expect(commands.every((line) => common.test(line))).toBe(true);
  expect(commands.map((line) => /compose\.env (.*) \[/.exec(line)?.[1])).toEqual([
    'ps --services --status running',
    'up --detach --wait timescaledb',
    'port timescaledb 5432',
    'ps --services --status running',
    'up --detach --wait valkey',
    'port valkey 6379',
  ]);
});

test('passwords reach compose in a file of mode 600, and win over those of the shell', async () => {
  withEngine('return start();');
  const file = join(folder, 'services/compose.env');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const text = await readFile(file, 'utf8');
  expect(text).toMatch(/^POSTGRES_PASSWORD=\w{48}\nVALKEY_PASSWORD=\w{48}\nVALKEY_ADMIN_PASSWORD=\w{48}\n$/);
  for (const line of await composeCommands()) expect(line).toMatch(/ \[\]$/);
});

test('containers that run are found, begun ones are stopped', () => {
  const seen = withEngine(`
    const first = await start();
    const second = await start();
    const stopped = await stopLocalServices(folder, first.started);
    const { postgres, redis } = await statusOfLocalServices(folder);
    return { second: second.started, stopped, running: [postgres.running, redis.running] };
  `);
  expect(seen).toEqual({
    second: { postgres: false, redis: false },
    stopped: { postgres: true, redis: true },
    running: [false, false],
  });
});
