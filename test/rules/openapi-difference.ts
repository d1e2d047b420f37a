import { applyPatch, createPatch, type Operation, Pointer } from 'rfc6902';

type Json = Record<string, unknown>;

/** What turns one API description into another one, byte for byte. */
export interface Difference {
  /** JSON Patch (RFC 6902): a route that the other one does not have is one line. */
  operations: Operation[];
  /** A patch says nothing about the order of keys: the objects whose order it would leave wrong, by their paths. */
  keyOrder: Record<string, string[]>;
}

export function differenceOf(from: Json, to: Json): Difference {
  const operations = createPatch(from, to);
  return { operations, keyOrder: keyOrder(patched(from, operations), to, '') };
}

export function applied(from: Json, { operations, keyOrder }: Difference): Json {
  const document = patched(from, operations);
  for (const [path, keys] of Object.entries(keyOrder)) {
    const object = Pointer.fromJSON(path).get(document) as Json;
    for (const key of keys) {
      const value = object[key];
      delete object[key];
      object[key] = value;
    }
  }
  return document;
}

function patched(from: Json, operations: readonly Operation[]): Json {
  const document = structuredClone(from);
  // The patch keeps parts of the operations: they are not to change with the document.
  const problem = applyPatch(document, structuredClone([...operations])).find((error) => error !== null);
  if (problem !== undefined) throw problem;
  return document;
}

/** Both hold the same, in different order. */
function keyOrder(left: unknown, right: unknown, path: string): Record<string, string[]> {
  if (typeof left !== 'object' || left === null) return {};
  const [now, later] = [left as Json, right as Json];
  const keys = Object.keys(later);
  const isWrong = Object.keys(now).some((key, index) => key !== keys[index]);
  const inside = keys.map((key) =>
    keyOrder(now[key], later[key], `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return Object.assign(isWrong ? { [path]: keys } : {}, ...inside);
}
