import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { z } from 'zod';

/*
 * A backup is a folder with two files: what pg_dump wrote, and the manifest, which comes last. A folder without a manifest is
 * no backup.
 */

export const DUMP_FILE = 'database.dump';
export const MANIFEST_FILE = 'manifest.json';

const manifest = z.object({
  format: z.literal(1),
  taken_at: z.string(),
  database: z.string(),
  postgresql: z.string(),
  timescaledb: z.string(),
  /** `apache` or `timescale`: the second one has what the first one cannot read. */
  license: z.string(),
  voltstream: z.string(),
  /** The newest numbered file of sql/ that ran. */
  migration: z.string(),
  /** Roles of the server that own something in it or have rights there. */
  roles: z.array(z.string()),
  /** Rows of each table. */
  tables: z.record(z.string(), z.int().min(0)),
  bytes: z.int().min(0),
  sha256: z.string(),
});

export type Manifest = z.output<typeof manifest>;

/** Refuses a folder that is no backup, and one whose bytes are not those that were written. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST_FILE);
  const text = await readFile(path, 'utf8').catch(() => {
    throw new Error(`${folder} is no backup: it has no ${MANIFEST_FILE}, which is written last`);
  });
  const parsed = manifest.safeParse(jsonOf(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${path} is not understood: ${issue?.path.join('.')} ${issue?.message}`);
  }
  const found = await digestOf(join(folder, DUMP_FILE)).catch((error: Error) => {
    throw new Error(`${folder} is no whole backup: its ${DUMP_FILE} cannot be read (${error.message})`);
  });
  if (found.bytes !== parsed.data.bytes || found.sha256 !== parsed.data.sha256) {
    throw new Error(
      `${join(folder, DUMP_FILE)} is not the file of the manifest: ${found.bytes} bytes with SHA-256 ${found.sha256}, ` +
        `not ${parsed.data.bytes} with ${parsed.data.sha256}`,
    );
  }
  return parsed.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export async function digestOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  const { size } = await stat(path);
  await pipeline(createReadStream(path), hash);
  return { bytes: size, sha256: hash.digest('hex') };
}

/** Tables of our own with their rows. Those of extensions, and chunks, which belong to their table, are left out. */
export async function countRows(client: pg.ClientBase): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { schema, name } of await listTables(client)) {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::float8 AS count FROM ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`,
    );
    counts[`${schema}.${name}`] = rows[0]?.count ?? 0;
  }
  return counts;
}

export async function listTables(client: pg.ClientBase): Promise<{ schema: string; name: string }[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(`
    SELECT n.nspname AS schema, c.relname AS name
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND c.relpersistence = 'p' AND NOT c.relispartition
       AND n.nspname !~ '^(pg_|_timescaledb_|information_schema$)'
       AND NOT EXISTS (SELECT FROM pg_depend AS d
                        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
     ORDER BY 1, 2`);
  return rows;
}
