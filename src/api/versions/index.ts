import type { VersionChange } from '../../platform/interface/version-change.ts';
import { batman } from './2025-12-16-batman.ts';
import { edison } from './2026-01-29-edison.ts';
import { curie } from './2026-05-27-curie.ts';
import { gauss } from './2026-09-08-gauss.ts';

/** Every change of the interface, oldest first. The change log and the older API descriptions come from this list. */
export const versionChanges: readonly VersionChange[] = [...batman, ...edison, ...curie, ...gauss];
