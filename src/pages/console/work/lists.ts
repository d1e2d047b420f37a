import { questionableContracts } from '../../../billing/invoices/corrections/changes.ts';
import { listRefusalsToAct, type RefusalRow } from '../../../billing/invoices/runs/queries.ts';
import { listEntries } from '../../../billing/payments/list.ts';
import { suggestBills } from '../../../billing/payments/suggest.ts';
import { listOrderedReductions } from '../../../contracts/grid-fee-reductions/queries.ts';
import { listMeterOrdersToAct } from '../../../contracts/meter-orders/queries.ts';
import { listNumbersOfSubscriptions, listUnconfirmed } from '../../../contracts/subscriptions/queries.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { dayText, eurosText, momentText } from '../../../platform/http/pages/chart.ts';
import { textOf } from '../../../platform/http/pages/hosted.ts';
import { isId } from '../../../platform/ids.ts';
import { wireSchemas } from '../../../platform/interface/wire-schemas.ts';
import { berlinDayAt, berlinDayOf } from '../../../platform/time/berlin-calendar.ts';
import { instantInUtc } from '../../../platform/time/instant.ts';
import { CONSOLE_PATH, WORK } from '../pages.ts';
import { type Sentence, toldSentence } from '../refusals.ts';
import type { Texts } from '../texts.ts';
import { deadlineText, documentText, isOverdue, noteText, refusalText, suggestionText } from './words.ts';

/*
 * The work that waits for a person. Each list is a range of an index in the order that its hint names, and its rows lead to the act.
 */

interface WorkColumn {
  readonly words: string;
  readonly isNumber?: boolean;
  /** Stays on one line. */
  readonly isShort?: boolean;
}

interface WorkRow {
  readonly name: string;
  readonly address: string;
  /** For the audit log: what leads to the persons whom it is about. */
  readonly whose: readonly string[];
  /** Of each further column; several lines where it is a list. */
  readonly cells: readonly (string | readonly string[] | Sentence)[];
}

/** The values by which the list is ordered, of the last row of a page. */
type Place = readonly string[];

interface ListQuery {
  readonly organization: string;
  readonly after: Place | null;
  readonly rows: number;
  readonly nowMilliseconds: number;
  readonly t: Texts;
}

interface WorkPage {
  readonly rows: readonly WorkRow[];
  /** Behind which the next page begins; null: there is none. */
  readonly next: Place | null;
  readonly note?: string;
}

interface WorkList {
  columns(t: Texts): readonly WorkColumn[];
  /** Whether a value of a place can be one. */
  readonly place: readonly ((text: string) => boolean)[];
  find(connection: Connection, query: ListQuery): Promise<WorkPage>;
}

const isInstantText = (text: string) => instantInUtc(text) !== null;
const wireDay = wireSchemas.date();
const isDay = (text: string) => wireDay.safeParse(text).success;

const PLACE_CHARACTERS_MAX = 200;

/** Null where the address names none that can be: the list begins anew. */
export function placeIn(query: unknown, { place }: Pick<WorkList, 'place'>): Place | null {
  const parts = textOf(query, 'after').slice(0, PLACE_CHARACTERS_MAX).split('~');
  return parts.length === place.length && place.every((isPossible, index) => isPossible(parts[index] ?? ''))
    ? parts
    : null;
}

const queryOfPlace = (place: Place) => `?${new URLSearchParams({ after: place.join('~') })}`;

/** Of one row more than the page has. */
function pageOf<Row>(
  found: readonly Row[],
  rows: number,
  placeOf: (row: Row) => Place,
): { shown: readonly Row[]; next: Place | null } {
  const shown = found.slice(0, rows);
  const last = shown.at(-1);
  return { shown, next: found.length > shown.length && last !== undefined ? placeOf(last) : null };
}

const at = (after: Place | null) =>
  after === null ? null : { created_at: after[0] ?? '', id: after[1] ?? '' };

const contractAddress = (id: string) => `${CONSOLE_PATH}/contracts/${id}`;

const signUps: WorkList = {
  place: [isInstantText, isId],
  columns: (t) => [
    { words: t.work.contract },
    { words: t.work.since, isShort: true },
    { words: t.contract.type },
    { words: t.work.wishedStart, isShort: true },
  ],
  find: async (connection, { organization, after, rows, t }) => {
    const found = await listUnconfirmed(connection, organization, { after: at(after), rowsMax: rows + 1 });
    const { shown, next } = pageOf(found, rows, ({ created_at, id }) => [created_at, id]);
    return {
      next,
      rows: shown.map(({ id, number, created_at, type, intended_start_on }) => ({
        ...{ name: number ?? id, address: contractAddress(id), whose: [id] },
        cells: [
          momentText(created_at, t.lang) ?? '',
          t.contract.types[type],
          dayText(intended_start_on, t.lang),
        ],
      })),
    };
  },
};

