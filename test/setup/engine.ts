import type pg from 'pg';
import { beforeEach, inject, test } from 'vitest';
import type { Engine } from '../../src/platform/database/engine.ts';

/** On what the servers of this run store measured values. What is of one engine alone stands in tables by its name. */
export const engine: Engine = inject('engine');

/** A test of something that the other engine does not have. There it is skipped, and the reason is shown. */
export function testOnlyOn(only: Engine, reason: string) {
  return (title: string, work: () => Promise<void>) =>
    test(title, async ({ skip }) => {
      skip(engine !== only, reason);
      await work();
    });
}

/** The same for all tests of a file, called before its other hooks. */
export function fileOnlyOn(only: Engine, reason: string): void {
  beforeEach(({ skip }) => skip(engine !== only, reason));
}

/** A statement in this database on each of its nodes, for each node its first value as a text. */
export async function onEachNode(
  admin: Pick<pg.Pool, 'query'>,
  statement: string,
): Promise<(string | null)[]> {
  if (engine === 'timescaledb') {
    const { rows } = await admin.query<Record<string, unknown>>(statement);
    return rows.slice(0, 1).map((row) => String(Object.values(row)[0]));
  }
  const { rows } = await admin.query<{ success: boolean; result: string }>(
    'SELECT success, result FROM run_command_on_all_nodes($1)',
    [statement],
  );
  const refused = rows.find(({ success }) => !success);
  if (refused !== undefined) throw new Error(refused.result);
  return rows.map(({ result }) => result);
}

interface Trigger {
  name: string;
  /** Such as `BEFORE INSERT ON asset_snapshots FOR EACH ROW`. */
  when: string;
  body: string;
}

/** What the database does with rows, as a defect or another program could. Citus hands triggers on to the shards, one statement at a time. */
export async function addTrigger(
  admin: Pick<pg.Pool, 'query'>,
  { name, when, body }: Trigger,
): Promise<void> {
  await admin.query(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$`);
  await admin.query(`GRANT EXECUTE ON FUNCTION ${name} TO PUBLIC`);
  await admin.query(`CREATE TRIGGER ${name} ${when} EXECUTE FUNCTION ${name}()`);
}

/** Where sessions and what they wait for are seen: on Citus, of all nodes, because a row is locked where it lies. */
export async function activityOf(admin: Pick<pg.Pool, 'query'>): Promise<string> {
  const { rows } = await admin.query<{ name: string }>(
    "SELECT coalesce(to_regclass('citus_stat_activity'), 'pg_stat_activity')::text AS name",
  );
  return rows[0]?.name ?? '';
}
