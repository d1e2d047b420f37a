import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { berlinMidnight } from '../../../src/platform/time/berlin-calendar.ts';
import { createClient, tokenFor } from '../../setup/factories.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { moduleType, Reductions } from './reductions.ts';

const NOW = '2026-11-23T08:30:00.000Z';

const withdrawn = {
  terminated_at: NOW,
  termination_reason: 'WITHDRAWAL' as const,
  end_at: berlinMidnight('2026-12-01'),
};

let reductions: Reductions;
beforeAll(async () => {
  reductions = await Reductions.start(NOW);
});
afterAll(() => reductions?.close());

describe('what is ordered', () => {
  test('for an active subscription is ordered, with one audit line and no event', async () => {
    const contract = await reductions.active();
    const before = await reductions.countEvents();
    const answer = await reductions.order(contract, moduleType(1));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      object: 'grid_fee_reduction',
      id: expect.stringMatching(/^gfr_[0-9a-z]{24}$/),
      customer: contract.place.customer,
      subscription: contract.id,
      type: 'enwg-14a-module-1',
      status: 'ordered',
      valid_from: null,
      valid_until: null,
      created_at: NOW,
      updated_at: NOW,
    });
    const lines = await auditRows(reductions.api, reductions.organization, 'grid_fee_reduction.');
    expect(lines.filter(({ object_id }) => object_id === answer.body.id)).toEqual([
      expect.objectContaining({
        act: 'grid_fee_reduction.create',
        client_id: reductions.contracts.credentials.client_id,
        route: 'POST /grid-fee-reductions',
        result: 'done',
        request_id: answer.headers.get('x-request-id'),
      }),
    ]);
    expect(await reductions.countEvents()).toBe(before);
  });

  test.each([
    ['not confirmed', {}],
    ['confirmed', { start_at: berlinMidnight('2027-01-01'), confirmed_at: NOW }],
    ['withdrawn from', { ...withdrawn, start_at: berlinMidnight('2027-01-01'), confirmed_at: NOW }],
  ])('for a pending subscription that is %s is intended', async (_how, input) => {
    const answer = await reductions.order(await reductions.pending(input), moduleType(1));
    expect(answer.body).toMatchObject({ status: 'intended', valid_from: null, valid_until: null });
  });

  test('in edison the answer does not name the customer', async () => {
    const contract = await reductions.active();
    const { body } = await reductions.order(contract, moduleType(1), '2026-01-29.edison');
    expect(Object.keys(body).sort()).toEqual(
      [
        ...['created_at', 'id', 'object', 'status', 'subscription'],
        ...['type', 'updated_at', 'valid_from', 'valid_until'],
      ].sort(),
    );
  });

  test('a key repeats the first answer, and with another body it is a conflict', async () => {
    const contract = await reductions.active();
    const client = await reductions.contracts.client();
    const headers = { 'idempotency-key': `reduction-${contract.id}` };
    const body = { subscription: contract.id, type: moduleType(1) };
    const first = await client.post('/grid-fee-reductions', body, { headers });
    const again = await client.post('/grid-fee-reductions', body, { headers });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = { ...body, type: moduleType(3) };
    expect((await client.post('/grid-fee-reductions', other, { headers })).status).toBe(409);
    expect(await reductions.rowsOf(contract)).toHaveLength(1);
  });

  test('a refused attempt keeps nothing under its key', async () => {
    const contract = await reductions.active();
    const client = await reductions.contracts.client();
    const headers = { 'idempotency-key': `refused-${contract.id}` };
    const body = { subscription: contract.id, type: moduleType(3) };
    expect((await client.post('/grid-fee-reductions', body, { headers })).status).toBe(400);
    await reductions.stored(contract, moduleType(1), 'ordered');
    expect((await client.post('/grid-fee-reductions', body, { headers })).status).toBe(200);
  });
});

describe('validation', () => {
  test.each([
    [{ subscription: undefined }, [400, 'invalid_type subscription']],
    [{ subscription: null }, [400, 'invalid_type subscription']],
    [{ subscription: 7 }, [400, 'invalid_type subscription']],
    [{ subscription: '' }, [400, 'too_small subscription']],
    [{ subscription: 'x'.repeat(256) }, [400, 'too_big subscription']],
    [{ type: undefined }, [400, 'invalid_type type']],
    [{ type: null }, [400, 'invalid_type type']],
    [{ type: 1 }, [400, 'invalid_type type']],
    [{ type: 'module-1' }, [422, 'invalid_value type']],
    [{ type: 'enwg-14a-module-4' }, [422, 'invalid_value type']],
    [{ type: 'module-1', subscription: 7 }, [400, 'invalid_type subscription', 'invalid_value type']],
  ])('%j is refused', async (change, expected) => {
    const contract = await reductions.active();
    const client = await reductions.contracts.client();
    const body = { subscription: contract.id, type: moduleType(1), ...change };
    expect(refusal(await client.post<ErrorBody>('/grid-fee-reductions', body))).toEqual(expected);
    expect(await reductions.rowsOf(contract)).toEqual([]);
  });

  test.each(['sub_000000000000000000000000', 'nothing', 'cus_000000000000000000000000'])(
    'the unknown subscription %s is not found, whatever else is wrong',
    async (id) => {
      const answer = await reductions.order({ id }, moduleType(3));
      expect([answer.status, answer.body.message]).toEqual([404, 'Resource not found']);
    },
  );

  test('a token of a customer orders nothing', async () => {
    const contract = await reductions.active();
    const { customer } = contract.place;
    const credentials = await createClient(reductions.api.deps, reductions.organization, {
      customer_id: customer,
    });
    const client = reductions.api.client(await tokenFor(reductions.api, credentials));
    const body = { subscription: contract.id, type: moduleType(1) };
    const answer = await client.post<ErrorBody>('/grid-fee-reductions', body);
    expect([answer.status, answer.body.message]).toEqual([
      403,
      'This token acts for one customer and cannot be used here',
    ]);
  });
});
