import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiRoutes } from '../../../src/api/app.ts';
import { NEWEST_VERSION } from '../../../src/config/versions.ts';
import { type CustomerTokens, routeName } from '../../../src/platform/interface/route.ts';
import { projectFolder } from '../../rules/project-files.ts';
import { startApi } from '../../setup/api.ts';
import type { RouteRow, Whose } from './row.ts';
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

/** Table and column. */
const personalColumns = new Set(
  Array.from(
    readFileSync(join(projectFolder, 'sql/schema.sql'), 'utf8').matchAll(
      /^COMMENT ON COLUMN public\.(\S+) IS '.*Personal/gm,
    ),
    ([, column]) => column,
  ),
);

test('who reads what belongs to a customer, or a personal column, is kept in the audit log', async () => {
  const api = await startApi();
  const reads = apiRoutes(api.deps).filter(({ method }) => method === 'GET');
  await api.close();
  expect(personalColumns.size).toBeGreaterThan(30);
  const isPersonal = (path: string, { whose, shows }: RouteRow) => {
    const [, noun = ''] = path.split('/');
    const fields = [shows.fields, ...Object.values(shows.fieldsSince ?? {})].join(' ').split(' ');
    return (
      whose === 'customer' ||
      fields.some((field) => personalColumns.has(`${noun.replaceAll('-', '_')}.${field}`))
    );
  };
  for (const route of reads) {
    const name = routeName(route);
    expect([name, route.readsPersonalData === true]).toEqual([name, isPersonal(route.path, rowOf(name))]);
  }
});
