import { afterAll, beforeAll, expect, test } from 'vitest';
import { textsIn } from '../../../src/pages/console/texts.ts';
import type { Page, Visitor } from '../../identity/oauth/visitor.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createClient, createTenant, type TestClient, tokenFor } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { attributesOf, expectSoundPage, press, signedIn } from './console.ts';

let api: TestApi;
let organization: string;
let client: TestClient;
let visitor: Visitor;
let foreign: Visitor;

beforeAll(async () => {
  api = await startApi();
  ({ organization, client } = await createTenant(api));
  visitor = await signedIn(api, organization);
  foreign = await signedIn(api, (await createTenant(api)).organization, 'de');
});
afterAll(() => api.close());

const open = (path: string, who = visitor) => who.open(`${api.baseUrl}/console${path}`);
const reason = { reason: 'yearly <b>change</b>' };
const typed = { display_name: 'Gateway <1>', ...reason };
const acts = async (act: string) => await auditRows(api, organization, act);
const secretIn = (text: string) => /ocs_[A-Za-z0-9_-]+/.exec(text)?.[0] ?? '';

test('a key stands there with its last use', async () => {
  const page = await open('/keys');
  expectSoundPage(page);
  expect(page.text).toContain(client.client_id);
  expect((await open('/keys', foreign)).text).not.toContain(client.client_id);
  const [row] = await storedRows<{ last_used_at: string | null }>(
    api,
    'UPDATE auth_clients SET last_used_at = $2 WHERE id = $1 RETURNING last_used_at',
    [client.client_id, '2026-05-16T10:00:00Z'],
  );
  expect(row?.last_used_at).not.toBeNull();
  expect((await open('/keys')).text).toContain('16/05/2026, 12:00:00');
});

test('a new key shows its secret once, works, and is made once', async () => {
  const page = await open('/keys');
  const made = await press(visitor, page, '/console/keys', { ...typed, read_only: 'yes' });
  expectSoundPage(made);
  const id = /oac_\w{24}/.exec(made.text)?.[0] ?? '';
  const key = { client_id: id, client_secret: secretIn(made.text) };
  expect(await tokenFor(api, key)).toBeTruthy();
  const again = await press(visitor, page, '/console/keys', { ...typed, read_only: 'yes' });
  const place = `${api.baseUrl}/console/keys?notice=shown`;
  expect([again.status, again.headers.get('location')]).toEqual([303, place]);
  const list = await open('/keys');
  expect(list.text.match(/Gateway &lt;1&gt;/g)).toHaveLength(1);
  const shown = await open(`/keys/${id}`);
  expectSoundPage(shown);
  expect([shown.text.includes('read only'), secretIn(shown.text)]).toEqual([true, '']);
  expect((await acts('client.create')).filter(({ object_id }) => object_id === id)).toMatchObject([
    {
      staff: expect.stringMatching(/^usr_/),
      route: 'POST /console/keys',
      reason: reason.reason,
      request_id: expect.any(String),
      address: expect.any(String),
    },
  ]);
});

test('a form that was refused says why beside the field, keeps what was typed, and may be sent again', async () => {
  let page = await open('/keys');
  for (const fields of [
    { display_name: 'x', reason: ' ' },
    { display_name: 'x', reason: 'a\nb' },
    { display_name: 'x', reason: 'a\u2028b' },
    { display_name: 'x', reason: 'paid \u202eon' },
    { display_name: 'x', reason: '\u200b' },
    { display_name: '', ...reason },
  ]) {
    const refused = await press(visitor, page, '/console/keys', fields);
    expect([refused.status, refused.text.includes('This was refused')]).toEqual([400, true]);
    expectSoundPage({ ...refused, status: 200 });
    const wrong = fields.display_name === '' ? 'display_name' : 'reason';
    expect(attributesOf(refused, 'create', wrong)).toMatch(
      new RegExp(` aria-invalid="true" aria-describedby="create-${wrong}-wrong" autofocus$`),
    );
    expect(refused.text).toContain(`<p class="error" id="create-${wrong}-wrong">`);
    expect(attributesOf(refused, 'create', 'display_name')).toContain(` value="${fields.display_name}"`);
    expect(refused.text.match(/ autofocus/g)).toHaveLength(1);
    page = refused;
  }
  const boxed = await press(visitor, page, '/console/keys', { ...typed, reason: ' ', read_only: 'yes' });
  expect(attributesOf(boxed, 'create', 'display_name')).toContain(' value="Gateway &lt;1&gt;"');
  expect(attributesOf(boxed, 'create', 'read_only')).toContain(' checked');
  const made = await press(visitor, page, '/console/keys', { ...typed, display_name: 'sent again' });
  expect([made.status, secretIn(made.text) !== '']).toEqual([200, true]);
});

