import type { VersionName } from '../../src/versions/names.ts';
import type { Ids, Place } from './fixture.ts';

export interface Call {
  path: string;
  body?: Record<string, unknown>;
}

/** How one route is asked for something that belongs to somebody. */
export interface RouteRow {
  /** A request that succeeds for whoever may see these ids, as often as it is sent. */
  call(ids: Ids): Call;
  /** The newest version that has the route, where the newest of all has not. */
  version?: VersionName;
  /**
   * What the ids of nobody are answered with; 404 where absent, an empty list on lists. 200 where nothing belongs to
   * anybody: every token then gets the same answer, or 403.
   */
  missingStatus?: 200 | 400;
  list?: ListRow;
  /** Every place of the body that can name something: the body of `own` with that one thing of `other`. */
  references?: Readonly<Record<string, (own: Ids, other: Ids) => Record<string, unknown>>>;
}

export interface ListRow {
  /** Everything the list holds for whom sees all of it: the path with the filters it cannot do without. */
  all(households: readonly string[]): string;
  shown(place: Place): readonly string[];
  idOf(item: Record<string, unknown>): unknown;
  /** What each string filter is compared with. */
  filters: Readonly<Record<string, (ids: Ids) => string>>;
  /** String filters whose values are the same everywhere and name nobody. */
  words?: Readonly<Record<string, string>>;
}
