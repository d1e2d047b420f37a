import type { ErrorEntry } from '../errors.ts';
import { instantInUtc } from '../time/instant.ts';
import { type QueryPair, UNREADABLE_ENCODING } from './query.ts';

export const FILTER_OPERATORS = [
  'eq',
  'ne',
  'in',
  'is_null',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'starts_with',
  'ends_with',
] as const;

export type FilterOperator = (typeof FILTER_OPERATORS)[number];
export type FilterValue = string | number | boolean | readonly string[] | readonly number[];

export type FieldType = 'string' | 'number' | 'date' | 'boolean' | 'enum';

export interface FilterField {
  type: FieldType;
  /** Allowed values of an enum. */
  values?: readonly string[];
  /** Fewer operators than the type has. */
  operators?: readonly FilterOperator[];
  /** Strings that compare without regard to case (e-mail addresses). */
  ignoreCase?: boolean;
}

export type FilterFields = Readonly<Record<string, FilterField>>;

/** One checked condition; dates are UTC texts to the microsecond. */
export interface ListFilter {
  field: string;
  operator: FilterOperator;
  value: FilterValue;
  type: FieldType;
  ignoreCase?: boolean;
}

const OPERATORS_OF_TYPE: Readonly<Record<FieldType, readonly FilterOperator[]>> = {
  string: ['eq', 'ne', 'in', 'is_null', 'contains', 'starts_with', 'ends_with'],
  number: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'is_null'],
  date: ['gte', 'lte', 'is_null'],
  boolean: ['eq', 'is_null'],
  enum: ['eq', 'ne', 'in'],
};

/** Operators that say which values are wanted: a second one on the same field could only contradict the first. */
const EXCLUSIVE_OPERATORS: readonly FilterOperator[] = ['eq', 'ne', 'in'];

const VALUE_CHARACTERS_MAX = 255;
const IN_VALUES_MAX = 100;
/** More than every operator of every field of a list. */
const FILTERS_MAX = 100;

export function operatorsOf(field: FilterField): readonly FilterOperator[] {
  return field.operators ?? OPERATORS_OF_TYPE[field.type];
}

/** Operators that look for a part of a text. */
export const SEARCHES: ReadonlySet<FilterOperator> = new Set(['contains', 'starts_with', 'ends_with']);

/**
 * Whether these filters may make the database look at every row of a list. An index finds one value, one range, and a part
 * that is rare. A part that nearly all have, and two fields of which only the pair is rare, it cannot find.
 */
export function maySearchAll(filters: readonly ListFilter[]): boolean {
  const [first] = filters;
  return filters.some(({ field, operator }) => field !== first?.field || SEARCHES.has(operator));
}

/** Every parameter whose name begins so is meant as a filter; none is ever ignored. */
export function isFilterName(name: string): boolean {
  return name.startsWith('filter');
}

/**
 * Reads the filters of a list out of the parameters. `required`: at least one of these fields must be filtered. All
 * filters together must hold; one that is refused is left out of `filters` and has its entry.
 */
