import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockSubscription, updateSubscription } from '../../../src/contracts/subscriptions/queries.ts';
import { openDatabase } from '../../../src/platform/database/db.ts';
import { isDatabaseUnavailable, SQLSTATE, sqlState } from '../../../src/platform/database/pg-errors.ts';
import { OVERLAP_SECONDS, TRANSACTION_MILLISECONDS } from '../../../src/platform/database/time-limits.ts';
import { codeFiles, withoutComments } from '../../rules/project-files.ts';
import { SignUps } from './sign-ups.ts';

let signUps: SignUps;
beforeAll(async () => {
  signUps = await SignUps.start();
});
afterAll(() => signUps?.close());

function open(transactionMilliseconds?: number) {
  return openDatabase({
    url: signUps.api.database.appUrl,
    applicationName: 'changed-since-test',
    connectionsMax: 1,
    /* A busy machine may take longer than a request waits for a connection. */
    connectTimeoutMilliseconds: 60_000,
    onError: () => {},
    ...(transactionMilliseconds !== undefined && { transactionMilliseconds }),
  });
}

async function changedSince(instant: number): Promise<string[]> {
  const since = encodeURIComponent(new Date(instant).toISOString());
  const { body } = await (await signUps.client()).get<{ items: { id: string }[] }>(
    `/subscriptions?filter[updated_at][gte]=${since}`,
  );
  return body.items.map(({ id }) => id);
}

test('the time that the description names is longer than any transaction, and leaves time for clocks', async () => {
  const answer = await fetch(`${signUps.api.baseUrl}/openapi.2026-09-08.gauss.json`);
  const { paths } = (await answer.json()) as {
    paths: Record<string, { get: { description: string } }>;
  };
  expect(paths['/subscriptions']?.get.description).toContain(`from ${OVERLAP_SECONDS} seconds before`);
  expect(TRANSACTION_MILLISECONDS).toBeLessThanOrEqual((OVERLAP_SECONDS - 15) * 1_000);
  const shown = await signUps.api.deps.database.asService(async (connection) => {
    const { rows } = await sql<{ milliseconds: number }>`
      SELECT setting::int AS milliseconds FROM pg_settings WHERE name = 'transaction_timeout'`.execute(
      connection,
    );
    return rows[0]?.milliseconds;
  });
  expect(shown).toBe(TRANSACTION_MILLISECONDS);
});

test('a change that is open for too long is ended by the server, whatever it does meanwhile, and nothing of it is stored', async () => {
  const { id } = await signUps.known();
  const { organization } = signUps.contracts;
  const database = open(1_000);
  let statements = 0;
  const failure: unknown = await database
    .inOrganization({ organization }, async (connection) => {
      await lockSubscription(connection, organization, id);
      await updateSubscription(connection, organization, id, {
        metadata: JSON.stringify({ late: true }),
        updated_at: signUps.contracts.clock.now().toISOString(),
      });
      /* Each short enough for every other limit. */
      for (; statements < 100; statements += 1) await sql`SELECT pg_sleep(0.05)`.execute(connection);
    })
    .catch((error: unknown) => error);
  await database.close();
  expect(sqlState(failure), String(failure)).toBe(SQLSTATE.transactionTooLong);
  expect(isDatabaseUnavailable(failure)).toBe(true);
  expect(statements).toBeLessThan(100);
  const { body } = await (await signUps.client()).get<{ metadata: unknown }>(`/subscriptions/${id}`);
  expect(body.metadata).not.toEqual({ late: true });
});

test('who asks again from the described time before finds a change that began before and was stored after the last answer', async () => {
  const { id } = await signUps.known();
  const { organization, clock } = signUps.contracts;
  clock.advance(3_600_000);
  const database = open();
  const began = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const change = database.inOrganization({ organization }, async (connection) => {
    await lockSubscription(connection, organization, id);
    const updated_at = clock.now().toISOString();
    await updateSubscription(connection, organization, id, { metadata: '{"late":true}', updated_at });
    began.resolve();
    await mayEnd.promise;
  });
  await began.promise;
  clock.advance(TRANSACTION_MILLISECONDS - 1);
  const lastCall = clock.nowMilliseconds();
  expect(await changedSince(lastCall - OVERLAP_SECONDS * 1_000)).not.toContain(id);
  mayEnd.resolve();
  await change;
  await database.close();
  expect(await changedSince(lastCall)).not.toContain(id);
  expect(await changedSince(lastCall - OVERLAP_SECONDS * 1_000)).toContain(id);
});

test('only files that an operator takes in and a look at all documents may take longer, and none changes contracts', () => {
  const callers = codeFiles('src', 'workers')
    .filter(({ text }) =>
      /allowLongTransaction\(connection\);|transactionMilliseconds:/.test(withoutComments(text)),
    )
    .map(({ path }) => path)
    .sort();
  expect(callers).toEqual([
    'src/billing/invoices/staff-read.ts',
    'src/billing/payments/import.ts',
    'src/contracts/meter-readings/import.ts',
    'src/contracts/usage/import.ts',
    'src/tariffs/plans/import.ts',
    'src/tariffs/reference-data/files/import.ts',
  ]);
});
