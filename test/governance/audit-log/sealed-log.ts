import { auditGauges, sealAuditLog, verifyAuditLog } from '../../../src/governance/audit-log/service.ts';
import { openDatabase } from '../../../src/platform/database/db.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import { createTestDatabase } from '../../setup/database.ts';
import { storedRows } from '../../setup/stored-rows.ts';

interface SealRow {
  day: string;
  rows: string;
  hash: string;
  previous: string | null;
}

export type SealedLog = Awaited<ReturnType<typeof openSealedLog>>;

/** An audit log of its own, with the jobs of the worker. */
export async function openSealedLog() {
  const testDatabase = await createTestDatabase();
  const database = openDatabase({
    url: testDatabase.appUrl,
    applicationName: 'seal-test',
    connectionsMax: 2,
    onError: () => {},
  });
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    name: 'seal',
    destination: { write: (line) => void lines.push(line) },
  });
  const run = { log, signal: new AbortController().signal };
  const asAdmin = <Row>(text: string) => storedRows<Row>({ database: testDatabase }, text);
  return {
    testDatabase,
    database,
    asAdmin,
    /** What the worker wrote into its log. */
    logged: () => lines.join(''),
    /** Rows of past days, as a restored backup has them: past the trigger that gives each row its instant. */
    addRows: (daysAgo: number, count: number) =>
      asAdmin(`SET LOCAL session_replication_role = replica;
               INSERT INTO audit_log (at, act, object_id, result)
               SELECT date_trunc('day', now() - interval '10 minutes', 'UTC') - interval '${daysAgo} days' + interval '10 hours',
                      'asset.create', 'ast_' || number, 'done' FROM generate_series(1, ${count}) AS number;
               UPDATE audit_chain SET first_day = (SELECT min(at AT TIME ZONE 'UTC')::date FROM audit_log)`),
    seal: (AUDIT_SIGNING_KEY?: string) => sealAuditLog({ database, config: { AUDIT_SIGNING_KEY } }, run),
    verify: () => verifyAuditLog({ database }, run),
    /** As a worker shows it that has just begun. */
    alarm: async () => {
      const metrics = createMetrics({ runtime: false });
      await auditGauges({ database, metrics })();
      return Number(/^voltstream_audit_seals_broken (\d+)$/m.exec(await metrics.text())?.[1]);
    },
    listSeals: () =>
      asAdmin<SealRow>(
        `SELECT day::text, rows, encode(hash, 'hex') AS hash, encode(previous_hash, 'hex') AS previous
           FROM audit_seals ORDER BY day`,
      ),
    problems: () =>
      asAdmin<{ day: string | null; problem: string }>(
        'SELECT day::text, problem FROM audit_seal_problems()',
      ),
    /**
     * As at the beginning of a test: no row, no seal, nothing logged. Where the database does not know that the chain is one
     * row it prepares for a million of days, and each look for problems takes 150 ms in place of 3.
     */
    empty: async () => {
      lines.length = 0;
      await asAdmin(`DELETE FROM audit_log; DELETE FROM audit_seals; DELETE FROM audit_chain;
                     INSERT INTO audit_chain (first_day) VALUES ((now() AT TIME ZONE 'UTC')::date);
                     ANALYZE audit_chain`);
    },
    close: async () => {
      await database.close();
      await testDatabase.drop();
    },
  };
}
