import type { VersionChange } from '../platform/versioning.ts';
import { pagination } from './2025-12-16-pagination.ts';
import { structuredErrors } from './2026-05-27-structured-errors.ts';
import { assetSnapshots } from './2026-09-08-asset-snapshots.ts';
import { assets } from './2026-09-08-assets.ts';
import { households } from './2026-09-08-households.ts';

/** Every change of the interface, oldest first. The change log and the older API descriptions come from this list. */
export const versionChanges: readonly VersionChange[] = [
  pagination,
  structuredErrors,
  households,
  assets,
  assetSnapshots,
];
