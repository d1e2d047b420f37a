import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REDUCTION_STATUSES } from '../../../src/contracts/grid-fee-reductions/schema.ts';
import { createClient, createTenant, tokenFor } from '../../setup/factories.ts';
import { filterAnswers, filterRefusals, idsOf, idsOfAllPages } from '../../setup/lists.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { type Contract, moduleType, Reductions } from './reductions.ts';

const LIST = '/grid-fee-reductions';

let reductions: Reductions;
let first: Contract;
let second: Contract;
/** Newest first. */
let all: string[];
beforeAll(async () => {
  reductions = await Reductions.start('2026-11-21T16:05:00.000Z');
  first = await reductions.active();
  second = await reductions.active();
  all = [];
  for (const [index, status] of [...REDUCTION_STATUSES, ...REDUCTION_STATUSES].entries()) {
    const contract = index < REDUCTION_STATUSES.length ? first : second;
    const type = moduleType(([1, 2, 3, 3, 3] as const)[index % 5] ?? 1);
    reductions.contracts.clock.advance(1);
    const from = '2026-11-01T00:00:00+01:00';
    const dates = {
      ...((status === 'activated' || status === 'ended') && { valid_from: from }),
      ...(status === 'ended' && { valid_until: from }),
    };
    all.unshift(await reductions.stored(contract, type, status, dates));
  }
});
afterAll(() => reductions?.close());

type ShownReduction = {
  id: string;
  status: string;
};

describe('the list', () => {
  test('shows all reductions of the organization, newest first, page by page', async () => {
    const client = await reductions.contracts.client();
    expect(await idsOf(client, `${LIST}?limit=100`)).toEqual(all);
    expect(await idsOfAllPages(client, LIST)).toEqual(all);
    const { body } = await client.get<{ items: unknown[] }>(`${LIST}?limit=1`);
    expect(body.items).toEqual([(await client.get(`${LIST}/${all[0]}`)).body]);
  });

  const fields = {
    status: { type: 'enum', values: REDUCTION_STATUSES },
    customer: { type: 'string' },
    subscription: { type: 'string' },
    created_at: { type: 'date' },
    updated_at: { type: 'date' },
  } as const;

  test('takes every operator of every field', async () => {
    const client = await reductions.contracts.client();
    const { items } = (await client.get<{ items: ShownReduction[] }>(`${LIST}?limit=100`)).body;
    const activated = items.find(({ status }) => status === 'activated');
    if (activated === undefined) throw new Error('None is activated');
    for (const [query, expected] of sampled(filterAnswers(fields, items, activated), 3)) {
      expect(await idsOf(client, `${LIST}?limit=100&${query}`), query).toEqual(expected);
    }
  });

  test.each(sampled(filterRefusals(fields), 5))('%s is refused', async (query, entry) => {
    const client = await reductions.contracts.client();
    expect(refusal(await client.get<ErrorBody>(`${LIST}?${query}`))).toEqual([400, entry]);
  });

  test('filters are the same in every version that has it', async () => {
    for (const version of sampled(['2026-01-29.edison', '2026-05-27.curie', '2026-09-08.gauss'], 2)) {
      const client = await reductions.contracts.client(version);
      const filter = `filter[customer][eq]=${second.place.customer}&filter[status][in]=ordered,ended`;
      expect(await idsOf(client, `${LIST}?${filter}`)).toEqual([all[0], all[3]]);
    }
  });

  test('a read leaves a line in the audit log', async () => {
    const client = await reductions.contracts.client();
    await client.get(LIST);
    await client.get(`${LIST}/${all[0]}`);
    const routes = async () =>
      (await auditRows(reductions.api, reductions.organization, 'personal_data.read'))
        .filter(({ object_id }) => object_id === null || object_id === all[0])
        .map(({ route }) => route);
    await expect
      .poll(routes)
      .toEqual(expect.arrayContaining(['GET /grid-fee-reductions', 'GET /grid-fee-reductions/{id}']));
  });
});

describe('who', () => {
  test('a customer sees the own ones, also when a filter names somebody else', async () => {
    const { api, organization } = reductions;
    const credentials = await createClient(api.deps, organization, { customer_id: second.place.customer });
    const customer = api.client(await tokenFor(api, credentials));
    expect(await idsOf(customer, `${LIST}?limit=100`)).toEqual(all.slice(0, 5));
    expect(await idsOf(customer, `${LIST}?filter[customer][eq]=${first.place.customer}`)).toEqual([]);
    expect((await customer.get(`${LIST}/${all[0]}`)).status).toBe(200);
    expect((await customer.get(`${LIST}/${all[9]}`)).status).toBe(404);
  });

  test('a stranger sees none', async () => {
    const stranger = reductions.api.client((await createTenant(reductions.api)).token);
    expect(await idsOf(stranger, LIST)).toEqual([]);
    for (const id of [all[0], 'gfr_000000000000000000000000', 'x']) {
      expect((await stranger.get(`${LIST}/${id}`)).status).toBe(404);
    }
  });

  test('no request moves, changes or removes one', async () => {
    const client = await reductions.contracts.client();
    const state = () => storedRows(reductions.api, 'SELECT * FROM grid_fee_reductions ORDER BY id');
    const before = await state();
    for (const id of sampled(all, 10)) {
      for (const method of ['PATCH', 'PUT', 'DELETE', 'POST']) {
        const answer = await client.request(method, `${LIST}/${id}`, { body: { status: 'activated' } });
        expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      }
      for (const verb of ['accept', 'reject', 'end', 'activate']) {
        expect((await client.post(`${LIST}/${id}/${verb}`, {})).status).toBe(404);
      }
    }
    expect(await state()).toEqual(before);
  });
});
