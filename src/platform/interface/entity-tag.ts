/**
 * The strong entity tags of one content, plain and compressed with gzip. A coded text is another representation than the
 * plain one, so the two tags differ (RFC 9110, 8.8.3.3).
 */
export interface EntityTags {
  readonly plain: string;
  readonly gzip: string;
}

/** `name` is visible ASCII without quotes. */
export function entityTagsOf(name: string): EntityTags {
  return { plain: `"${name}"`, gzip: `"${name}-gzip"` };
}

/**
 * Whether an `If-None-Match` header names this content (RFC 9110, 13.1.2): a list or `*`, compared weakly, so that a
 * `W/` in front changes nothing.
 */
export function namesContent(header: string | undefined, tags: EntityTags): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const named = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return named.map((tag) => tag.replace(/^W\//, '')).some((tag) => tag === tags.plain || tag === tags.gzip);
}
