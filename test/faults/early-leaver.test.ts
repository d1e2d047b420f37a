import { connect } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { logLines } from '../platform/counted-requests.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import { createHousehold, createTenant } from '../setup/factories.ts';
import { waitingForLocks } from '../setup/held-row.ts';
import { auditRows } from '../setup/stored-rows.ts';

/*
 * F24: a client that leaves while the handler works. Its work is finished or rolled back, and the audit log says who asked,
 * although the connection that told where it came from is gone.
 */

const lines = logLines();
let api: TestApi;
let admin: pg.Client;
let organization: string;
let token: string;
let customer: string;

beforeAll(async () => {
  api = await startApi({ log: lines.log });
  ({ organization, token } = await createTenant(api));
  ({ customer } = await createHousehold(api.deps, organization));
  admin = new pg.Client({ connectionString: api.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await api.close();
});

/** Sends the request, holds its first look at the table up, and leaves before the answer. */
async function leaveEarly(head: string, table: string, body = ''): Promise<void> {
  const { hostname, port } = new URL(api.baseUrl);
  await admin.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  try {
    const socket = connect(Number(port), hostname);
    const length = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    socket.write(
      `${head} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n` +
        `X-API-Version: 2026-09-08.gauss\r\n${length}\r\n${body}`,
    );
    await expect.poll(() => waitingForLocks(api.database)).toBe(1);
    const open = () =>
      new Promise<number>((resolve) => api.app.server.getConnections((_, count) => resolve(count)));
    const before = await open();
    socket.destroy();
    await expect.poll(open).toBeLessThan(before);
  } finally {
    await admin.query('COMMIT');
  }
}

test('a read of personal data is audited with its address, and nothing is an error', async () => {
  await leaveEarly('GET /customers', 'customers');
  await expect.poll(() => auditRows(api, organization, 'personal_data.')).toHaveLength(1);
  const [row] = await auditRows(api, organization, 'personal_data.');
  expect(row).toMatchObject({ route: 'GET /customers', result: 'done', address: '127.0.0.0/24' });
  expect(lines.text()).not.toMatch(/TypeError|"level":"?(error|50)/);
});

test('a write is kept with its line in the audit log', async () => {
  await leaveEarly(`PATCH /customers/${customer}`, 'customers', '{"first_name":"Jule"}');
  await expect.poll(() => auditRows(api, organization, 'customer.')).toHaveLength(1);
  const [row] = await auditRows(api, organization, 'customer.');
  expect(row).toMatchObject({ result: 'done', address: '127.0.0.0/24' });
  expect(lines.text()).not.toMatch(/TypeError|"level":"?(error|50)/);
});
