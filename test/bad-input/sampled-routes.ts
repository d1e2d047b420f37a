import type { RouteName } from '../../src/platform/interface/route.ts';
import { missingIds } from '../routes/table/place.ts';
import { bodiesOf, bodyRouteNames, smallestBody } from '../routes/table/table.ts';
import { isLongTier } from '../setup/tier.ts';

/** What sets the bodies of some routes apart from those of others; the last one holds for all. */
const KINDS: readonly ((name: RouteName) => boolean)[] = [
  // The only one with a size and a reader of its own.
  (name) => name === 'POST /asset-snapshots',
  (name) => name.startsWith('PATCH '),
  (name) => Object.keys(smallestBody(name, missingIds())).length === 0,
  (name) => bodiesOf(name).ignoresUnknown !== undefined,
  () => true,
];

const firstOfEachKind = new Set(KINDS.map((isKind) => bodyRouteNames.find(isKind)));

/** One route of each kind in `npm test`, all of them in `npm run test:long`. */
export const sampledRoutes: readonly RouteName[] = isLongTier
  ? bodyRouteNames
  : bodyRouteNames.filter((name) => firstOfEachKind.has(name));
