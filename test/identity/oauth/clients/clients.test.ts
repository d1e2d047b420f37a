import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientsOf, createClient, updateClient } from '../../../../src/identity/oauth/clients/clients.ts';
import type { NewClientInput } from '../../../../src/identity/oauth/clients/schema.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { createHousehold, createOrganization } from '../../../setup/factories.ts';
import { actAt } from '../token-requests.ts';

let api: TestApi;
let organization: string;
let foreignCustomer: string;

beforeAll(async () => {
  api = await startApi();
  organization = await createOrganization(api.deps);
  foreignCustomer = (await createHousehold(api.deps, await createOrganization(api.deps))).customer;
});
afterAll(() => api.close());

const create = (input: Partial<NewClientInput>) =>
  createClient(api.deps, organization, { display_name: 'Gateway', ...input }, actAt(api.deps));

describe('registering a client', () => {
  test.each<[string, string, Partial<NewClientInput>]>([
    ['plain http as redirect URI', 'redirect_uris.0', { redirect_uris: ['http://a.example/cb'] }],
    [
      'a bad redirect URI behind a good one',
      'redirect_uris.1',
      { redirect_uris: ['https://a.example/cb', 'https://b.example/#x'] },
    ],
    ['an own scheme under the rule origin', 'redirect_uris.0', { redirect_uris: ['com.example.app:/cb'] }],
    [
      'too many redirect URIs',
      'redirect_uris',
      { redirect_uris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`) },
    ],
    [
      'client_credentials for a public client',
      'grants',
      { public: true, redirect_uris: ['https://a.example/'], grants: ['client_credentials'] },
    ],
    ['a public client without redirect URI', 'redirect_uris', { public: true }],
    ['authorization_code without redirect URI', 'redirect_uris', { grants: ['authorization_code'] }],
    ['a grant twice', 'grants', { grants: ['client_credentials', 'client_credentials'] }],
    ['no grant', 'grants', { grants: [] }],
    ['the preview as pinned version', 'version', { version: '2026-09-08.gauss' as never }],
    ['no requests at all', 'rate_burst', { rate_burst: 0 }],
    ['half a request a second', 'rate_per_second', { rate_per_second: 0.5 }],
    ['an unknown customer', 'customer_id', { customer_id: 'cus_000000000000000000000000' }],
    ['a customer id that is none', 'customer_id', { customer_id: '\0' }],
    ['an invisible name', 'display_name', { display_name: '\u200b' }],
    ['an empty name', 'display_name', { display_name: '' }],
  ])('refuses %s and stores nothing', async (_, field, input) => {
    const before = (await clientsOf(api.deps.database, organization)).length;
    await expect(create(input)).rejects.toMatchObject({ code: 'BAD_REQUEST', entries: [{ field }] });
    expect(await clientsOf(api.deps.database, organization)).toHaveLength(before);
  });

  test("refuses another organization's customer exactly like one that does not exist", async () => {
    const refusal = async (customer: string) => {
      const error = await create({ customer_id: customer }).catch((thrown: unknown) => thrown);
      return (error as { entries: unknown }).entries;
    };
    expect(await refusal(foreignCustomer)).toEqual(await refusal('cus_000000000000000000000000'));
  });

  test('gives a client with redirect URIs the authorization code flow as well', async () => {
    const { client } = await create({ redirect_uris: ['https://a.example/cb'] });
    expect(client.grants).toEqual(['authorization_code', 'client_credentials', 'refresh_token']);
  });

  test('an update must leave the client as consistent as a new one', async () => {
    const { client } = await create({ redirect_uris: ['https://a.example/cb'] });
    await expect(
      updateClient(api.deps.database, client.id, { redirect_uris: [] }, actAt(api.deps)),
    ).rejects.toMatchObject({ entries: [{ field: 'redirect_uris' }] });
    const changed = await updateClient(
      api.deps.database,
      client.id,
      { redirect_uris: [], grants: ['client_credentials'] },
      actAt(api.deps),
    );
    expect(changed).toMatchObject({
      redirect_uris: [],
      grants: ['client_credentials'],
      scopes: client.scopes,
    });
  });
});
