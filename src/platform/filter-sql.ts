import { type ReferenceExpression, type SelectQueryBuilder, sql } from 'kysely';
import type { FilterOperator, ListFilter } from './filters.ts';

/**
 * Where the fields of a list stand in its query. A field that ignores case stands in a column that is in lower case: under
 * row-level security a condition on lower(…) finds no index.
 */
export type FilterColumns<Database, Table extends keyof Database> = Readonly<
  Record<string, ReferenceExpression<Database, Table>>
>;

type Comparison = '=' | '<>' | '>' | '>=' | '<' | '<=';

const COMPARISONS: Partial<Record<FilterOperator, Comparison>> = {
  eq: '=',
  ne: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};

/** Adds every filter to the query; all of them must hold. `ne` does not match null, as in SQL. */
export function applyFilters<Database, Table extends keyof Database, Row>(
  query: SelectQueryBuilder<Database, Table, Row>,
  filters: readonly ListFilter[],
  columns: FilterColumns<Database, Table>,
): SelectQueryBuilder<Database, Table, Row> {
  return filters.reduce((current, filter) => {
    const column = columns[filter.field];
    if (column === undefined) throw new Error(`The list has no column for the filter field ${filter.field}`);
    return current.where((builder) => conditionOf(filter, sql`${builder.ref(column as never)}`));
  }, query);
}

type Sql = ReturnType<typeof sql>;

function conditionOf(filter: ListFilter, column: Sql) {
  const { operator, value } = filter;
  if (operator === 'is_null') {
    return value === true ? sql<boolean>`${column} is null` : sql<boolean>`${column} is not null`;
  }
  if (operator === 'in') return sql<boolean>`${column} = any(${inArray(filter)})`;
  const comparison = COMPARISONS[operator];
  if (comparison === undefined) {
    return sql<boolean>`${column} ilike ${likePattern(operator, String(value))}`;
  }
  return sql<boolean>`${column} ${COMPARISON_TEXTS[comparison]} ${oneValue(filter)}`;
}

const COMPARISON_TEXTS: Readonly<Record<Comparison, Sql>> = {
  '=': sql`=`,
  '<>': sql`<>`,
  '>': sql`>`,
  '>=': sql`>=`,
  '<': sql`<`,
  '<=': sql`<=`,
};

/*
 * Numbers go as numeric: without the cast the server would read `1.5` for an integer column as an integer and fail.
 */
function oneValue(filter: ListFilter): Sql {
  const { type, value } = filter;
  if (type === 'number') return sql`${String(value)}::numeric`;
  if (type === 'date') return sql`${value}::timestamptz`;
  if (type === 'boolean') return sql`${value}::boolean`;
  return filter.ignoreCase === true ? sql`lower(${value}::text)` : sql`${value}::text`;
}

function inArray(filter: ListFilter): Sql {
  const texts = (filter.value as readonly (string | number)[]).map(String);
  if (filter.type === 'number') return sql`${texts}::numeric[]`;
  if (filter.ignoreCase === true) return sql`array(select lower(one) from unnest(${texts}::text[]) as one)`;
  return sql`${texts}::text[]`;
}

/** `%`, `_` and the backslash stand for themselves in what a caller sends. */
function likePattern(operator: FilterOperator, text: string): string {
  const literal = text.replaceAll(/[\\%_]/g, '\\$&');
  if (operator === 'starts_with') return `${literal}%`;
  if (operator === 'ends_with') return `%${literal}`;
  return `%${literal}%`;
}
