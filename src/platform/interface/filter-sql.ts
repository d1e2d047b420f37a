import { type ReferenceExpression, type SelectQueryBuilder, sql } from 'kysely';
import { type FilterOperator, type ListFilter, SEARCHES } from './filters.ts';

/**
 * Where a field of a list stands in its query. A field that ignores case stands in a column that is in lower case: under
 * row-level security a condition on lower(…) finds no index.
 */
type FilterColumn<Database, Table extends keyof Database> =
  | ReferenceExpression<Database, Table>
  | {
      exact: ReferenceExpression<Database, Table>;
      /** In lower case and Unicode form NFC: what `contains`, `starts_with` and `ends_with` look at. */
      search: ReferenceExpression<Database, Table>;
    };

/** A plain column is searched as it stands: its values (ids, states, digits) have no upper case. */
export type FilterColumns<Database, Table extends keyof Database> = Readonly<
  Record<string, FilterColumn<Database, Table>>
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
    const isPair = typeof column === 'object' && 'search' in column;
    const place = isPair ? (SEARCHES.has(filter.operator) ? column.search : column.exact) : column;
    return current.where((builder) => conditionOf(filter, sql`${builder.ref(place as never)}`));
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
    return sql<boolean>`${column} like lower(normalize(${likePattern(operator, String(value))}::text, NFC))`;
  }
  /* Two ranges of an index. For `<>` the whole list would be read when nearly all of it has this value. */
  if (comparison === '<>') {
    return sql<boolean>`(${column} < ${oneValue(filter)} or ${column} > ${oneValue(filter)})`;
  }
  return sql<boolean>`${column} ${COMPARISON_TEXTS[comparison]} ${oneValue(filter)}`;
}

const COMPARISON_TEXTS: Readonly<Record<Exclude<Comparison, '<>'>, Sql>> = {
  '=': sql`=`,
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
  if (filter.ignoreCase === true) return sql`array(select lower(item) from unnest(${texts}::text[]) as item)`;
  return sql`${texts}::text[]`;
}

/** `%`, `_` and the backslash stand for themselves in what a caller sends. */
function likePattern(operator: FilterOperator, text: string): string {
  const literal = text.replaceAll(/[\\%_]/g, '\\$&');
  if (operator === 'starts_with') return `${literal}%`;
  if (operator === 'ends_with') return `%${literal}`;
  return `%${literal}%`;
}
