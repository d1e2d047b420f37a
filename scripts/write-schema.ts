// Writes sql/schema.sql: what the migrations make, as the server's own pg_dump tells it.
// `node scripts/node.mjs scripts/write-schema.ts`; a test compares the file with a fresh database.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { processEnvironment } from '../src/config/config.ts';
import { withFreshDatabase } from '../test/setup/fresh-database.ts';
import type { TestServers } from '../test/setup/servers.ts';
import { projectFolder } from './data-folder.mjs';

const execute = promisify(execFile);

export const schemaFile = join(projectFolder, 'sql', 'schema.sql');

/** The dump of our own schema: owners and rights stand in it, because they are the barrier between organizations. */
export async function schemaSource(
  database: string,
  servers: Pick<TestServers, 'databaseAdminUrl' | 'dump'>,
) {
  const { command, inContainer } = servers.dump;
  const url = new URL(servers.databaseAdminUrl);
  const place = inContainer
    ? []
    : [
        `--host=${url.hostname}`,
        `--port=${url.port || 5432}`,
        `--username=${decodeURIComponent(url.username)}`,
      ];
  const [program = 'pg_dump', ...before] = command;
  const { stdout } = await execute(
    program,
    [
      ...[...before, ...place, '--no-password', '--schema-only'],
      ...['--schema=public', '--schema=measured', '--schema=analytics', `--dbname=${database}`],
    ],
    // On its own program line the password would be readable by every process of the machine.
    {
      env: { ...processEnvironment(), PGPASSWORD: decodeURIComponent(url.password) },
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return normalized(stdout);
}

/**
 * The same text from every server: without the random words of \restrict, without versions and session settings, and
 * without what one edition or version of TimescaleDB adds to a hypertable by itself.
 */
export function normalized(dump: string): string {
  const kept = dump
    .replace(/^\\(un)?restrict .*$/gm, '')
    .replace(/^(SET|SELECT pg_catalog\.set_config)\b.*$/gm, '')
    .replace(/^--.*$/gm, '')
    .replace(/^CREATE TRIGGER ts_\w+ .*$/gm, '')
    .replace(/^(CREATE SCHEMA public|ALTER SCHEMA public OWNER TO .*|COMMENT ON SCHEMA public .*);$/gm, '');
  const head = '-- Written from the database by scripts/write-schema.ts: not changed by hand.';
  return `${head}\n\n${kept.replace(/\n{3,}/g, '\n\n').trim()}\n`;
}

if (import.meta.main) {
  await withFreshDatabase(async (_client, url, servers) => {
    await writeFile(schemaFile, await schemaSource(new URL(url).pathname.slice(1), servers));
  });
}
