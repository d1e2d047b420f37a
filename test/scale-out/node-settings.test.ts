import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { DURABLE_SETTINGS } from '../../src/platform/process/boot-check.ts';
import { startProblems } from '../../src/platform/process/node-check.ts';
import type { TestDatabase } from '../setup/database.ts';
import { type StandIn, startStandIn } from './stand-in.ts';

/*
 * The stand-in has one node. Here it answers as four in a row: one of them does not keep what it acknowledged, and the last
 * one is away.
 */

let standIn: StandIn | null = null;
let database: TestDatabase | undefined;
beforeAll(async () => {
  standIn = await startStandIn();
  database = await standIn?.createDatabase('node_settings');
}, 120_000);
afterAll(() => standIn?.stop());

/** The third node has another value of a setting; a setting that nobody asks for stays unknown. */
const fourNodes = (setting: string, value: string) => `
  CREATE OR REPLACE FUNCTION pg_catalog.run_command_on_all_nodes(
    command text, OUT nodeid integer, OUT success boolean, OUT result text
  ) RETURNS SETOF record LANGUAGE plpgsql AS $$
  BEGIN
    FOR node IN 1..4 LOOP
      nodeid := node;
      success := node <> 4;
      EXECUTE command INTO result;
      IF node = 3 THEN result := jsonb_set(result::jsonb, '{${setting}}', '"${value}"', false); END IF;
      IF node = 4 THEN result := 'could not connect'; END IF;
      RETURN NEXT;
    END LOOP;
  END
  $$`;

/** As Citus shows a setting of its own; the stand-in has none. */
const settingOfCitus = (name: string, value: string) => `
  CREATE TEMPORARY VIEW pg_settings AS
    SELECT name, setting FROM pg_catalog.pg_settings UNION ALL SELECT '${name}', '${value}';
  GRANT SELECT ON pg_temp.pg_settings TO voltstream_app`;

/** What the service finds at its start. */
async function problemsAfter(client: pg.Client, change: string): Promise<string[]> {
  await client.query('BEGIN');
  try {
    await client.query(change);
    await client.query('SET LOCAL ROLE voltstream_app');
    return await startProblems(client);
  } finally {
    await client.query('ROLLBACK');
  }
}

test('a node that may lose what it acknowledged is named with its setting, and one that is away keeps nobody away', async ({
  skip,
}) => {
  if (database === undefined) return skip();
  await withDatabaseClient(database.adminUrl, async (client) => {
    for (const [setting, safe] of Object.entries(DURABLE_SETTINGS)) {
      const [kept = ''] = safe;
      expect(await problemsAfter(client, fourNodes(setting, kept))).toEqual([]);
      const lost = kept === 'on' ? 'off' : 'on';
      expect(await problemsAfter(client, fourNodes(setting, lost))).toEqual([
        expect.stringContaining(`Node 3: ${setting} is ${lost}: what was acknowledged could be lost`),
      ]);
    }
  });
});

test('a coordinator that looks too seldom for what a dead node acknowledged is told so at the start', async ({
  skip,
}) => {
  if (database === undefined) return skip();
  await withDatabaseClient(database.adminUrl, async (client) => {
    const interval = (milliseconds: string) => settingOfCitus('citus.recover_2pc_interval', milliseconds);
    expect(await problemsAfter(client, interval('5000'))).toEqual([]);
    expect(await problemsAfter(client, interval('60000'))).toEqual([
      expect.stringContaining('citus.recover_2pc_interval is 60 s'),
    ]);
  });
});
