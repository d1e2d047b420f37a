import { expect, test } from 'vitest';
import { apiRoutes } from '../../../src/api/app.ts';
import { NEWEST_VERSION } from '../../../src/config/versions.ts';
import { type CustomerTokens, routeName } from '../../../src/platform/interface/route.ts';
import { startApi } from '../../setup/api.ts';
import type { Whose } from './row.ts';
import { availabilityOf, rowOf, tableRows } from './table.ts';

const CUSTOMER_TOKENS: Readonly<Record<Whose, CustomerTokens>> = {
  customer: 'own',
  organization: 'all',
  staff: 'no',
  public: 'no',
};

test('every route of the service is in the table exactly once, and says what the service says of it', async () => {
  const api = await startApi();
  const routes = apiRoutes(api.deps);
  await api.close();
  expect(tableRows.map(([name]) => name).toSorted()).toEqual(routes.map(routeName).toSorted());
  for (const route of routes) {
    const name = routeName(route);
    const { whose, body, bodies, references } = rowOf(name);
    expect([name, CUSTOMER_TOKENS[whose]]).toEqual([name, route.customerTokens]);
    const takesBody = route.body !== undefined;
    const isNewest = availabilityOf(name, NEWEST_VERSION) === 'there';
    expect([name, body !== undefined, references !== undefined]).toEqual([name, takesBody, takesBody]);
    /* What older versions alone have takes the same fields under another path. */
    expect([name, bodies !== undefined]).toEqual([name, takesBody && isNewest]);
  }
});
