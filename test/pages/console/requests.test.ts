import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visitor } from '../../identity/oauth/visitor.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createClient, createTenant } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { expectSoundPage, signedIn } from './console.ts';

let api: TestApi;
let tenant: Awaited<ReturnType<typeof createTenant>>;
let visitor: Visitor;
let requestId: string;

beforeAll(async () => {
  api = await startApi();
  tenant = await createTenant(api);
  visitor = await signedIn(api, tenant.organization);
  const refused = await api.client(tenant.token).get('/households?limit=<b>');
  requestId = String(refused.body.requestId);
  expect(refused.status).toBe(400);
});
afterAll(() => api.close());

const count = async (organization: string) =>
  (
    await storedRows<{ rows: number }>(
      api,
      'SELECT count(*)::int AS rows FROM request_log WHERE organization_id = $1',
      [organization],
    )
  )[0]?.rows;

const open = (query = '', who = visitor) => who.open(`${api.baseUrl}/console/requests${query}`);

const rowsOf = (text: string) =>
  [...text.matchAll(/<tr><th scope="row".*?<\/tr>/g)].map(([row]) => row.replaceAll(/<[^>]*>/g, '|'));

test('a request is shown with its problem by path and code, its status and its requestId, and is found by it', async () => {
  await expect.poll(() => count(tenant.organization)).toBe(1);
  for (const query of ['', `?request=${requestId}`, '?refused=yes']) {
    const page = await open(query);
    expectSoundPage(page);
    const [row, ...others] = rowsOf(page.text);
    expect(others).toEqual([]);
    expect(row).toContain('|GET /households|');
    expect(row).toContain('|400|');
    expect(row).toContain('|limit: ');
    expect(row).toContain(`|${requestId}|`);
  }
  expect((await open('?request=nothing')).text).toContain('There is no such request.');
});

test('a request whose caller left is shown as 499, and is none of the refused ones', async () => {
  const { organization } = await createTenant(api);
  const own = await signedIn(api, organization);
  await storedRows(
    api,
    `INSERT INTO request_log (organization_id, created_at, request_id, client_id, route, version, status, milliseconds)
     SELECT $1, now(), 'request-' || status, 'oac_x', 'GET /assets', '2026-09-08.gauss', status, 1
       FROM unnest(ARRAY[200, 400, 499, 503]) AS status`,
    [organization],
  );
  const statuses = async (query: string, shown = /<td[^>]*>(\d{3})<\/td>/g) =>
    [...(await open(query, own)).text.matchAll(shown)].map(([, status]) => status);
  expect(await statuses('')).toEqual(['503', '499', '400', '200']);
  expect(await statuses('?status=400')).toEqual(['400']);
  expect(await statuses('?status=499')).toEqual(['499']);
  expect(await statuses('?status=x')).toHaveLength(4);
  for (const [query, shown] of [['?refused=yes'], ['', /class="refused">(\d{3})</g]] as const)
    expect(await statuses(query, shown)).toEqual(['503', '400']);
});

test('a request is shown with the key it came by, and a refusal without a code of its own with what it was', async () => {
  const { organization } = await createTenant(api);
  const { client_id } = await createClient(api.deps, organization, { display_name: 'Gateway 7' });
  const own = await signedIn(api, organization);
  await storedRows(
    api,
    `INSERT INTO request_log (organization_id, created_at, request_id, client_id, route, version, status, milliseconds, problems)
     VALUES ($1, now(), 'r1', $2, 'POST /asset-snapshots', '2026-09-08.gauss', 429, 1, NULL),
            ($1, now(), 'r2', 'oac_gone', 'POST /asset-snapshots', '2026-09-08.gauss', 404, 1,
             '[{"code": "custom", "field": "household"}]')`,
    [organization, client_id],
  );
  const { text } = await open('', own);
  const [unknown, tooMany] = rowsOf(text);
  expect(tooMany).toMatch(/\|Gateway 7\|.*\|429\|.*\|TOO_MANY_REQUESTS\|/);
  expect(text).toContain(`href="/console/keys/${client_id}"`);
  expect(unknown).toMatch(/\|oac_gone\|.*\|404\|.*\|household: NOT_FOUND\|/);
  expect(text).toContain('Time (Berlin)');
});

test('a request to a path or with a method that there is not is found by its requestId, without what was typed', async () => {
  const { organization, token } = await createTenant(api);
  const own = await signedIn(api, organization);
  const client = api.client(token);
  const wrong = [
    [404, 'GET unknown', await client.get('/hosueholds/jule.brandt@example.org')],
    [405, 'PATCH unknown', await client.patch('/households', {})],
  ] as const;
  await expect.poll(() => count(organization)).toBe(wrong.length);
  for (const [status, route, answer] of wrong) {
    expect(answer.status).toBe(status);
    const page = await open(`?request=${answer.body.requestId}`, own);
    expect(rowsOf(page.text)).toEqual([expect.stringContaining(`|${route}|`)]);
    expect(page.text).toContain(`>${status}<`);
    expect(page.text).not.toContain('jule.brandt');
  }
});

test('nobody of another organization sees it, also not by its requestId', async () => {
  await expect.poll(() => count(tenant.organization)).toBe(1);
  const { organization } = await createTenant(api);
  const foreign = await signedIn(api, organization, 'de');
  for (const query of ['', `?request=${requestId}`]) {
    const page = await open(query, foreign);
    expectSoundPage(page);
    expect(rowsOf(page.text)).toEqual([]);
  }
});

test('what is typed into the address is searched for and harms nothing', async () => {
  for (const query of [
    '?request=<script>',
    '?request=%00x',
    '?after=x',
    '?after=2026-13-45T99:00:00.0Z.1',
    '?request=a&request=b',
  ]) {
    const page = await open(query);
    expect([query, page.status, page.text.includes('<script>')]).toEqual([query, 200, false]);
  }
});

test('older ones stand on further pages, each once', async () => {
  const { organization } = await createTenant(api);
  const many = await signedIn(api, organization);
  /* The ten of the instant at which the first page ends have ids of three and of four digits. */
  await storedRows(api, 'ALTER TABLE request_log ALTER COLUMN id RESTART WITH 943');
  await storedRows(
    api,
    `INSERT INTO request_log (organization_id, created_at, request_id, client_id, route, version, status, milliseconds)
     SELECT $1, now() - n / 10 * INTERVAL '1 second', 'request-' || n, 'oac_x', 'GET /assets', '2026-09-08.gauss', 200, 1
       FROM generate_series(1, 120) AS n`,
    [organization],
  );
  const seen: string[] = [];
  let query = '';
  for (let pages = 0; pages < 3; pages += 1) {
    const { text } = await open(query, many);
    seen.push(...[...text.matchAll(/request-\d+/g)].map(([id]) => id));
    query = /href="\/console\/requests(\?[^"]*)">Older/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  }
  const all = Array.from({ length: 120 }, (_, index) => `request-${index + 1}`);
  expect([seen.toSorted(), query]).toEqual([all.toSorted(), '']);
});
