import type { VersionChange } from '../../platform/interface/version-change.ts';

/* What differs between 2025-12-16.batman and the version before it. */

const version = '2025-12-16.batman';

const pagination: VersionChange = {
  version,
  name: 'pagination',
  summary: 'Lists come in pages',
  before: 'A list answered all items at once, in `items`.',
  after:
    'A list answers up to `limit` items with `has_more` and `next_page`; the next page is asked for by `cursor`.',
  appliesTo: 'lists',
  envelope: ({ has_more, next_page, ...older }) => older,
};

/** Oldest first. */
export const batman: readonly VersionChange[] = [pagination];