const meterOrders: WorkList = {
  place: [isInstantText, isId],
  columns: (t) => [
    { words: t.work.contract },
    { words: t.work.stage },
    { words: t.work.since, isShort: true },
    { words: t.work.product },
  ],
  find: async (connection, { organization, after, rows, nowMilliseconds, t }) => {
    const now = new Date(nowMilliseconds).toISOString();
    const query = { now, after: at(after), rowsMax: rows + 1 };
    const found = await listMeterOrdersToAct(connection, organization, query);
    const { shown, next } = pageOf(found, rows, ({ since, id }) => [since, id]);
    const numbers = await numbersOf(connection, organization, shown);
    return {
      next,
      rows: shown.map(({ id, subscription_id, status, since, product }) => ({
        name: numbers.get(subscription_id) ?? subscription_id,
        ...{ address: `${CONSOLE_PATH}${WORK}/meter-orders/${id}`, whose: [subscription_id] },
        cells: [t.work.stages[status], momentText(since, t.lang) ?? '', product],
      })),
    };
  },
};

const reductions: WorkList = {
  place: [isInstantText, isId],
  columns: (t) => [
    { words: t.work.contract },
    { words: t.work.product },
    { words: t.work.since, isShort: true },
  ],
  find: async (connection, { organization, after, rows, t }) => {
    const query = { after: at(after), rowsMax: rows + 1 };
    const found = await listOrderedReductions(connection, organization, query);
    const { shown, next } = pageOf(found, rows, ({ created_at, id }) => [created_at, id]);
    const numbers = await numbersOf(connection, organization, shown);
    return {
      next,
      rows: shown.map(({ id, subscription_id, type, created_at }) => ({
        name: numbers.get(subscription_id) ?? subscription_id,
        ...{ address: `${CONSOLE_PATH}${WORK}/reductions/${id}`, whose: [subscription_id] },
        cells: [type, momentText(created_at, t.lang) ?? ''],
      })),
    };
  },
};

const payments: WorkList = {
  place: [isDay, isId],
  columns: (t) => [
    { words: t.work.payer },
    { words: t.work.day, isShort: true },
    { words: t.work.amount, isNumber: true },
    { words: t.work.why },
    { words: t.work.suggestions },
  ],
  find: async (connection, { organization, after, rows, t }) => {
    const place = after === null ? null : { booked_on: after[0] ?? '', id: after[1] ?? '' };
    const query = { state: 'unmatched', after: place, rowsMax: rows + 1 } as const;
    const found = await listEntries(connection, organization, query);
    const { shown, next } = pageOf(found, rows, ({ booked_on, id }) => [booked_on, id]);
    const suggested = await suggestBills(connection, organization, shown);
    return {
      next,
      rows: shown.map((entry) => ({
        name: entry.name ?? entry.text ?? entry.id,
        address: `${CONSOLE_PATH}${WORK}/payments/${entry.id}`,
        whose: [entry.id, ...(suggested.get(entry.id) ?? []).map(({ id }) => id)],
        cells: [
          dayText(entry.booked_on, t.lang),
          eurosText(entry.amount, t),
          noteText(entry.note, t),
          (suggested.get(entry.id) ?? []).map((bill) => suggestionText(bill, t)),
        ],
      })),
    };
  },
};

const refused: WorkList = {
  place: [
    (text) => text === 'infinity' || isDay(text),
    isId,
    (text) => ['usage', 'prepayment', 'correction', 'exit_summary'].includes(text),
    isDay,
  ],
  columns: (t) => [
    { words: t.work.contract },
    { words: t.work.document },
    { words: t.work.deadline, isShort: true },
    { words: t.work.why },
    { words: t.work.missingThing },
  ],
  find: async (connection, { organization, after, rows, nowMilliseconds, t }) => {
    const today = berlinDayAt(nowMilliseconds);
    const [deadline = '', subscription_id = '', type = '', period_start = ''] = after ?? [];
    const place = after === null ? null : { deadline, subscription_id, type, period_start };
    const found = await listRefusalsToAct(connection, organization, { after: place, rowsMax: rows + 1 });
    const { shown, next } = pageOf(found, rows, placeOfRefusal);
    const numbers = await numbersOf(connection, organization, shown);
    return {
      next,
      rows: shown.map((row) => ({
        name: numbers.get(row.subscription_id) ?? row.subscription_id,
        ...{ address: `${contractAddress(row.subscription_id)}#missing`, whose: [row.subscription_id] },
        cells: [
          ...[documentText(row, t), deadlineText(row, today, t), refusalText(row.code, t)],
          toldSentence(row.detail, t),
        ],
      })),
    };
  },
};

