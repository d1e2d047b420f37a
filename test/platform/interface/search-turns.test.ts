import { expect, test } from 'vitest';
import { marketPartnerRoutes } from '../../../src/contracts/market-partners/routes.ts';
import { usageRoutes } from '../../../src/contracts/usage/routes.ts';
import type { Deps } from '../../../src/platform/deps.ts';
import { type ListFilter, maySearchAll } from '../../../src/platform/interface/filters.ts';
import { startWireApp, TOKEN } from '../wire-app.ts';

const filter = (field: string, operator: ListFilter['operator']): ListFilter => ({
  ...{ field, operator },
  ...{ value: 'x', type: 'string' },
});

test.each([
  [[], false],
  [[filter('email', 'eq')], false],
  [[filter('email', 'in')], false],
  [[filter('email', 'ne')], false],
  [[filter('created_at', 'gte'), filter('created_at', 'lte')], false],
  [[filter('email', 'contains')], true],
  [[filter('email', 'starts_with')], true],
  [[filter('email', 'ends_with')], true],
  [[filter('status', 'eq'), filter('product', 'eq')], true],
])('%j may make the database look at every row: %j', (filters, expected) => {
  expect(maySearchAll(filters)).toBe(expected);
});

test('a list in which something is searched waits for the turn of its caller, any other does not', async () => {
  const wire = await startWireApp();
  try {
    const release = wire.holdBatches();
    /* As many as one client may have under way. */
    const batches = [1, 2].map(() => wire.post('/batches', `{}${' '.repeat(20_000)}`));
    await expect.poll(() => wire.batchesBegun()).toBe(2);
    const list = async (query: string) => {
      const answer = await fetch(`${wire.baseUrl}/things?${query}`, {
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      return answer.status;
    };
    let searched = 0;
    const search = list('filter[name][contains]=x').finally(() => (searched += 1));
    for (const query of ['', 'filter[name][eq]=x', 'filter[name][ne]=x']) expect(await list(query)).toBe(200);
    expect(searched).toBe(0);
    release();
    expect(await search).toBe(200);
    for (const { status } of await Promise.all(batches)) expect(status).toBe(200);
  } finally {
    await wire.close();
  }
});

test('a search of suppliers waits for a turn, and usage for a short one only where two close days are named', () => {
  const turnOf = (path: string, query: object) =>
    [...marketPartnerRoutes({} as Deps), ...usageRoutes({} as Deps)]
      .find((route) => route.path === path)
      ?.turn?.(query);
  expect(turnOf('/suppliers/search', { name: 'a' })).toBe('long');
  for (const name of ['usage', 'consumption']) {
    const usage = (query: object) => turnOf(`/subscriptions/{id}/${name}`, query);
    expect(usage({ start: '2026-11-01', end: '2026-11-07' })).toBe('short');
    expect(usage({ start: '2026-11-01', end: '2035-01-01' })).toBe('long');
    for (const open of [{}, { start: '2026-11-01' }, { end: '2035-01-01' }]) expect(usage(open)).toBe('long');
  }
});
