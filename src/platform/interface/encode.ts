import type { VersionName } from '../version-name.ts';
import { type ApiRoute, type Page, routeName } from './route.ts';
import type { VersionEngine } from './versioning.ts';
import { compiled } from './zod.ts';

/**
 * Encoding by a schema comes first, so that a column that no schema lists cannot leak through the rewriting of an older
 * version.
 */
export function encodeOne(
  versions: VersionEngine,
  route: ApiRoute,
  version: VersionName,
  item: unknown,
): unknown {
  const name = routeName(route);
  const encoded = compiled(versions.contract(name, version).encoded).parse(item);
  return versions.backward(name, version, encoded as Record<string, unknown>);
}

/** The whole answer: one object, or a page of them in its envelope. */
export function encode(
  versions: VersionEngine,
  route: ApiRoute,
  version: VersionName,
  body: unknown,
): unknown {
  if (route.list === undefined) return encodeOne(versions, route, version, body);
  const page = body as Page<unknown>;
  return versions.backwardEnvelope(version, {
    object: 'list',
    items: page.items.map((item) => encodeOne(versions, route, version, item)),
    has_more: page.next_page !== null,
    next_page: page.next_page,
  });
}
