import { ID_PATTERN } from '../platform/ids.ts';
import type { VersionName } from '../platform/version-name.ts';

/** One member of a context: the id of a resource, told by its prefix. */
export interface ContextMember {
  readonly id: string;
  readonly optional?: true;
}

type ContextMembers = Readonly<Record<string, ContextMember>>;

/** One kind of event. The noun it happens to declares it; `src/api/topics.ts` has the list of all. */
export interface Topic<Members extends ContextMembers = ContextMembers> {
  /** Noun and what happened: `subscription.created`. */
  readonly name: string;
  /** For the people who write a receiver. */
  readonly when: string;
  /** The first version whose `GET /events` shows it. Webhooks have no version. */
  readonly since: VersionName;
  readonly context: Members;
}

type OptionalNames<Members extends ContextMembers> = {
  [Name in keyof Members]: Members[Name] extends { readonly optional: true } ? Name : never;
}[keyof Members];

/** What an event of a topic tells: ids by name. */
export type ContextOf<One extends Topic> = {
  readonly [Name in Exclude<keyof One['context'], OptionalNames<One['context']>>]: string;
} & { readonly [Name in OptionalNames<One['context']>]?: string };

/** What happened, as a noun hands it over. */
export interface NewEvent<One extends Topic = Topic> {
  readonly topic: One;
  /** Ids only; the receiver reads the resource. */
  readonly context: ContextOf<One>;
  /** When it happened. */
  readonly now: string;
  /** The clock's instant where `now` is the row's `updated_at`, which only moves forwards: a wrong clock may have set it ahead. */
  readonly runAt?: string;
}

export function topic<const Members extends ContextMembers>(definition: Topic<Members>): Topic<Members> {
  if (!/^[a-z_]+\.[a-z_]+$/.test(definition.name))
    throw new Error(`${definition.name} is no name of a topic`);
  return Object.freeze(definition);
}

/** Sent by the operator to one endpoint. No endpoint chooses it, it is not stored, and no route shows it. */
export const testTopic: Omit<Topic, 'since'> = {
  name: 'test.event',
  when: 'The operator tries whether an endpoint is reached; sent to that one only, once.',
  context: {},
};

/** Those that `GET /events` of a version shows. Versions begin with their day, so that they are in order as texts. */
export function topicsOf(topics: readonly Topic[], version: VersionName): Topic[] {
  return topics.filter(({ since }) => since <= version);
}

/**
 * A context with exactly the members of its topic, each with an id of the kind that was declared. Events leave the house,
 * so a name, an address or a value in one is a defect, and the change it belongs to is rolled back.
 */
export function topicContext({
  topic: { name, context: members },
  context,
}: NewEvent): Record<string, string> {
  for (const member of Object.keys(context)) {
    if (!Object.hasOwn(members, member))
      throw new Error(`Events of ${name} have no ${member} in their context`);
  }
  const checked: Record<string, string> = {};
  for (const [member, { id, optional }] of Object.entries(members)) {
    const value: unknown = context[member];
    if (value === undefined && optional === true) continue;
    if (typeof value !== 'string' || !value.startsWith(`${id}_`) || !ID_PATTERN.test(value)) {
      throw new Error(`${member} of an event of ${name} needs an id that begins with ${id}_`);
    }
    checked[member] = value;
  }
  return checked;
}
