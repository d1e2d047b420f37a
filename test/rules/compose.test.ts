import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { SHARED_SETTINGS } from '../../scripts/local-services/postgres.ts';
import { ADVISED_SETTINGS } from '../../src/cli/doctor/database.ts';
import {
  readCommandLineConfig,
  readOwnerConfig,
  readServiceConfig,
  readWorkerConfig,
  VARIABLE_NAMES,
  VARIABLES_READ_BY,
} from '../../src/config/config.ts';
import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { composeFile, composeFileWith, composeText, variablesOf } from './compose-file.ts';
import { projectFolder } from './project-files.ts';

const OWN_SERVICES = ['setup', 'api', 'worker', 'cli'] as const;
const SERVER_PASSWORDS = {
  POSTGRES_PASSWORD: 'one',
  VALKEY_PASSWORD: 'two',
  VALKEY_ADMIN_PASSWORD: 'three',
};

/** Runs the guide's first command, as somebody pastes it, in a folder of its own. */
function envFileOfTheGuide(): Record<string, string> {
  const guide = readFileSync(join(projectFolder, 'docs/deployment.md'), 'utf8');
  const command = /```sh\n([\s\S]*?cat > \.env[\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'voltstream-env-'));
  try {
    execFileSync('sh', ['-ec', command], { cwd: folder });
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    return variablesOf(readFileSync(join(folder, '.env'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the two servers start with their passwords and nothing else, as npm start gives them', () => {
  expect(() => composeFileWith(SERVER_PASSWORDS)).not.toThrow();
  for (const name of Object.keys(SERVER_PASSWORDS)) {
    expect(() => composeFileWith({ ...SERVER_PASSWORDS, [name]: '' })).toThrow(`${name} is missing`);
  }
});

test('the .env that the guide makes is complete for set-up, API and worker', () => {
  const variables = envFileOfTheGuide();
  const { api, worker, setup, valkey } = composeFileWith(variables).services;
  expect(readServiceConfig(api.environment)).toMatchObject({
    APP_ENV: 'production',
    HOST: '0.0.0.0',
    PORT: 4300,
  });
  expect(readWorkerConfig(worker.environment)).toMatchObject({ HOST: '0.0.0.0', WORKER_PORT: 4301 });
  const owner = readOwnerConfig(setup.environment);
  expect(new URL(owner.DATABASE_ADMIN_URL ?? '').password).toBe(variables.POSTGRES_PASSWORD);
  for (const [name, role] of [
    ['DATABASE_OWNER_URL', 'voltstream_owner'],
    ['DATABASE_URL', 'voltstream_app'],
    ['DATABASE_MAINTENANCE_URL', 'voltstream_maintenance'],
  ] as const) {
    const address = new URL(owner[name] ?? '');
    expect(address).toMatchObject({ username: role, hostname: 'timescaledb', pathname: '/voltstream' });
    expect(address.password).toHaveLength(43);
  }
  expect(new URL(variables.REDIS_URL ?? '').password).toBe(valkey.environment.VALKEY_PASSWORD);
});

test('no two secrets of the guide are the same, within a run or between runs', () => {
  const files = [envFileOfTheGuide(), envFileOfTheGuide()];
  const secrets = files.flatMap((variables) => [
    ...Object.entries(variables).flatMap(([name, value]) =>
      /PASSWORD|PEPPER|KEY$/.test(name) ? [value] : [],
    ),
    ...['DATABASE_OWNER_URL', 'DATABASE_URL', 'DATABASE_MAINTENANCE_URL'].map(
      (name) => new URL(variables[name] ?? '').password,
    ),
  ]);
  expect(secrets).toHaveLength(18);
  expect(new Set(secrets).size).toBe(18);
});

test('without them the service says everything that is missing, and the servers still start', () => {
  const { api } = composeFileWith(SERVER_PASSWORDS).services;
  const missing = ['BASE_URL', 'DATABASE_URL', 'REDIS_URL', 'SECRET_PEPPER', 'ENCRYPTION_KEY', 'CURSOR_KEY'];
  expect(() => readServiceConfig(api.environment)).toThrow(
    missing.map((name) => `${name} is missing`).join('\n'),
  );
});

/** Tests and load runs are started in a clone, not in a container. */
const OF_A_CLONE = /^(TEST|LOAD)_/;

test('every variable of the programs passes through the file', () => {
  const passed = OWN_SERVICES.flatMap((name) => Object.keys(composeFile.services[name].environment));
  const expected = VARIABLE_NAMES.filter((name) => !OF_A_CLONE.test(name));
  expect([...new Set(passed)].sort()).toEqual(expected);
});

test('the addresses of administrator and owner reach neither API nor worker', () => {
  for (const name of ['api', 'worker'] as const) {
    const names = Object.keys(composeFile.services[name].environment);
    expect(names).not.toContain('DATABASE_ADMIN_URL');
    expect(names).not.toContain('DATABASE_OWNER_URL');
  }
  expect(Object.keys(composeFile.services.api.environment)).not.toContain('DATABASE_MAINTENANCE_URL');
});

test('commands run beside the service with all that they read, the owner among it, and by no start of the service', () => {
  const { cli } = composeFile.services;
  expect(cli).toMatchObject({ profiles: ['cli'], entrypoint: ['node', 'src/cli/main.ts'], restart: 'no' });
  expect([cli.depends_on, cli.ports]).toEqual([undefined, undefined]);
  expect(Object.keys(cli.environment)).toEqual(
    expect.arrayContaining([...VARIABLES_READ_BY.cli, 'DATABASE_OWNER_URL', 'DATABASE_MAINTENANCE_URL']),
  );
  const { environment } = composeFileWith(envFileOfTheGuide()).services.cli;
  expect(readCommandLineConfig(environment).APP_ENV).toBe('production');
  expect(readOwnerConfig(environment).DATABASE_OWNER_URL).toContain('voltstream_owner');
});

test('no secret stands in the file', () => {
  expect(composeText).not.toMatch(/:\/\/[^\s/$]*:[^\s/$]+@/);
  for (const service of Object.values(composeFile.services)) {
    for (const [name, value] of Object.entries(service.environment)) {
      if (!/PASSWORD|SECRET|PEPPER|KEY|TOKEN$|_URL$/.test(name) || value === 'true') continue;
      expect(value).toMatch(new RegExp(`^\\$\\{${name}:(-|\\?is missing, see docs/deployment.md)\\}$`));
    }
  }
});

test('nothing is published beyond this machine, and the servers take whatever port is free', () => {
  const { timescaledb, valkey, setup, api, worker } = composeFileWith(SERVER_PASSWORDS).services;
  expect(timescaledb.ports).toEqual(['127.0.0.1::5432']);
  expect(valkey.ports).toEqual(['127.0.0.1::6379']);
  expect(api.ports).toEqual(['127.0.0.1:4300:4300']);
  expect(worker.ports ?? setup.ports).toBeUndefined();
});

test('images carry an exact version; TimescaleDB is the Community edition without its known holes', () => {
  const { timescaledb, valkey } = composeFile.services;
  const [, version = '', edition = ''] =
    /^timescale\/timescaledb:([\d.]+)-(.*)$/.exec(timescaledb.image) ?? [];
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  expect([major, minor * 1000 + patch >= 29_002]).toEqual([2, true]);
  expect(edition).toBe('pg17');
  expect(valkey.image).toMatch(/^valkey\/valkey:\d+\.\d+\.\d+-alpine$/);
});

test('processes of the service run with node itself, without rights, and get their time to end', () => {
  for (const name of OWN_SERVICES) {
    const service = composeFile.services[name];
    expect(service).toMatchObject({ image: 'voltstream', init: true, read_only: true, cap_drop: ['ALL'] });
    expect(service.security_opt).toContain('no-new-privileges:true');
    expect((service.entrypoint ?? service.command).join(' ')).not.toMatch(/\bnpm\b/);
  }
  const { setup, api, worker } = composeFile.services;
  expect([api.command, worker.command]).toEqual([
    ['node', 'src/main.ts'],
    ['node', 'workers/main.ts'],
  ]);
  expect([api.stop_grace_period, worker.stop_grace_period]).toEqual(['30s', '30s']);
  expect([setup.restart, api.restart, worker.restart]).toEqual(['no', 'unless-stopped', 'unless-stopped']);
});

test('API and worker start after the schema, and count as healthy when they are ready', () => {
  const { setup, api, worker } = composeFile.services;
  expect(setup.depends_on).toEqual({ timescaledb: { condition: 'service_healthy' } });
  for (const service of [api, worker]) {
    expect(service.depends_on).toMatchObject({ setup: { condition: 'service_completed_successfully' } });
  }
  expect(worker.depends_on).toMatchObject({ valkey: { condition: 'service_healthy' } });
  expect(api.healthcheck?.test.at(-1)).toContain(`127.0.0.1:${api.environment.PORT}/readyz`);
  expect(worker.healthcheck?.test.at(-1)).toContain(`127.0.0.1:${worker.environment.WORKER_PORT}/readyz`);
});

const settings = composeFile.services.timescaledb.command.slice(1).map((part) => part.replace(/^-c/, ''));

test('the database server has the settings of private servers, and the guide names those that the doctor looks at', () => {
  expect([...settings].sort()).toEqual(
    Object.entries(SHARED_SETTINGS)
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
  );
  const guide = readFileSync(join(projectFolder, 'docs/deployment.md'), 'utf8');
  const [, file = ''] = /conf\.d\/voltstream\.conf <<'END'\n([\s\S]*?)\nEND\n/.exec(guide) ?? [];
  for (const [name, value] of Object.entries(ADVISED_SETTINGS)) {
    if (name in SHARED_SETTINGS) expect(value).toBe(SHARED_SETTINGS[name]);
    expect(file).toMatch(new RegExp(`^${name.replace('.', '\\.')} = .*${value}$`, 'm'));
    expect(guide).toMatch(new RegExp(`\`${name.replace('.', '\\.')}( = |\` )${value}`));
  }
});

