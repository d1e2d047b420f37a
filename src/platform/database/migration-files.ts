import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from './engine.ts';

/*
 * The files of sql/. On Citus one of sql/citus runs in the place of the one of the same name; the database remembers the
 * ordinary name with the hash of the text that ran.
 */

export const sqlFolder = fileURLToPath(new URL('../../../sql', import.meta.url));

const NUMBERED = /^\d{4}-[a-z0-9-]+\.sql$/;

export interface Migration {
  /** `migrations/0002-identity.sql`, `repeatable/maintenance.sql` or `analytics/governance/10-schema.sql`. */
  name: string;
  text: string;
  sha256: string;
  repeatable: boolean;
  /** Runs with all others of its kind, into an empty schema: a view may then lose a column, and others build on it. */
  ofAnalytics: boolean;
}

/** A sentence for the operator: what stands in the way of the schema. */
export class MigrationError extends Error {}

export type MigrationFiles = (engine?: Engine) => Promise<readonly Migration[]>;

/**
 * The files as they are when they are asked for first. An update puts those of the next version into the folder while the
 * process of before works on: it is measured by its own.
 */
export function keptMigrations(folder: string): MigrationFiles {
  const kept = new Map<Engine, Promise<readonly Migration[]>>();
  return (engine = 'timescaledb') => {
    const files = kept.get(engine) ?? readMigrations(folder, engine);
    kept.set(engine, files);
    return files;
  };
}

/** Those of the version that this process is. */
export const ownMigrations = keptMigrations(sqlFolder);

/** The files of a folder for an engine, in the order in which they run. */
export async function readMigrations(
  folder = sqlFolder,
  engine: Engine = 'timescaledb',
): Promise<Migration[]> {
  const ofCitus = engine === 'citus' ? await readdir(join(folder, 'citus'), { recursive: true }) : [];
  const read = async (kind: 'migrations' | 'repeatable' | 'analytics') => {
    const found = await readdir(join(folder, kind), { recursive: true });
    /* Views build on one another across the folders of districts: their numbers say the order. */
    const names = found
      .filter((file) => file.endsWith('.sql'))
      .sort((left, right) => (basename(left) < basename(right) ? -1 : 1));
    return Promise.all(
      names.map(async (file) => {
        const name = `${kind}/${file}`;
        const place = ofCitus.includes(name) ? join(folder, 'citus', name) : join(folder, name);
        const text = await readFile(place, 'utf8');
        const sha256 = createHash('sha256').update(text).digest('hex');
        return { name, text, sha256, repeatable: kind !== 'migrations', ofAnalytics: kind === 'analytics' };
      }),
    );
  };
  const numbered = await read('migrations');
  numbered.forEach(({ name }, index) => {
    const file = name.slice('migrations/'.length);
    if (!NUMBERED.test(file) || Number(file.slice(0, 4)) !== index + 1) {
      throw new MigrationError(`${name}: migrations are named 0001-what.sql and numbered without a gap`);
    }
  });
  return [...numbered, ...(await read('repeatable')), ...(await read('analytics'))];
}
