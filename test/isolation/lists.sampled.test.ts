import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorEntry } from '../../src/platform/errors.ts';
import { FILTER_OPERATORS, type FilterOperator } from '../../src/platform/interface/filters.ts';
import type { RouteName } from '../../src/platform/interface/route.ts';
import { missingIds } from '../routes/table/place.ts';
import type { ListRow } from '../routes/table/row.ts';
import { routeNames, rowOf } from '../routes/table/table.ts';
import type { ApiClient } from '../setup/client.ts';
import { sampled } from '../setup/tier.ts';
import {
  type Fixture,
  isForbidden,
  leaks,
  type PlaceName,
  seenOn,
  startFixture,
  TOKEN_NAMES,
  told,
} from './fixture.ts';

interface List {
  items: Record<string, unknown>[];
  next_page: string | null;
  errors?: ErrorEntry[];
}

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.close());

const listNames = routeNames.filter((name) => rowOf(name).list !== undefined);

function listOf(name: RouteName): ListRow {
  const { list } = rowOf(name);
  if (list === undefined) throw new Error(`${name} is no list`);
  return list;
}

const allHouseholds = () => Object.values(fixture.places).flatMap(({ households }) => households);

/** Every item, page by page. */
async function itemsOf(client: ApiClient, path: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let cursor = '';
  do {
    const answer = await client.get<List>(`${path}limit=3${cursor}`);
    if (answer.status !== 200) throw new Error(answer.text);
    items.push(...answer.body.items);
    cursor = answer.body.next_page === null ? '' : `&cursor=${answer.body.next_page}`;
  } while (cursor !== '');
  return items;
}

function shownTo(list: ListRow, sees: readonly PlaceName[]): unknown[] {
  return sees.flatMap((name) => list.shown(fixture.places[name])).toSorted();
}

test('every list of the interface and every string filter of it has its row', () => {
  /* What belongs to nobody is not told apart by whose it is. */
  const ofSomebody = ([name]: [RouteName, unknown]) => rowOf(name).whose !== 'public';
  /* Another list for every id in the path, which the tests of all routes look after. */
  const hasPlace = ([name]: [RouteName, unknown]) => name.includes('{');
  const lists = [...fixture.routes]
    .filter(([, route]) => route.list !== undefined)
    .filter(ofSomebody)
    .filter((route) => !hasPlace(route));
  expect(lists.map(([name]) => name).toSorted()).toEqual(listNames.toSorted());
  for (const [name, route] of lists) {
    const fields = Object.entries(route.list?.filters ?? {}).filter(([, { type }]) => type === 'string');
    const { filters, words } = listOf(name);
    expect(Object.keys({ ...filters, ...words }).toSorted(), name).toEqual(
      fields.map(([field]) => field).toSorted(),
    );
  }
});

