import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { forgetReferenceRevisions } from '../../../src/tariffs/reference-data/service.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { amounts, type PricedContract, runs, takePriced } from './priced.ts';

const priced = await takePriced('2026-11-20T12:00:00+01:00');
const DAY = '2026-11-18';
let contract: PricedContract;

beforeAll(async () => {
  contract = await priced.contract();
  await priced.store(DAY, '93.28');
});
afterAll(() => priced.close());

async function tagOf(supply: PricedContract = contract, first = DAY, last = first): Promise<string> {
  return (await priced.prices(supply, first, last)).headers.get('etag') ?? '';
}

/** Asks with the tag from before; gives what came. */
async function changedBy(change: () => Promise<unknown>, supply: PricedContract = contract) {
  const etag = await tagOf(supply);
  const condition = { 'if-none-match': etag };
  expect((await priced.prices(supply, DAY, DAY, condition)).status).toBe(304);
  await change();
  const answer = () => priced.prices(supply, DAY, DAY, condition);
  /* Figures of the reference data are kept for seconds. */
  await expect.poll(async () => (await answer()).status).toBe(200);
  const changed = await answer();
  expect(changed.headers.get('etag')).not.toBe(etag);
  return changed;
}

test('the tag is strong and answered with 304 and an empty body while nothing changed', async () => {
  const first = await priced.prices(contract, DAY);
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"2026-09-08\.[\w-]{27}(-gzip)?"$/);
  const again = await priced.prices(contract, DAY, DAY, { 'if-none-match': etag });
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
  for (const { headers } of [first, again]) {
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('link')).toBe(
      `<${priced.api.baseUrl}/docs/data-sources>; rel="license"; title="local: prices of a feed on this machine, no market prices"`,
    );
    expect(headers.get('vary')).toBe('Authorization, X-API-Version, Accept, Accept-Encoding');
  }
});

test('contracts with the same prices, periods and versions have tags of their own', async () => {
  const twin = await priced.contract();
  const tags = [
    await tagOf(),
    await tagOf(twin),
    await tagOf(contract, '2026-11-17', DAY),
    await tagOf(contract, '2026-11-17'),
  ];
  for (const version of VERSION_NAMES) {
    const client = await priced.client(version);
    const path = `/subscriptions/${contract.id}/prices?start=${DAY}&end=${DAY}`;
    tags.push((await client.get(path)).headers.get('etag') ?? '');
  }
  /* The first is of the version that clients have without asking. */
  expect(new Set(tags).size).toBe(4 + VERSION_NAMES.length - 1);
});

describe('another tag and another answer follows', () => {
  test('a revised price', async () => {
    const answer = await changedBy(() => priced.store(DAY, (index) => (index === 4 ? '-12.34' : '93.28')));
    expect(runs(amounts(answer, 'electricity'))).toEqual(['4 × 13.24232', '1 × 0.67354', '91 × 13.24232']);
  });

  test('an import of price lists', async () => {
    const answer = await changedBy(async () => {
      await storedRows(
        priced.api,
        "UPDATE grid_fees SET working_ct_net = 8.46 WHERE operator = 'stromnetz-berlin'",
      );
      /* As if the seconds were over for which figures are kept. */
      forgetReferenceRevisions();
    });
    expect(runs(amounts(answer, 'grid'))).toEqual(['96 × 10.0674']);
  });

  test('other terms of the plan', async () => {
    const answer = await changedBy(() =>
      storedRows(priced.api, 'UPDATE plan_terms SET margin_ct_net = 2.8 WHERE plan_id = $1', [contract.plan]),
    );
    expect(amounts(answer, 'electricity')[0]).toBe(14.43232);
  });

  test('a reduction of the grid fee, and its end', async () => {
    const answer = await changedBy(() => priced.reduce(contract, 2, '2026-11-01'));
    expect(runs(amounts(answer, 'grid'))).toEqual(['96 × 3.5462']);
    const ended = await changedBy(() =>
      storedRows(
        priced.api,
        "UPDATE grid_fee_reductions SET status = 'ended', valid_until = '2026-11-18T11:00Z' WHERE subscription_id = $1",
        [contract.id],
      ),
    );
    expect(runs(amounts(ended, 'grid'))).toEqual(['48 × 3.5462', '48 × 10.0674']);
  });

  test('an end of the contract', async () => {
    const supply = await priced.contract();
    const end = () =>
      storedRows(priced.api, 'UPDATE subscriptions SET end_at = $2 WHERE id = $1', [
        supply.id,
        '2026-11-17T23:00:00Z',
      ]);
    expect((await changedBy(end, supply)).body.items).toBe(null);
  });

  test('the plant of a feed-in contract', async () => {
    const fed = await priced.contract({
      type: 'feed_in',
      terms: [{ feed_in_kind: 'eeg', feed_in_ct_net: null, feed_in_scope: 'partial', feed_in_up_to_kw: 10 }],
    });
    const answer = await changedBy(
      () => storedRows(priced.api, 'UPDATE subscriptions SET plant_size_kw = 20 WHERE id = $1', [fed.id]),
      fed,
    );
    /* (10 × 7.70 + 10 × 6.66) / 20 × 1.19 */
    expect(runs(amounts(answer))).toEqual(['96 × 8.5442']);
  });
});

test('contracts with the same terms share what was encoded, and each has its own supply', async () => {
  const [whole, half] = [
    await priced.contract(),
    await priced.contract({ end_at: '2026-11-18T11:00:00Z', status: 'ended' }),
  ];
  const [first, second] = [await priced.prices(whole, DAY), await priced.prices(half, DAY)];
  expect([first.body.subscription, second.body.subscription]).toEqual([whole.id, half.id]);
  expect(second.body.items).toEqual(first.body.items?.slice(0, 48));
});

test('no cache keeps an answer, whether prices are missing, complete or settled', async () => {
  for (const day of ['2026-11-11', '2026-11-12', '2026-11-13']) await priced.store(day, '50');
  for (const first of ['2026-11-10', '2026-11-11', '2026-11-13', '2026-11-21']) {
    const { headers } = await priced.prices(contract, first);
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', expect.any(String)]);
  }
});

test('prices made of price lists that have ended name their tables, and only those that they are made of', async () => {
  priced.clock.set('2027-01-01T12:00:00+01:00');
  const [none, module3] = [await priced.contract(), await priced.contract({ zip: '45468' })];
  await priced.reduce(module3, 1, '2026-01-01');
  await priced.reduce(module3, 3, '2026-01-01');
  const eeg = { feed_in_kind: 'eeg', feed_in_up_to_kw: 10 } as const;
  const feedIn = await priced.contract({ type: 'feed_in', terms: [eeg] });
  const link = async (supply: PricedContract, first: string) =>
    (await priced.prices(supply, first, '2027-01-01')).headers.get('link')?.split(', <').slice(1);
  const carried = (...tables: string[]) => [
    `${priced.api.deps.config.docsBase}/quotes#carried-forward>; rel="describedby"; ` +
      `title="carried forward, newer rows are missing: ${tables.map((table) => `${table} until 2027-01-01`).join(', ')}"`,
  ];
  expect(await link(none, '2026-12-01')).toEqual(carried('grid_fees', 'levies'));
  expect(await link(module3, '2027-01-01')).toEqual(carried('grid_fee_schedules', 'grid_fees', 'levies'));
  expect(await link(feedIn, '2027-01-01')).toEqual([]);
});
