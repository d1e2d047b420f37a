import { type Connection, withHidden } from '../platform/database/db.ts';
import type { Deps } from '../platform/deps.ts';
import { badRequest, notFound } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import type { FilterOperator, ListFilter } from '../platform/interface/filters.ts';
import { pageOf } from '../platform/interface/newest-first.ts';
import type { ApiRequest, ListRequest, Page } from '../platform/interface/route.ts';
import { eventDocument } from './document.ts';
import {
  type EventRange,
  findEvent,
  findPosition,
  findSequence,
  listEventsInSequence,
  listEventsOfTopics,
  updateSequences,
} from './queries.ts';
import { BEGINNING, type Event, type EventsQuery } from './schema.ts';
import { type Topic, topicsOf } from './topic.ts';

interface ReadDeps extends Pick<Deps, 'database'> {
  topics: readonly Topic[];
}

/** What a version does not know is left out. */
export async function getEvents(
  { database, topics }: ReadDeps,
  request: ApiRequest<EventsQuery>,
): Promise<Page<Event>> {
  const { principal, list, version, query } = request;
  const { organization } = principal;
  const shown = topicsOf(topics, version).map(({ name }) => name);
  const matches = shown.filter((name) => list.filters.every((filter) => isWanted(name, filter)));
  const isNever = createdAt(list, 'is_null') === true;
  if (query.after !== undefined && list.filters.some(({ field }) => field === 'created_at')) {
    throw refused('Not with filter[created_at]: this list goes by the order of commits');
  }
  const rows = await database.inOrganization(principal, async (connection) => {
    await updateSequences(connection);
    if (query.after === undefined) {
      const range = await rangeOf(connection, organization, list);
      return isNever ? [] : listEventsOfTopics(connection, organization, matches, range);
    }
    const behind = await sequenceOf(connection, organization, list.after?.id ?? query.after);
    return listEventsInSequence(connection, organization, matches, { limit: list.limit, behind });
  });
  return pageOf(rows, list, eventDocument);
}

async function sequenceOf(connection: Connection, organization: string, id: string): Promise<number> {
  if (id === BEGINNING) return 0;
  const find = () => findSequence(connection, organization, id);
  /* Who read an event goes on behind it, also while its customer is restricted. */
  const sequence = isId(id) ? ((await find()) ?? (await withHidden(connection, find))) : undefined;
  if (sequence !== undefined) return sequence;
  throw refused(`No event that there is (they go after 13 months); ${BEGINNING} begins with the oldest`);
}

function refused(message: string) {
  return badRequest([{ code: 'custom', field: 'after', message }]);
}

function isWanted(topic: string, { field, operator, value }: ListFilter): boolean {
  if (field !== 'topic') return true;
  if (operator === 'in') return (value as readonly string[]).includes(topic);
  return (topic === value) === (operator === 'eq');
}

const createdAt = ({ filters }: ListRequest, searched: FilterOperator): unknown =>
  filters.find(({ field, operator }) => field === 'created_at' && operator === searched)?.value;

const POSITION_MAX = String(2n ** 63n - 1n);

/** A cursor is bound to its filters, so that its place lies within them. */
async function rangeOf(connection: Connection, organization: string, list: ListRequest): Promise<EventRange> {
  const { after, limit } = list;
  const from = String(createdAt(list, 'gte') ?? '-infinity');
  const until = String(createdAt(list, 'lte') ?? 'infinity');
  if (after === null) return { limit, from, before: { at: until, position: POSITION_MAX } };
  /* Where the event is gone, retention has removed what is older, too. */
  const find = () => findPosition(connection, organization, after.id);
  const position = (await find()) ?? (await withHidden(connection, find)) ?? 0;
  return { limit, from, before: { at: after.created_at, position: String(position) } };
}

export async function getEvent({ database, topics }: ReadDeps, request: ApiRequest): Promise<Event> {
  const { organization } = request.principal;
  const row = await database.inOrganization(request.principal, (connection) =>
    findEvent(connection, organization, request.pathId),
  );
  const isShown = topicsOf(topics, request.version).some(({ name }) => name === row?.topic);
  if (row === undefined || !isShown) throw notFound();
  return eventDocument(row);
}