test('the database server knows every setting it is started with, and calls nobody', async () => {
  expect(settings).toContain('timescaledb.telemetry_level=off');
  const names = settings.map((setting) => setting.split('=')[0] ?? '');
  await withDatabaseClient(inject('servers').databaseAdminUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>('SELECT lower(name) AS name FROM pg_settings');
    const known = new Set(rows.map((row) => row.name));
    expect(names.filter((name) => !name.startsWith('timescaledb.') && !known.has(name))).toEqual([]);
  });
});

test('the guide holds the network of the containers and trusts it: a proxy on the machine comes from its gateway', () => {
  const guide = readFileSync(join(projectFolder, 'docs/deployment.md'), 'utf8');
  const part = guide.slice(guide.indexOf('\n### Behind a proxy\n'), guide.indexOf('\n## Signing in\n'));
  const override = parse(/```yaml\n([\s\S]*?)```/.exec(part)?.[1] ?? '');
  const [{ subnet }] = override.networks.default.ipam.config;
  expect(part).toContain(`TRUSTED_PROXIES=${subnet}`);
  expect(isIPv4(subnet.split('/')[0])).toBe(true);
  expect(part).toContain(`docker network inspect ${parse(composeText).name}_default `);
});

/** Blocks of shell commands of the guide, one text each. */
const shellBlocks = () =>
  [...readFileSync(join(projectFolder, 'docs/deployment.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map(
    ([, block = '']) => block,
  );

test('the guide replaces the processes and asks which ENCRYPTION_KEY they have before anything is encrypted anew', () => {
  const blocks = shellBlocks().filter((block) => block.includes('keys rotate-encryption'));
  expect(blocks).toHaveLength(2);
  for (const block of blocks) {
    const places = [
      /compose up|systemctl restart/,
      /sha256sum/,
      /rotate-encryption/,
      /ENCRYPTION_KEY=NEW/,
    ].map((step) => block.search(step));
    expect(places).toEqual(places.toSorted((before, after) => before - after));
    expect(places).not.toContain(-1);
  }
});

test('without containers the guide makes the same first records as with them: prices, tenant, client and console user', () => {
  const madeBy = shellBlocks().map((block) =>
    [...block.matchAll(/src\/cli\/main\.ts (.*)/g)].map(([, command]) => command),
  );
  const [withContainers, without, ...others] = madeBy.filter((commands) =>
    commands.some((command) => command?.startsWith('organizations create')),
  );
  expect(withContainers?.map((command) => command?.split(' ')[0])).toEqual([
    ...['tariffs', 'organizations', 'clients', 'console-users'],
  ]);
  expect(without).toEqual(withContainers);
  expect(others).toEqual([]);
});

test('who updates by the guide reads the change log and makes a copy before anything is replaced, and the running service keeps its files until the schema is there', () => {
  const guide = readFileSync(join(projectFolder, 'docs/deployment.md'), 'utf8');
  const part = guide.slice(guide.indexOf('\n## Update\n'), guide.indexOf('\n## Reference data\n'));
  const steps = ['CHANGELOG.md', '-- backup', '-- doctor', 'git pull', '`doctor` again'];
  const places = steps.map((step) => part.indexOf(step));
  expect(places).toEqual(places.toSorted((before, after) => before - after));
  expect(places).not.toContain(-1);
  expect(part.slice(0, places[1])).not.toContain('docker compose');
  const replacing = shellBlocks().find((block) => block.includes('git pull')) ?? '';
  expect(replacing).toMatch(
    /^\(cd "\/opt\/voltstream\/\$version" && git pull .* &&\n.* migrate &&\n +ln .* && mv -T .* current &&\n +systemctl restart /m,
  );
  const installing = shellBlocks().filter((block) => block.includes('npm ci'));
  expect(installing.length).toBe(2);
  for (const block of installing) expect(block).toContain('npm ci --omit=dev');
});

test('the commands of the guide take names of files from the folder in which they are typed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'voltstream-typed-'));
  try {
    const named = shellBlocks().flatMap((block) => block.match(/^(?:run|next)\(\) \{.*\}$/m) ?? []);
    expect(named).toHaveLength(2);
    for (const name of ['api.env', 'owner.env', 'worker.env']) await writeFile(join(folder, name), '');
    await writeFile(join(folder, 'typed'), 'read');
    await mkdir(join(folder, 'current/src'), { recursive: true });
    await cp(join(projectFolder, 'scripts'), join(folder, 'current/scripts'), { recursive: true });
    await writeFile(
      join(folder, 'current/src/small.mjs'),
      "import { readFileSync } from 'node:fs'; process.stdout.write(readFileSync('typed', 'utf8'));",
    );
    for (const line of named) {
      const typed = `${line}\n${line.slice(0, line.indexOf('('))} --env-file=worker.env src/small.mjs`;
      const shell = typed
        .replaceAll(/\/(opt|etc)\/voltstream/g, folder)
        .replace('--env-file=worker', `--env-file=${folder}/worker`);
      const { stdout } = await promisify(execFile)('sh', ['-c', shell], {
        cwd: folder,
        env: { version: 'current', PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
      });
      expect(stdout).toBe('read');
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a process of before the update reads the files of its version, one that is started reads those of the next', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'voltstream-update-'));
  const programs = join(folder, 'programs');
  const said = (child: ChildProcess) => once(child.stdout as Readable, 'data').then(([part]) => String(part));
  const started: ChildProcess[] = [];
  const start = () => {
    const child = spawn(process.execPath, ['main.mjs'], { cwd: join(folder, 'current') });
    started.push(child);
    return child;
  };
  try {
    await mkdir(programs);
    await mkdir(join(folder, 'first/scripts'), { recursive: true });
    await writeFile(join(folder, 'first/scripts/node.mjs'), '');
    await writeFile(join(folder, 'first/page'), 'first');
    await writeFile(
      join(folder, 'first/main.mjs'),
      `import { readFileSync } from 'node:fs';
       const read = () => console.log(readFileSync(import.meta.dirname + '/page', 'utf8'), readFileSync('page', 'utf8'));
       process.stdin.on('data', read);
       read();`,
    );
    await symlink('first', join(folder, 'current'));
    for (const variables of ['api.env', 'owner.env']) await writeFile(join(folder, variables), '');
    const make = { git: 'echo -n next > page', npm: '', systemctl: '' };
    for (const [name, work] of Object.entries(make)) {
      await writeFile(join(programs, name), `#!/bin/sh\n${work}\n`, { mode: 0o755 });
    }
    const before = start();
    expect(await said(before)).toBe('first first\n');
    const steps = shellBlocks().find((block) => block.includes('git pull')) ?? '';
    const updating = spawn('sh', ['-c', steps.replaceAll(/\/(opt|etc)\/voltstream/g, folder)], {
      env: { PATH: `${programs}:${dirname(process.execPath)}:/usr/bin:/bin` },
      stdio: 'inherit',
    });
    expect(await once(updating, 'exit')).toEqual([0, null]);
    before.stdin?.write('again');
    expect(await said(before)).toBe('first first\n');
    expect(await said(start())).toBe('next next\n');
  } finally {
    for (const child of started) child.kill();
    await rm(folder, { recursive: true });
  }
});
