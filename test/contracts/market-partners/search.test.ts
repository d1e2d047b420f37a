import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createMarketPartner, createTenant } from '../../setup/factories.ts';
import { idsOf } from '../../setup/lists.ts';
import type { ErrorBody } from '../../telemetry/assets/devices.ts';

let api: TestApi;
let clock: FakeClock;
let client: ApiClient;
const ids: Record<string, string> = {};

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.000Z');
  api = await startApi({ clock, alone: true });
  const { token } = await createTenant(api);
  client = api.client(token, { version: '2026-01-29.edison' });
  for (const name of ['Stadtwerke Nord', 'Stadtwerke Süd', '100% Ökostrom', 'stadtwerke_west']) {
    clock.advance(1);
    ids[name] = (await createMarketPartner(api.deps, { name })).id;
  }
});
afterAll(() => api?.close());

const found = async (name: string, rest = '') => {
  const listed = await idsOf(client, `/suppliers/search?name=${encodeURIComponent(name)}${rest}`);
  return listed.map((id) => Object.keys(ids).find((key) => ids[key] === id));
};

test('finds part of a name, whatever the case, newest first', async () => {
  expect(await found('STADTWERKE')).toEqual(['stadtwerke_west', 'Stadtwerke Süd', 'Stadtwerke Nord']);
  expect(await found('süd')).toEqual(['Stadtwerke Süd']);
  expect(await found('e s')).toEqual(['Stadtwerke Süd']);
  expect(await found('nobody')).toEqual([]);
});

test('finds a name in the other Unicode form, whichever of the two is stored', async () => {
  const composed = 'Überlandwerk Köln'.normalize('NFC');
  clock.advance(1);
  ids[composed] = (await createMarketPartner(api.deps, { name: composed })).id;
  clock.advance(1);
  const decomposed = 'Überlandwerk Jülich'.normalize('NFD');
  ids[decomposed] = (await createMarketPartner(api.deps, { name: decomposed })).id;
  for (const form of ['NFC', 'NFD']) {
    expect(await found('ÜBERLAND'.normalize(form))).toEqual([decomposed, composed]);
  }
});

test('percent, underscore and backslash stand for themselves', async () => {
  expect(await found('%')).toEqual(['100% Ökostrom']);
  expect(await found('_')).toEqual(['stadtwerke_west']);
  expect(await found('\\')).toEqual([]);
});

test('comes in pages; a cursor is good for the same name only', async () => {
  const { body } = await client.get<{ next_page: string; has_more: boolean }>(
    '/suppliers/search?name=stadt&limit=2',
  );
  expect(body.has_more).toBe(true);
  expect(await found('stadt', `&limit=2&cursor=${body.next_page}`)).toEqual(['Stadtwerke Nord']);
  const other = await client.get(`/suppliers/search?name=werke&limit=2&cursor=${body.next_page}`);
  expect(other.status).toBe(400);
});

test.each([
  ['of three bytes a character', '€'],
  ['of characters that are escaped', '"'],
])('the second page of the longest name %s is found', async (_title, character) => {
  const name = character.repeat(250);
  for (const place of [1, 2]) {
    clock.advance(1);
    ids[`${name}${place}`] = (await createMarketPartner(api.deps, { name: `${name}${place}` })).id;
  }
  const path = `/suppliers/search?name=${encodeURIComponent(name)}&limit=1`;
  const { body } = await client.get<{ next_page: string }>(path);
  expect(await found(name, `&limit=1&cursor=${body.next_page}`)).toEqual([`${name}1`]);
});

test.each([
  ['', "invalid_type in 'name': Required"],
  ['name=', "too_small in 'name'"],
  ['name=a&name=b', "In 'name': Sent more than once"],
  [`name=${'x'.repeat(256)}`, "too_big in 'name'"],
  ['name=a%00b', "In 'name'"],
  ['name=a&filter[name][eq]=a', "unrecognized_keys in 'filter[name][eq]': Nothing can be filtered here"],
  ['name=a&limit=0', "too_small in 'limit'"],
])('"%s" is refused', async (query, message) => {
  const { status, body } = await client.get<ErrorBody>(`/suppliers/search?${query}`);
  expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
});
