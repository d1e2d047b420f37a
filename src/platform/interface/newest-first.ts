import { type ReferenceExpression, type SelectQueryBuilder, sql } from 'kysely';
import type { Connection, Database } from '../database/db.ts';
import { notFound } from '../errors.ts';
import { applyFilters, type FilterColumns } from './filter-sql.ts';
import type { ListFilter } from './filters.ts';
import type { PagePosition } from './pagination.ts';
import type { ApiRequest, ListRequest, Page } from './route.ts';

/** What a list query must know of its request. */
export type PageRequest = Pick<ListRequest, 'limit' | 'after' | 'filters'>;

/**
 * The page of a list: newest first by (created_at, id), after the cursor's position, with every filter; one row more than
 * the page holds. Each list has an index in this order behind its organization (and customer), so that a page costs the
 * same at any depth: the comparison of the pair is one range of that index.
 */
export function newestFirst<Database, Table extends keyof Database, Row>(
  query: SelectQueryBuilder<Database, Table, Row>,
  list: PageRequest,
  columns: FilterColumns<Database, Table>,
  order: { at: ReferenceExpression<Database, Table>; id: ReferenceExpression<Database, Table> } = {
    at: 'created_at' as never,
    id: 'id' as never,
  },
): SelectQueryBuilder<Database, Table, Row> {
  const page = query
    .orderBy(order.at as never, 'desc')
    .orderBy(order.id as never, 'desc')
    .limit(list.limit + 1);
  const { after } = list;
  const rest =
    after === null
      ? page
      : page.where(
          (builder) =>
            sql<boolean>`(${builder.ref(order.at as never)}, ${builder.ref(order.id as never)}) < (${after.created_at}::timestamptz, ${after.id})`,
        );
  return applyFilters(rest, list.filters, columns);
}

/** The answer of a list handler: the page's rows as they are shown, and where the next page begins. */
export function pageOf<Row extends PagePosition, Item>(
  rows: readonly Row[],
  list: Pick<ListRequest, 'limit' | 'cursorAfter'>,
  shown: (row: Row) => Item,
): Page<Item> {
  const page = rows.slice(0, list.limit);
  const last = page.at(-1);
  return {
    items: page.map(shown),
    next_page: rows.length > page.length && last !== undefined ? list.cursorAfter(last) : null,
  };
}

interface ReadDeps {
  readonly database: Database;
}

type OfCaller = [connection: Connection, organization: string, customer: string | undefined];

/** The handler of a list of what the caller has. */
export const pageHandler =
  <Row extends PagePosition, Item>(
    list: (...of: [...OfCaller, ListRequest]) => Promise<Row[]>,
    shown: (row: Row) => Item,
  ) =>
  async ({ database }: ReadDeps, request: ApiRequest): Promise<Page<Item>> => {
    const { organization, customer } = request.principal;
    const rows = await database.inOrganization(request.principal, (connection) =>
      list(connection, organization, customer, request.list),
    );
    return pageOf(rows, request.list, shown);
  };

/** The handler of one object of the caller's, by the id of the path. */
export const oneHandler =
  <Row, Item>(
    find: (...of: [...OfCaller, id: string]) => Promise<Row | undefined>,
    shown: (row: Row) => Item,
  ) =>
  async ({ database }: ReadDeps, { principal, pathId }: ApiRequest): Promise<Item> => {
    const { organization, customer } = principal;
    const row = await database.inOrganization(principal, (connection) =>
      find(connection, organization, customer, pathId),
    );
    if (row === undefined) throw notFound();
    return shown(row);
  };

/** The newest rows of a list, for the operator: those with these values, where there are any. */
export async function newestRows<Row>(
  values: object,
  limit: number,
  list: (page: PageRequest) => Promise<Row[]>,
): Promise<Row[]> {
  const filters = Object.entries(values).flatMap(([field, value]): ListFilter[] =>
    value === undefined ? [] : [{ field, operator: 'eq', value, type: 'string' }],
  );
  return (await list({ limit, after: null, filters })).slice(0, limit);
}
