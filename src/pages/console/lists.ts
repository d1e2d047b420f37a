import { textOf } from '../../platform/http/pages/hosted.ts';
import { isId } from '../../platform/ids.ts';
import type { PagePosition } from '../../platform/interface/pagination.ts';
import { instantInUtc } from '../../platform/time/instant.ts';

export const ROWS_OF_PAGE = 50;

/** `2026-11-20T10:00:00.123456Z.ast_…`: the row behind which a page begins, newest first. */
const PLACE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z)\.(\w{1,64})$/;

/** Null where the address names none that can be: the list begins anew. */
export function positionOf(query: unknown, isKnownForm = isId): PagePosition | null {
  const [, instant = '', id = ''] = PLACE.exec(textOf(query, 'after')) ?? [];
  const created_at = instantInUtc(instant);
  return created_at !== null && isKnownForm(id) ? { created_at, id } : null;
}

/** The query of the next page, with the filters of this one; null where there is none. */
export function addressOfNext(
  next: PagePosition | null,
  filters: Readonly<Record<string, string>>,
): string | null {
  if (next === null) return null;
  const chosen = Object.entries(filters).filter(([, value]) => value !== '');
  return `?${new URLSearchParams([...chosen, ['after', `${next.created_at}.${next.id}`]])}`;
}
