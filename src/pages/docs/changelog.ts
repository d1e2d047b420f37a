import { VERSION_NAMES, type VersionName } from '../../config/versions.ts';
import type { VersionChange } from '../../platform/interface/version-change.ts';
import type { VersionEngine } from '../../platform/interface/versioning.ts';

/** One change as its reader sees it. */
export interface ChangeEntry {
  version: VersionName;
  /** The routes it concerns, separated by commas. */
  route: string;
  summary: string;
  before: string;
  after: string;
}

type ChangeList = Pick<VersionEngine, 'changes' | 'routesWithObject'>;

const EVERYWHERE = { lists: 'every list', all: 'every route' } as const;

/** What changed from version to version, the newest first. */
export function changeEntries({ changes, routesWithObject }: ChangeList): ChangeEntry[] {
  return VERSION_NAMES.toReversed().flatMap((version) =>
    changes
      .filter((change) => change.version === version)
      .toReversed()
      .map((change) => ({
        version,
        route: [...routesOf(change), ...routesWithObject(change)].join(', '),
        summary: change.summary,
        before: change.before,
        after: change.after,
      })),
  );
}

function routesOf({ appliesTo = [], added = [], removed = [] }: VersionChange): string[] {
  const changed =
    typeof appliesTo === 'string' ? [EVERYWHERE[appliesTo]] : 'object' in appliesTo ? [] : appliesTo;
  return [...new Set([...changed, ...added, ...removed.map(({ route }) => route)])];
}
