import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { SHARED_SETTINGS } from '../../scripts/local-services/postgres.ts';
import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { composeFile, composeFileWith } from './compose-file.ts';
import { projectFolder } from './project-files.ts';

/*
 * The image was never started by these tests: they hold the file against the other server, the guide, and what a server of
 * the same PostgreSQL knows.
 */

const NODES = ['coordinator', 'worker-1', 'worker-2'] as const;
const nodes = NODES.map((name) => composeFile.services[name]);
const settings = Object.fromEntries(
  nodes[0]?.command.slice(1).map((part) => part.replace(/^-c/, '').split(/=(.*)/s)) ?? [],
) as Record<string, string>;

test('nodes of Citus start when they are asked for only, and nobody outside reaches them', () => {
  for (const { profiles, ports, image, command } of nodes) {
    expect([profiles, ports]).toEqual([['citus'], undefined]);
    expect(image).toMatch(/^citusdata\/citus:1[4-9]\.\d+\.\d+-pg17$/);
    expect(command).toEqual(nodes[0]?.command);
  }
  /* The default stays as it was: nothing waits for a node. */
  for (const { depends_on = {} } of Object.values(composeFile.services)) {
    expect(NODES.filter((name) => name in depends_on)).toEqual([]);
  }
});

test('each node has a volume of its own, a check of its health, and time to stop', () => {
  const volumes = nodes.flatMap((node) => node.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
  expect(new Set(volumes).size).toBe(NODES.length);
  expect(volumes.filter((name) => !(name in composeFile.volumes))).toEqual([]);
  for (const { healthcheck, stop_grace_period, restart } of nodes) {
    expect(healthcheck?.test).toContain('pg_isready');
    expect([stop_grace_period, restart]).toEqual(['120s', 'unless-stopped']);
  }
});

test('every connection to a node needs a password, and none has a default', () => {
  const passwords = { POSTGRES_PASSWORD: 'one', VALKEY_PASSWORD: 'two', VALKEY_ADMIN_PASSWORD: 'three' };
  for (const name of NODES) {
    /* `:?` ends the start where it is missing or empty. */
    expect(composeFile.services[name].environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
    const { environment } = composeFileWith(passwords).services[name];
    expect(environment).toMatchObject({ POSTGRES_PASSWORD: 'one' });
    expect(environment.POSTGRES_INITDB_ARGS).toContain('--auth=scram-sha-256');
    expect(environment.POSTGRES_HOST_AUTH_METHOD).toBeUndefined();
  }
});

test('a node keeps what it acknowledged, as the other server does', () => {
  const { 'timescaledb.telemetry_level': _telemetry, max_connections, ...shared } = SHARED_SETTINGS;
  expect(settings).toMatchObject(shared);
  expect(Number(settings.max_connections)).toBeGreaterThanOrEqual(Number(max_connections));
  expect(settings).toMatchObject({ wal_level: 'logical', 'citus.recover_2pc_interval': '5s' });
  /* A transaction over several nodes is prepared on each of them. */
  expect(Number(settings.max_prepared_transactions)).toBeGreaterThanOrEqual(Number(settings.max_connections));
});

test('the guide explains every setting that only a node has', () => {
  const guide = readFileSync(join(projectFolder, 'docs/scale-out.md'), 'utf8');
  const own = Object.entries(settings).filter(([name, value]) => SHARED_SETTINGS[name] !== value);
  expect(own.length).toBeGreaterThan(4);
  for (const [name, value] of own) expect(guide).toContain(`\`${name} = ${value}\``);
});

test('PostgreSQL knows every setting of a node that is not of Citus', async () => {
  await withDatabaseClient(inject('servers').databaseAdminUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>('SELECT lower(name) AS name FROM pg_settings');
    const known = new Set(rows.map((row) => row.name));
    const unknown = Object.keys(settings).filter((name) => !name.startsWith('citus.') && !known.has(name));
    expect(unknown).toEqual([]);
  });
});