describe.each(listNames)('%s', (name) => {
  test.each(TOKEN_NAMES)(
    'I02 with the token %s holds everything of its own and nothing else',
    async (tokenName) => {
      const { client } = fixture.tokens[tokenName];
      const sees = seenOn(fixture, name, tokenName);
      const list = listOf(name);
      if (isForbidden(fixture, name, tokenName)) {
        expect((await client.get(list.all(allHouseholds()))).status).toBe(403);
        return;
      }
      const items = await itemsOf(client, list.all(allHouseholds()));
      expect(items.map(list.idOf).toSorted()).toEqual(shownTo(list, sees));
      expect(leaks(JSON.stringify(items), fixture.places, sees)).toEqual([]);
    },
  );

  /* By `npm test` one token of an organization and the one of a customer, each with one stranger of every kind. */
  test.each(sampled(TOKEN_NAMES, 2))('I03 I09 filters widen nothing for the token %s', async (tokenName) => {
    if (isForbidden(fixture, name, tokenName)) return;
    const { client } = fixture.tokens[tokenName];
    const sees = seenOn(fixture, name, tokenName);
    const list = listOf(name);
    const own = fixture.places[sees[0] ?? 'a1'];
    const foreign = sampled(
      Object.entries(fixture.places).filter(([place]) => !sees.includes(place as PlaceName)),
      2,
    );
    const askFor = (field: string) => {
      const base = isRequired(name, field) ? barePath(name) : list.all(allHouseholds());
      const answerTo = (operator: FilterOperator, value: string) =>
        client.get<List>(`${base}limit=100&filter[${field}][${operator}]=${encodeURIComponent(value)}`);
      const found = async (operator: FilterOperator, value: string) => {
        const answer = await answerTo(operator, value);
        expect(answer.status, answer.text).toBe(200);
        expect(leaks(answer.text, fixture.places, sees)).toEqual([]);
        return answer.body.items.map(list.idOf).toSorted();
      };
      const showsOnlyOwn = async (value: string) => {
        const operators = sampled(operatorsOf(name, field), 3, Object.keys(list.filters).indexOf(field) + 1);
        for (const operator of operators) {
          const shown = await found(operator, operator === 'is_null' ? 'false' : value);
          expect(shown.filter((id) => !shownTo(list, sees).includes(id))).toEqual([]);
        }
      };
      return { answerTo, found, showsOnlyOwn };
    };
    for (const [field, word] of Object.entries(list.words ?? {})) await askFor(field).showsOnlyOwn(word);
    for (const [field, named] of Object.entries(list.filters)) {
      const { answerTo, found, showsOnlyOwn } = askFor(field);
      const ofOwn = await found('eq', named(own));
      expect(ofOwn.length).toBeGreaterThan(0);
      for (const [, place] of foreign) {
        const theirs = await answerTo('eq', named(place));
        expect(told(theirs)).toEqual(told(await answerTo('eq', named(missingIds()))));
        expect(theirs.body.items).toEqual([]);
        if (operatorsOf(name, field).includes('in')) {
          expect(await found('in', `${named(place)},${named(own)}`)).toEqual(ofOwn);
        }
        await showsOnlyOwn(named(place));
      }
    }
  });

  test('I05 a cursor is good for the organization and the customer it was made for, and for nobody else', async () => {
    const { tokens, places } = fixture;
    const page = (households: readonly string[]) => `${listOf(name).all(households)}limit=1`;
    const cursorOf = async (client: ApiClient, households: readonly string[]) =>
      (await client.get<List>(page(households))).body.next_page ?? 'none';
    const use = async (client: ApiClient, cursor: string, households: readonly string[]) => {
      const { status, body } = await client.get<List>(`${page(households)}&cursor=${cursor}`);
      return [status, ...(body.errors ?? []).map(({ code, field }) => `${code} ${field}`)];
    };
    const refused = [400, 'custom cursor'];
    const [full, reader, customer, other] = TOKEN_NAMES.map((token) => tokens[token].client) as [
      ApiClient,
      ApiClient,
      ApiClient,
      ApiClient,
    ];
    const [a1, b1] = [places.a1.households, places.b1.households];
    const ofFull = await cursorOf(full, a1);
    expect(await use(full, ofFull, a1)).toEqual([200]);
    expect(await use(reader, ofFull, a1)).toEqual([200]);
    expect(await use(other, ofFull, a1)).toEqual(refused);
    expect(await use(full, await cursorOf(other, b1), b1)).toEqual(refused);
    if (isForbidden(fixture, name, 'customer a1')) return;
    expect(await use(customer, ofFull, a1)).toEqual(refused);
    const ofCustomer = await cursorOf(customer, a1);
    expect(await use(customer, ofCustomer, a1)).toEqual([200]);
    expect(await use(full, ofCustomer, a1)).toEqual(refused);
  });
});

/** One of several filters without which the list is refused: it stands alone then. */
function isRequired(name: RouteName, field: string): boolean {
  return fixture.routes.get(name)?.list?.requiredFilters?.includes(field) ?? false;
}

function barePath(name: RouteName): string {
  return `${name.slice(name.indexOf('/'))}?`;
}

function operatorsOf(name: RouteName, field: string): readonly FilterOperator[] {
  const { operators } = fixture.routes.get(name)?.list?.filters[field] ?? {};
  const ofStrings = FILTER_OPERATORS.filter((operator) => !['gt', 'gte', 'lt', 'lte'].includes(operator));
  return operators ?? ofStrings;
}
