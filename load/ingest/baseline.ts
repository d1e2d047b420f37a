import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { dataFolder } from '../../scripts/data-folder.mjs';
import { postgresProgram } from '../../scripts/local-services.ts';
import { engineOf } from '../../src/platform/database/engine.ts';
import { MEASURED } from '../../src/telemetry/snapshots/fields.ts';

/*
 * The speed of the database by itself: psql's `\copy`, text format, one file, one transaction. The target is a hypertable,
 * or a distributed table, with the same columns, defaults, checks, chunk interval and index. The time is psql's own, without
 * its start and sign-in.
 */

export const BASELINE_TABLE = 'load_baseline';

/** Makes the empty copy of `asset_snapshots`; one that an earlier run left behind goes. */
export async function createBaselineTable(client: pg.ClientBase): Promise<void> {
  const isDistributed = (await engineOf(client)) === 'citus';
  /* The owner's tables stay on the coordinator but where he says otherwise. */
  if (isDistributed) await client.query('SET citus.enable_ddl_propagation = on');
  await dropBaselineTable(client);
  await client.query(
    `CREATE TABLE ${BASELINE_TABLE} (LIKE asset_snapshots INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE)
       ${isDistributed ? 'PARTITION BY RANGE (timestamp)' : ''}`,
  );
  await client.query(isDistributed ? DISTRIBUTED : HYPERTABLE);
}

const HYPERTABLE = `
  SELECT create_hypertable('${BASELINE_TABLE}',
     by_range('timestamp', (SELECT time_interval FROM timescaledb_information.dimensions
                             WHERE hypertable_schema = 'public' AND hypertable_name = 'asset_snapshots')),
     create_default_indexes => false)`;

const DISTRIBUTED = `
  CREATE TABLE ${BASELINE_TABLE}_rows PARTITION OF ${BASELINE_TABLE} DEFAULT;
  SELECT create_distributed_table('${BASELINE_TABLE}', 'asset_id', colocate_with => 'asset_snapshots')`;

export async function dropBaselineTable(client: pg.ClientBase): Promise<void> {
  await client.query(`DROP TABLE IF EXISTS ${BASELINE_TABLE}`);
}

/** Writes the rows of a round into one file for psql; the file goes with the round. */
export async function writeCopyFile(name: string, parts: Iterable<Buffer>): Promise<string> {
  const folder = join(dataFolder, 'load');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.copy`);
  const file = createWriteStream(path, { mode: 0o644 });
  for (const part of parts) {
    if (!file.write(part)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
  return path;
}

export async function removeCopyFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Runs `\copy` and returns psql's time in seconds. */
export async function copyByPsql(databaseUrl: string, path: string): Promise<number> {
  const address = new URL(databaseUrl);
  const password = decodeURIComponent(address.password);
  address.password = '';
  const ownProgram = postgresProgram('psql');
  const program = existsSync(ownProgram) ? ownProgram : 'psql';
  const psql = spawn(
    program,
    ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-c', '\\timing on', '-c', copyCommand(path), address.href],
    {
      /* Not as an argument, which every user of the machine can read. */
      env: { PGPASSWORD: password, PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [out, err, [code]] = await Promise.all([text(psql.stdout), text(psql.stderr), once(psql, 'exit')]);
  const milliseconds = /Time: ([\d.]+) ms/.exec(out)?.[1];
  if (code !== 0 || milliseconds === undefined) throw new Error(`psql \\copy failed: ${err || out}`);
  return Number(milliseconds) / 1000;
}

function copyCommand(path: string): string {
  return `\\copy ${BASELINE_TABLE} (${MEASURED.copyColumns}) from '${path.replaceAll("'", "''")}'`;
}
