import type pg from 'pg';
import { findEngine } from '../database/engine.ts';
import { DURABLE_SETTINGS, databaseProblems, durabilityProblems } from './boot-check.ts';

/*
 * Before a service process works with the other nodes of Citus, this must hold: a row is stored when it is on the disk of
 * its node. Asked at the start only. A node that does not answer is no reason to stay away: the others go on.
 */

/** An acknowledged batch of a node that died before it made the batch visible is found by the next look for such batches. */
const RECOVERY_MILLISECONDS_MAX = 10_000;

/** Everything that stands against beginning to work with this database; asked as the role of the service. */
export async function startProblems(client: pg.ClientBase): Promise<string[]> {
  return [...(await databaseProblems(client)), ...(await nodeProblems(client))];
}

interface NodeSettings {
  node: number;
  settings: string;
}

async function nodeProblems(client: pg.ClientBase): Promise<string[]> {
  if ((await findEngine(client)) !== 'citus') return [];
  const names = Object.keys(DURABLE_SETTINGS)
    .map((name) => `'${name}'`)
    .join(', ');
  const { rows } = await client.query<NodeSettings>(
    'SELECT nodeid AS node, result AS settings FROM run_command_on_all_nodes($1) WHERE success ORDER BY nodeid',
    [`SELECT jsonb_object_agg(name, setting) FROM pg_settings WHERE name IN (${names})`],
  );
  const { rows: recovery } = await client.query<{ milliseconds: number }>(
    "SELECT setting::float8 AS milliseconds FROM pg_settings WHERE name = 'citus.recover_2pc_interval'",
  );
  return [
    ...rows.flatMap(({ node, settings }) =>
      durabilityProblems(JSON.parse(settings) as Record<string, string>).map(
        (problem) => `Node ${node}: ${problem}`,
      ),
    ),
    ...recoveryProblems(recovery[0]?.milliseconds),
  ];
}

export function recoveryProblems(milliseconds: number | undefined): string[] {
  if (milliseconds === undefined) return [];
  if (milliseconds >= 0 && milliseconds <= RECOVERY_MILLISECONDS_MAX) return [];
  const found = milliseconds < 0 ? 'off' : `${milliseconds / 1_000} s`;
  return [
    `citus.recover_2pc_interval is ${found}: what was acknowledged while a node died would be missing from reads for so long; set it to 5s`,
  ];
}
