/** A dated version of the interface: `2026-09-08.gauss`. Which there are is said where the service is put together. */
export type VersionName = `${number}-${number}-${number}.${string}`;

export interface VersionList {
  /** Oldest first. */
  readonly names: readonly VersionName[];
  /** What a new auth client is pinned to. It also speaks where the version of a request is not known yet. */
  readonly latestStable: VersionName;
  /** May still change; reached only by sending its name in `X-API-Version`. */
  readonly preview: VersionName;
}
