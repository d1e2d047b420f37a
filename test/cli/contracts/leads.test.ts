import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi, testEnvironment } from '../../setup/api.ts';
import { createLead, createTenant } from '../../setup/factories.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { runCommand } from '../command-line.ts';

let api: TestApi;
let environment: Record<string, string>;

beforeAll(async () => {
  api = await startApi();
  environment = testEnvironment(api.database, 'redis://127.0.0.1:1');
});
afterAll(() => api?.close());

const run = (...args: string[]) => runCommand(environment, 'leads', ...args);

test('leads visited keeps when the link was opened last', async () => {
  await createTenant(api);
  const { organization, token } = await createTenant(api);
  const { id } = await createLead(api.deps, organization);
  const result = await run('visited', id, '--at', '2026-10-05T10:30:00.5+02:00', '--json');
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(result.stdout)).toEqual({ lead: id, last_visited_at: '2026-10-05T08:30:00.500Z' });
  const { body } = await api.client(token).get(`/leads/${id}`);
  expect(body).toMatchObject({ id, last_visited_at: '2026-10-05T08:30:00.500Z' });
  expect(await auditRows(api, organization, 'lead.visited')).toEqual([
    expect.objectContaining({ object_id: id, reason: 'reported by the checkout', route: 'leads visited' }),
  ]);
});

test('leads visited never moves the time back, and takes none from the future', async () => {
  const { organization } = await createTenant(api);
  const { id } = await createLead(api.deps, organization);
  const visit = async (at: string) => {
    const { exitCode, stdout, stderr } = await run('visited', id, '--at', at, '--json');
    return exitCode === 0 ? JSON.parse(stdout).last_visited_at : stderr;
  };
  expect(await visit('2026-10-05T08:30:00Z')).toBe('2026-10-05T08:30:00.000Z');
  expect(await visit('2026-10-04T08:30:00Z')).toBe('2026-10-05T08:30:00.000Z');
  expect(await visit('2026-10-06T08:30:00Z')).toBe('2026-10-06T08:30:00.000Z');
  expect(await visit('2999-01-01T00:00:00Z')).toMatch(/^--at: 2999-01-01T00:00:00.*Z lies in the future/);
});

test('an unknown lead and a moment without a zone are refused', async () => {
  const unknown = 'lead_000000000000000000000000';
  expect(await run('visited', unknown)).toMatchObject({
    exitCode: 1,
    stderr: `There is no lead ${unknown}\n`,
  });
  expect((await run('visited', unknown, '--at', '2026-10-05T10:30:00')).exitCode).toBe(2);
  expect((await run('visited')).exitCode).toBe(2);
});
