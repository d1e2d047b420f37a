import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { TestApi } from '../../setup/api.ts';
import { storedRows } from '../../setup/stored-rows.ts';

/** So many characters at the beginning of a word; those of persons who were made up for a test begin alike. */
const STEM = 8;

/** A word as it can stand in a text, in bytes as the database writes them, and in the name of a key. */
const formsOf = (words: readonly string[]) =>
  words.flatMap((word) => [
    word.toLowerCase(),
    ...[word, word.toLowerCase(), word.toUpperCase()].map((spelling) =>
      Buffer.from(spelling).toString('hex'),
    ),
  ]);

/**
 * Every table of the database whose rows have one of the words in any column, of whatever type: `public.invoices restricted`
 * where the finance role alone sees all of these rows.
 */
export async function tablesWith(
  api: Pick<TestApi, 'database'>,
  words: readonly string[],
): Promise<string[]> {
  const tables = await storedRows<{ name: string }>(
    api,
    `SELECT c.oid::regclass::text AS name FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND n.nspname !~ '^_?timescaledb_(catalog|config|cache)'`,
  );
  const forms = formsOf(words);
  const found = await storedRows<{ name: string; open: boolean }>(
    api,
    tables
      .map(
        ({ name }) =>
          `SELECT '${name}' AS name, bool_or(to_jsonb(t) ->> 'restricted_at' IS NULL) AS open
             FROM ${name} AS t CROSS JOIN LATERAL (SELECT lower(t::text COLLATE "C") AS text OFFSET 0) AS row
            WHERE row.text LIKE ANY ($2) AND row.text LIKE ANY ($1) HAVING count(*) > 0`,
      )
      .join(' UNION ALL '),
    /* Not one regular expression: over the same rows it takes ten times as long. A few stems leave few rows for all words. */
    [forms.map((form) => `%${form}%`), [...new Set(forms.map((form) => `%${form.slice(0, STEM)}%`))]],
  );
  return found.map(({ name, open }) => (open ? name : `${name} restricted`)).sort();
}

/** How each type of value is read whole. */
const READS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  string: ['GET'],
  hash: ['HGETALL'],
  list: ['LRANGE', '0', '-1'],
  set: ['SMEMBERS'],
  zset: ['ZRANGE', '0', '-1'],
  stream: ['XRANGE', '-', '+'],
};

/** Keys of Valkey with one of the words in their name or in what they hold. */
export async function keysWith(redisUrl: string, words: readonly string[]): Promise<string[]> {
  const redis = new Redis(redisUrl);
  const isFound = new RegExp(formsOf(words).join('|'), 'i');
  try {
    const found: string[] = [];
    for await (const keys of redis.scanStream({ count: 1_000 })) {
      for (const key of keys as string[]) {
        const [command, ...range] = READS[await redis.type(key)] ?? ['TYPE'];
        const value = await redis.call(command, key, ...range);
        if (isFound.test(`${key} ${JSON.stringify(value)}`)) found.push(key);
      }
    }
    return found;
  } finally {
    redis.disconnect();
  }
}

export async function filesWith(folder: string, words: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const isFound = new RegExp(formsOf(words).join('|'), 'i');
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'latin1');
    if (isFound.test(text)) found.push(entry.name);
  }
  return found.sort();
}