export function parseFilters(
  pairs: readonly QueryPair[],
  fields: FilterFields,
  required: readonly string[] = [],
): { filters: ListFilter[]; entries: ErrorEntry[] } {
  const filters: ListFilter[] = [];
  const entries: ErrorEntry[] = [];
  const seen = new Set<string>();
  const exclusive = new Set<string>();
  const named = new Set<string>();
  let count = 0;

  for (const pair of pairs) {
    if (!isFilterName(pair.name)) continue;
    const refuse = (code: ErrorEntry['code'], message: string) =>
      entries.push({ code, field: pair.name, message });
    count += 1;
    if (count > FILTERS_MAX) {
      refuse('custom', `More than ${FILTERS_MAX} filters; this one and those behind it were not looked at`);
      break;
    }

    const parts = /^filter\[([^[\]]+)\]\[([^[\]]+)\]$/.exec(pair.name);
    const [, fieldName = '', operatorName = ''] = parts ?? [];
    if (parts === null) {
      refuse('invalid_key', 'Write filters as filter[field][operator]=value');
      continue;
    }
    const field = Object.hasOwn(fields, fieldName) ? fields[fieldName] : undefined;
    if (field === undefined) {
      refuse('unrecognized_keys', unknownField(fields));
      continue;
    }
    named.add(fieldName);
    const operator = operatorsOf(field).find((candidate) => candidate === operatorName);
    if (operator === undefined) {
      refuse('unrecognized_keys', `Unknown operator here. Accepted: ${operatorsOf(field).join(', ')}`);
      continue;
    }
    if (seen.has(pair.name)) {
      refuse('custom', 'Sent more than once');
      continue;
    }
    seen.add(pair.name);
    if (EXCLUSIVE_OPERATORS.includes(operator)) {
      if (exclusive.has(fieldName)) {
        refuse('custom', `Only one of ${EXCLUSIVE_OPERATORS.join(', ')} per field`);
        continue;
      }
      exclusive.add(fieldName);
    }
    const read = readValue(pair, field, operator);
    if (read.problem === undefined) {
      const ignoreCase = field.ignoreCase === true ? { ignoreCase: true } : {};
      filters.push({ field: fieldName, operator, value: read.value, type: field.type, ...ignoreCase });
    } else refuse('invalid_value', read.problem);
  }

  const first = required[0];
  if (first !== undefined && !required.some((name) => named.has(name))) {
    const names = required.map((name) => `filter[${name}]`).join(' or ');
    entries.push({ code: 'custom', field: `filter[${first}]`, message: `Required: ${names}` });
  }
  return { filters, entries };
}

function unknownField(fields: FilterFields): string {
  const names = Object.keys(fields);
  return names.length === 0
    ? 'Nothing can be filtered here'
    : `Unknown field here. Accepted: ${names.join(', ')}`;
}

type ReadFilter = { value: FilterValue; problem?: undefined } | { problem: string };

function readValue(pair: QueryPair, field: FilterField, operator: FilterOperator): ReadFilter {
  if (pair.malformed) return { problem: UNREADABLE_ENCODING };
  /* PostgreSQL refuses this character in a text with an error of its own. */
  if (pair.value.includes('\0')) return { problem: 'The character NUL is not allowed' };
  if (operator === 'is_null') return readBoolean(pair.value, IS_NULL_VALUES);
  if (operator !== 'in') return readOne(pair.value, field);

  if (pair.value === '') return { value: [] };
  const texts = pair.value.split(',');
  if (texts.length > IN_VALUES_MAX) return { problem: `At most ${IN_VALUES_MAX} values` };
  const values: (string | number)[] = [];
  for (const [index, text] of texts.entries()) {
    const read = readOne(text, field);
    if (read.problem !== undefined) return { problem: `Value ${index + 1}: ${read.problem}` };
    values.push(read.value as string | number);
  }
  return { value: values as string[] | number[] };
}

const BOOLEAN_VALUES: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };
const IS_NULL_VALUES: Readonly<Record<string, boolean>> = { true: true, false: false };

function readBoolean(text: string, values: Readonly<Record<string, boolean>>): ReadFilter {
  const value = Object.hasOwn(values, text) ? values[text] : undefined;
  return value === undefined ? { problem: `Accepted: ${Object.keys(values).join(', ')}` } : { value };
}

function readOne(text: string, field: FilterField): ReadFilter {
  if (text.length > VALUE_CHARACTERS_MAX && [...text].length > VALUE_CHARACTERS_MAX) {
    return { problem: `At most ${VALUE_CHARACTERS_MAX} characters` };
  }
  if (field.type === 'string') return { value: text };
  if (field.type === 'boolean') return readBoolean(text, BOOLEAN_VALUES);
  if (field.type === 'number') return readNumber(text);
  if (field.type === 'date') return readInstant(text);
  const values = field.values ?? [];
  return values.includes(text) ? { value: text } : { problem: `Accepted: ${values.join(', ')}` };
}

function readNumber(text: string): ReadFilter {
  const value = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? { value } : { problem: 'Not a number' };
}

function readInstant(text: string): ReadFilter {
  const value = instantInUtc(text);
  if (value !== null) return { value };
  const plusLost = / \d\d:\d\d$/.test(text) ? '; a plus sign in an address is written %2B' : '';
  return { problem: `Not a date-time with time zone (2026-10-05T08:30:00Z)${plusLost}` };
}
