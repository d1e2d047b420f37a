/** The dated versions of the interface, oldest first. */
export const VERSION_NAMES = [
  '2025-12-01.chucky',
  '2025-12-16.batman',
  '2026-01-29.edison',
  '2026-05-27.curie',
  '2026-09-08.gauss',
] as const;

export type VersionName = (typeof VERSION_NAMES)[number];

/** May still change; reached only by sending its name in `X-API-Version`, never a client's default. */
export const PREVIEW_VERSION: VersionName = '2026-09-08.gauss';

/** What a new auth client is pinned to. */
export const LATEST_STABLE_VERSION: VersionName = '2026-05-27.curie';

export const NEWEST_VERSION: VersionName = PREVIEW_VERSION;

export function isVersionName(text: string): text is VersionName {
  return (VERSION_NAMES as readonly string[]).includes(text);
}

/** What the platform is told of them. */
export const VERSIONS = {
  names: VERSION_NAMES,
  latestStable: LATEST_STABLE_VERSION,
  preview: PREVIEW_VERSION,
};
