import type pg from 'pg';
import { type Migration, MigrationError } from './migration-files.ts';

/*
 * Before the first release 70 numbered files became a baseline of 21, and those after them moved up. A store that ran all
 * of the 70 has what the baseline makes: of it nothing changes but the names in `schema_migrations`.
 */

export const BASELINE_FILES = 21;

/** Its row says that all 70 ran: they are numbered without a gap. */
export const LAST_BEFORE_BASELINE = {
  number: 70,
  name: 'migrations/0070-asset-keys.sql',
  sha256: 'c4dca93781fd3ae4b22abb9a52cd08543352b6d34780a9b9506a221c39a570e9',
  commit: 'f14274b2f81bbe3adf57552f93cb3fc338228e41',
};

const FIRST_BEFORE_BASELINE = 'migrations/0001-organizations.sql';

/** Gives a store from before the baseline the names of today, or says which version it has to pass through first. */
export async function adoptBaseline(client: pg.ClientBase, files: readonly Migration[]): Promise<void> {
  const { number, name, sha256, commit } = LAST_BEFORE_BASELINE;
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'SELECT name, sha256 FROM schema_migrations WHERE name = ANY ($1)',
    [[FIRST_BEFORE_BASELINE, name]],
  );
  if (rows.length === 0) return;
  if (!rows.some((row) => row.name === name && row.sha256 === sha256)) {
    throw new MigrationError(
      `The database is older than ${name}, from where this version goes on: git checkout ${commit}, npm ci, npm run db -- migrate, then the same with this version`,
    );
  }
  const numbered = files.filter((file) => !file.repeatable);
  const baseline = numbered.slice(0, BASELINE_FILES);
  const later = numbered.slice(BASELINE_FILES).map((file) => file.name);
  /* One statement: all of it or nothing. */
  await client.query(
    `WITH gone AS (
       DELETE FROM schema_migrations WHERE name ~ '^migrations/' AND substr(name, 12, 4)::integer <= $1
     ), moved AS (
       UPDATE schema_migrations SET name = today.name
         FROM unnest($2::text[], $3::text[]) AS today (before, name) WHERE schema_migrations.name = today.before
     )
     INSERT INTO schema_migrations (name, sha256) SELECT * FROM unnest($4::text[], $5::text[])`,
    [
      number,
      later.map((file) => nameBefore(file, number - BASELINE_FILES)),
      later,
      baseline.map((file) => file.name),
      baseline.map((file) => file.sha256),
    ],
  );
}

function nameBefore(name: string, shift: number): string {
  return name.replace(/\d{4}/, (digits) => String(Number(digits) + shift).padStart(4, '0'));
}
