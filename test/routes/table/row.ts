import type { VersionName } from '../../../src/config/versions.ts';
import type { RouteName } from '../../../src/platform/interface/route.ts';
import type { TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';

export type Json = Record<string, unknown>;

/** Of one customer, what other nouns build on. */
export interface HomeIds {
  customer: string;
  /** Of the customer. */
  email: string;
  household: string;
  inverter: string;
  /** Behind the inverter. */
  battery: string;
  batteryExternalId: string;
  wallboxExternalId: string;
  /** A heat pump that may be taken out of use. */
  spare: string;
  /** Of the subscription; it belongs to the organization, whose customers all see it. */
  plan: string;
  feedInPlan: string;
  /** Active, for consumption, of the household. */
  subscription: string;
  /** Consumption on an analog meter, supplied for very long, of another household. */
  metered: string;
  /** Of the household's meter. */
  meterNumber: string;
}

/**
 * What a request can name of one customer. A noun that makes something of its own adds its ids here, with
 * `declare module './table/row.ts'`.
 */
export interface Ids extends HomeIds {}

export interface Home extends HomeIds {
  organization: string;
  households: readonly string[];
  assets: readonly string[];
  plans: readonly string[];
  /** The two above and one for feed-in. */
  subscriptions: readonly string[];
  /** Names, addresses and ids that nobody else may ever see. */
  private: readonly string[];
}

/** One customer with everything there is, in an organization. */
export interface Place extends Home, Ids {}

/**
 * Whose the objects of a route are, and so who may see them. `customer`: tokens of a customer see its own. `organization`:
 * its customers all see them. `staff`: tokens of a customer are refused. `public`: they belong to nobody, every
 * organization gets the same answer, and tokens of a customer are refused.
 */
export type Whose = 'customer' | 'organization' | 'staff' | 'public';

/** What an answer shows, or each item of a list. */
export interface Shown {
  /** Its `object`; null where it has none. */
  object: string | null;
  /** The names of its fields beside `object`, with spaces between them. */
  fields: string;
  /** Fields that came with a version. */
  fieldsSince?: Readonly<Partial<Record<VersionName, string>>>;
  /** Fields that were gone with a version. */
  fieldsUntil?: Readonly<Partial<Record<VersionName, string>>>;
  isList?: true;
}

/** One route of the interface: how it is asked with success, in which versions, and for whose objects. */
export interface RouteRow {
  whose: Whose;
  /** The first version that has the route; all have it where absent. */
  since?: VersionName;
  /** The first version that has it no more, and what it says to use instead, where there is anything. */
  removed?: { in: VersionName; instead?: string };
  /** Path and body together succeed for whoever may see these ids, in every version of the route, as often as sent. */
  path(ids: Ids): string;
  body?(ids: Ids): Json;
  shows: Shown;
  /** It leads elsewhere: the answer has an address and no body. */
  leadsTo?: RegExp;
  /** The answer to ids that nobody has, where it is not the usual one: an empty list on lists, 404 elsewhere. */
  missingStatus?: 400;
  /** A list of what belongs to somebody says what it holds. */
  list?: ListRow;
  /** Every place of the body that can name something: the body of `own` with that one thing of `other`. */
  references?: Readonly<Record<string, (own: Ids, other: Ids) => Json>>;
  /** For a route of the newest version that takes a body: what the bad bodies are made from. */
  bodies?: BodyRow;
}

export interface ListRow {
  /** Everything the list holds for whom sees all of it: the path with the filters it cannot do without. */
  all(households: readonly string[]): string;
  shown(place: Place): readonly string[];
  idOf(item: Json): unknown;
  /** What each string filter is compared with. */
  filters: Readonly<Record<string, (ids: Ids) => string>>;
  /** String filters whose values are the same everywhere and name nobody. */
  words?: Readonly<Record<string, string>>;
}

/** The bodies that one route accepts; each call gives one that was not sent before. */
export interface BodyRow {
  /** What the route cannot do without: every part of it is required. The body of the row where absent. */
  smallest?(ids: Ids): Json;
  /** Together they fill every kind of field. */
  full(ids: Ids): Json[];
  /** Unknown fields inside its objects are ignored, as they are beside them: inside all, or those of these paths. */
  ignoresUnknown?: true | readonly string[];
  /** Objects that may be null, by their paths. */
  nullable?: readonly string[];
  /** Texts that may be empty, by their paths. */
  mayBeEmpty?: readonly string[];
  /** Fields that take an id or an object: what is wrong with them is told there or inside. */
  unions?: readonly string[];
}

/** What a noun has to make its own things with. */
export interface Maker {
  api: TestApi;
  organization: string;
  /** With every right in the organization. */
  client: ApiClient;
  ids: HomeIds;
  /** Another text at each place, to be a part of names. */
  unique: string;
}

/** What a file of test/routes exports as `noun`. */
export interface Noun {
  routes: Readonly<Record<RouteName, RouteRow>>;
  /** Things of one customer that no other noun needs. `private`: what of them nobody else may ever see. */
  make?(maker: Maker): Promise<Partial<Place> & Pick<Place, 'private'>>;
  /** Ids of the same form as the made ones, which nothing has. */
  missing?(): Partial<Ids>;
}

export const idOf = (item: Json) => item.id;

/** Counts its calls, for bodies that differ from all before. */
export function counter(): () => number {
  let calls = 0;
  return () => {
    calls += 1;
    return calls;
  };
}
