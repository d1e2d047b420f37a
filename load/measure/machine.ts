import { execFileSync } from 'node:child_process';
import os from 'node:os';
import type pg from 'pg';

/** What a reader needs to know before comparing two results. */
export interface Facts {
  machine: { cpu: string; cores: number; memory_bytes: number; system: string };
  node: string;
  git: string;
  postgresql: string;
  timescaledb: string;
  timescaledb_license: string;
  /** Of a coordinator. */
  citus?: string;
  settings: Record<string, string>;
}

const SETTINGS = [
  'shared_buffers',
  'max_wal_size',
  'wal_level',
  'synchronous_commit',
  'fsync',
  'full_page_writes',
  'checkpoint_timeout',
  'jit',
  'max_connections',
  'timescaledb.max_background_workers',
  'citus.shard_count',
];

export async function collectFacts(client: pg.ClientBase): Promise<Facts> {
  const { rows: settings } = await client.query<{ name: string; setting: string }>(
    "SELECT name, current_setting(name) AS setting FROM pg_settings WHERE name = ANY ($1) OR name = 'timescaledb.license'",
    [SETTINGS],
  );
  const { rows } = await client.query<{ server: string; extension: string | null; citus: string | null }>(
    `SELECT current_setting('server_version') AS server,
            (SELECT extversion FROM pg_extension WHERE extname = 'timescaledb') AS extension,
            (SELECT extversion FROM pg_extension WHERE extname = 'citus') AS citus`,
  );
  const byName = Object.fromEntries(settings.map((row) => [row.name, row.setting]));
  const { 'timescaledb.license': license = 'unknown', ...rest } = byName;
  return {
    machine: {
      cpu: os.cpus()[0]?.model ?? 'unknown',
      cores: os.cpus().length,
      memory_bytes: os.totalmem(),
      system: `${os.type()} ${os.release()} ${os.arch()}`,
    },
    node: process.versions.node,
    git: gitId(),
    postgresql: rows[0]?.server ?? 'unknown',
    timescaledb: rows[0]?.extension ?? 'unknown',
    timescaledb_license: license,
    ...(typeof rows[0]?.citus === 'string' ? { citus: rows[0].citus } : {}),
    settings: rest,
  };
}

function gitId(): string {
  const git = (...words: string[]) =>
    execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return (
      git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes')
    );
  } catch {
    return 'no commit';
  }
}
