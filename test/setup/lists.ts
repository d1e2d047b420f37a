import type { FieldType, FilterFields, FilterOperator } from '../../src/platform/interface/filters.ts';
import type { ApiClient } from './client.ts';

interface List {
  items: { id: string }[];
  next_page?: string | null;
}

/** The ids of one page. */
export async function idsOf(client: ApiClient, path: string): Promise<string[]> {
  const answer = await client.get<List>(path);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.items.map(({ id }) => id);
}

/** The ids of all pages of two, in their order; something happens between the pages. */
export async function idsOfAllPages(
  client: ApiClient,
  path: string,
  between: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const seen: string[] = [];
  let cursor = '';
  do {
    const answer = await client.get<List>(`${path}?limit=2${cursor}`);
    if (answer.status !== 200) throw new Error(answer.text);
    seen.push(...answer.body.items.map(({ id }) => id));
    const { next_page = null } = answer.body;
    cursor = next_page === null ? '' : `&cursor=${next_page}`;
    if (cursor !== '') await between();
  } while (cursor !== '');
  return seen;
}

const ACCEPTED: Readonly<Record<FieldType, readonly FilterOperator[]>> = {
  string: ['eq', 'ne', 'in', 'is_null', 'contains', 'starts_with', 'ends_with'],
  number: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'is_null'],
  date: ['gte', 'lte', 'is_null'],
  boolean: ['eq', 'is_null'],
  enum: ['eq', 'ne', 'in'],
};
const OPERATORS = [...ACCEPTED.string, 'gt', 'gte', 'lt', 'lte'] as const;

/** Every way to get the filters of a list wrong: the query, and the code and field of the entry that refuses it. */
export function filterRefusals(fields: FilterFields): [query: string, entry: string][] {
  const refusals: [string, string][] = [
    ['filter=x', 'invalid_key filter'],
    ['filter[a]=x', 'invalid_key filter[a]'],
    ['filter[a][b][c]=x', 'invalid_key filter[a][b][c]'],
    ['filter[no_such_field][eq]=x', 'unrecognized_keys filter[no_such_field][eq]'],
    ['filter[constructor][eq]=x', 'unrecognized_keys filter[constructor][eq]'],
  ];
  for (const [name, { type }] of Object.entries(fields)) {
    const filter = (operator: string) => `filter[${name}][${operator}]`;
    const add = (code: string, operator: string, value: string) =>
      refusals.push([`${filter(operator)}=${value}`, `${code} ${filter(operator)}`]);
    for (const operator of OPERATORS) {
      if (!ACCEPTED[type].includes(operator)) add('unrecognized_keys', operator, 'x');
    }
    add('unrecognized_keys', 'like', 'x');
    if (type !== 'enum') add('invalid_value', 'is_null', 'perhaps');
    if (type === 'date') {
      const instant = '2026-11-01T00:00:00Z';
      add('invalid_value', 'gte', '2026-11-01');
      add('invalid_value', 'lte', '2026-11-01T00:00:00');
      refusals.push([`${filter('gte')}=${instant}&${filter('gte')}=${instant}`, `custom ${filter('gte')}`]);
    }
    if (type === 'string') {
      add('invalid_value', 'eq', 'x'.repeat(256));
      add('invalid_value', 'in', Array.from({ length: 101 }, () => 'x').join(','));
      add('invalid_value', 'contains', '%00');
      refusals.push([`${filter('eq')}=a&${filter('ne')}=b`, `custom ${filter('ne')}`]);
      refusals.push([`${filter('in')}=a&${filter('eq')}=b`, `custom ${filter('eq')}`]);
      refusals.push([`${filter('contains')}=a&${filter('contains')}=a`, `custom ${filter('contains')}`]);
    }
  }
  return refusals;
}

type Item = Readonly<Record<string, unknown>> & { readonly id: string };

/** To the microsecond, so that texts compare as instants. */
const instant = (text: unknown) => String(text).slice(0, -1).padEnd(26, '0');

/**
 * Every operator of the fields, asked with what one of the items has: the query, and the ids that belong into the answer,
 * in the order of the items.
 */
export function filterAnswers(
  fields: FilterFields,
  items: readonly Item[],
  reference: Item,
): [query: string, ids: string[]][] {
  const answers: [string, string[]][] = [];
  for (const [name, { type }] of Object.entries(fields)) {
    const text = String(reference[name]);
    const lower = (item: Item) => String(item[name]).toLowerCase();
    const add = (operator: FilterOperator, value: string, belongs: (item: Item) => boolean) => {
      const ids = items.filter(belongs).map(({ id }) => id);
      answers.push([`filter[${name}][${operator}]=${encodeURIComponent(value)}`, ids]);
    };
    const isOne = (item: Item) => item[name] === reference[name];
    const rules: Partial<Record<FilterOperator, () => void>> = {
      eq: () => add('eq', text, isOne),
      ne: () => add('ne', text, (item) => !isOne(item)),
      in: () => {
        add('in', text, isOne);
        add('in', '', () => false);
      },
      is_null: () => {
        add('is_null', 'true', (item) => item[name] === null);
        add('is_null', 'false', (item) => item[name] !== null);
      },
      contains: () => {
        const part = text.slice(1, -1);
        add('contains', part.toUpperCase(), (item) => lower(item).includes(part.toLowerCase()));
      },
      starts_with: () => {
        const part = text.slice(0, -1);
        add('starts_with', part.toUpperCase(), (item) => lower(item).startsWith(part.toLowerCase()));
      },
      ends_with: () => {
        const part = text.slice(1);
        add('ends_with', part.toUpperCase(), (item) => lower(item).endsWith(part.toLowerCase()));
      },
      gte: () => add('gte', text, (item) => instant(item[name]) >= instant(text)),
      lte: () => add('lte', text, (item) => instant(item[name]) <= instant(text)),
    };
    for (const operator of ACCEPTED[type]) rules[operator]?.();
  }
  return answers;
}