const placeOfRefusal = ({ deadline, subscription_id, type, period_start }: RefusalRow): Place => [
  deadline ?? 'infinity',
  subscription_id,
  type,
  period_start,
];

const corrections: WorkList = {
  place: [isId],
  columns: (t) => [{ words: t.work.contract }, { words: t.work.questionable, isNumber: true }],
  find: async (connection, { organization, after, rows, nowMilliseconds, t }) => {
    const query = { nowMilliseconds, after: after?.[0] ?? '', rowsMax: rows };
    const found = await questionableContracts(connection, organization, query);
    const named = found.contracts.map(({ id }) => ({ subscription_id: id }));
    const numbers = await numbersOf(connection, organization, named);
    return {
      next: found.last === null ? null : [found.last],
      rows: found.contracts.map(({ id, bills }) => ({
        ...{ name: numbers.get(id) ?? id, address: `${contractAddress(id)}/correction`, whose: [id] },
        cells: [String(bills)],
      })),
      ...(found.pricesChanged && { note: t.work.pricesChanged }),
    };
  },
};

export const WORK_LISTS = {
  refused,
  payments,
  'meter-orders': meterOrders,
  'sign-ups': signUps,
  reductions,
  corrections,
} as const satisfies Record<string, WorkList>;

export type WorkListName = keyof typeof WORK_LISTS;

/** Beyond it nobody counts: each list is read up to here. */
const COUNTED_MAX = 100;

export interface Waiting {
  readonly list: WorkListName;
  /** `COUNTED_MAX` where there are as many or more. */
  readonly count: number;
  readonly isMore: boolean;
  /** Of those that are counted, whose deadline is over: the most urgent come first. */
  readonly late: number;
}

/** How much waits in each list that is not empty. Corrections are left out: the next run makes them. */
export async function countWaiting(
  connection: Connection,
  organization: string,
  now: string,
): Promise<Waiting[]> {
  const query = { after: null, rowsMax: COUNTED_MAX + 1 };
  const refusals = await listRefusalsToAct(connection, organization, query);
  const today = berlinDayOf(now);
  const late = refusals.slice(0, COUNTED_MAX).filter((row) => isOverdue(row, today)).length;
  const found = {
    refused: refusals,
    payments: await listEntries(connection, organization, { ...query, state: 'unmatched' }),
    'meter-orders': await listMeterOrdersToAct(connection, organization, { ...query, now }),
    'sign-ups': await listUnconfirmed(connection, organization, query),
    reductions: await listOrderedReductions(connection, organization, query),
  };
  return Object.entries(found).flatMap(([list, { length }]) =>
    length === 0
      ? []
      : {
          ...{
            list: list as WorkListName,
            isMore: length > COUNTED_MAX,
            count: Math.min(length, COUNTED_MAX),
          },
          late: list === 'refused' ? late : 0,
        },
  );
}

/** A list as the view `work` shows it. */
export async function shownList(
  connection: Connection,
  name: WorkListName,
  query: ListQuery,
): Promise<Record<string, unknown> & Pick<WorkPage, 'rows'>> {
  const { t } = query;
  const list: WorkList = WORK_LISTS[name];
  const { rows, next, note } = await list.find(connection, query);
  const { title, hint, none } = t.work.lists[name];
  return {
    ...{ name, caption: title, hint, rows, note: note ?? null, columns: list.columns(t) },
    none: next === null ? none : t.work.noneYet,
    ...{ next: next === null ? null : `${CONSOLE_PATH}${WORK}/${name}${queryOfPlace(next)}` },
    more: t.work.more(title),
  };
}

function numbersOf(
  connection: Connection,
  organization: string,
  rows: readonly { subscription_id: string }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = rows.map(({ subscription_id }) => subscription_id);
  return listNumbersOfSubscriptions(connection, organization, ids);
}