test('secrets are renewed and revoked, a key is switched off and on, each once and with its reason', async () => {
  const own = await createClient(api.deps, organization, { display_name: 'Own' });
  const address = `/console/keys/${own.client_id}`;
  const page = await open(`/keys/${own.client_id}`);
  const rotated = await press(visitor, page, `${address}/rotate`, { ...reason, overlap: '24' });
  expectSoundPage(rotated);
  expect(await tokenFor(api, { ...own, client_secret: secretIn(rotated.text) })).toBeTruthy();
  expect((await press(visitor, page, `${address}/rotate`, { ...reason, overlap: '24' })).status).toBe(303);
  const both = await open(`/keys/${own.client_id}`);
  const numbers = [...both.text.matchAll(/secrets\/(\d+)\/revoke/g)].map(([, number]) => number);
  expect(numbers).toHaveLength(2);
  expect(both.text).toContain('Tokens that it gave work for up to 60 minutes');
  const revoke = `${address}/secrets/${numbers.at(-1)}/revoke`;
  expect((await press(visitor, both, revoke, reason)).status).toBe(303);
  expect((await press(visitor, both, revoke, reason)).status).toBe(303);
  await expect(tokenFor(api, own)).rejects.toThrow();
  const after = await open(`/keys/${own.client_id}`);
  expect(after.text).toContain('revoked ');
  expect((await press(visitor, after, `${address}/disable`, reason)).status).toBe(303);
  const off = await open(`/keys/${own.client_id}`);
  expect(off.text).toContain('<dd>switched off</dd>');
  expect(off.text).toContain('tokens of the last 60 minutes work again');
  expect((await press(visitor, off, `${address}/enable`, reason)).status).toBe(303);
  for (const act of ['client_secret.rotate', 'client_secret.revoke', 'client.disable', 'client.enable']) {
    const rows = (await acts(act)).filter(({ object_id }) => object_id === own.client_id);
    expect([act, rows.map((row) => row.reason)]).toEqual([act, [reason.reason]]);
  }
});

test('a secret that a double click hid is told of where the browser comes out, and can be renewed', async () => {
  const own = await createClient(api.deps, organization, { display_name: 'Twice' });
  const address = `/console/keys/${own.client_id}`;
  const page = await open(`/keys/${own.client_id}`);
  const rotate = () => press(visitor, page, `${address}/rotate`, { ...reason, overlap: '0' });
  const answers = await Promise.all([rotate(), rotate()]);
  const [shown, second] = answers.toSorted((left, right) => left.status - right.status) as [Page, Page];
  expect([shown.status, secretIn(shown.text) !== '']).toEqual([200, true]);
  const after = await visitor.follow(second, api.baseUrl);
  expectSoundPage(after);
  expect(after.text).toContain('renew a secret that you have not seen');
  const renewed = await press(visitor, after, `${address}/rotate`, { ...reason, overlap: '0' });
  expect(await tokenFor(api, { ...own, client_secret: secretIn(renewed.text) })).toBeTruthy();
});

test('a notice that a link brings along claims nothing that happened', async () => {
  for (const [notice, words] of Object.entries(textsIn.en.notices)) {
    expect((await open(`/keys?notice=${notice}`)).text).toContain(words);
    expect(words).toMatch(
      /^(A form that comes in twice is carried out once[.:]|What a correction issues |A worker begins what is due )/,
    );
  }
});

test('nobody of another organization sees or changes a key, also not by its id', async () => {
  const page = await open(`/keys/${client.client_id}`);
  expect((await open(`/keys/${client.client_id}`, foreign)).status).toBe(404);
  const [secret] = /secrets\/\d+/.exec(page.text) ?? [''];
  const before = (await acts('client')).length;
  const theirs = await open('/keys', foreign);
  for (const act of ['disable', 'rotate', `${secret}/revoke`]) {
    const path = `/console/keys/${client.client_id}/${act}`;
    const form = { ...theirs, text: theirs.text.replace('action="/console/keys"', `action="${path}"`) };
    expect([act, (await press(foreign, form, path, { ...reason, overlap: '0' })).status]).toEqual([act, 404]);
  }
  expect((await acts('client')).length).toBe(before);
  expect(await tokenFor(api, client)).toBeTruthy();
});

test('forms without their protection do nothing', async () => {
  const page = await open('/keys');
  const before = (await acts('client')).length;
  expect((await press(visitor, page, '/console/keys', { ...typed, _csrf: 'x' })).status).toBe(403);
  expect((await press(visitor, page, '/console/keys', { ...typed, _form: 'x' })).status).toBe(400);
  expect((await acts('client')).length).toBe(before);
});
