import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyPatch, createPatch, type Operation, Pointer } from 'rfc6902';
import { NEWEST_VERSION, VERSION_NAMES, type VersionName } from '../../src/config/versions.ts';
import { projectFolder } from './project-files.ts';

type Json = Record<string, unknown>;

/** The newest description is kept whole, each older one as its difference to the next newer one. */
export const snapshotNameOf = (version: VersionName) =>
  `${version}.${version === NEWEST_VERSION ? '' : 'difference.'}openapi.json`;

export const snapshotOf = (version: VersionName) =>
  join(projectFolder, 'test/rules/openapi', snapshotNameOf(version));

/** The checked-in description of each version. */
export function checkedInDescriptions(): Map<VersionName, Json> {
  const documents = new Map<VersionName, Json>();
  let newer: Json | undefined;
  for (const version of VERSION_NAMES.toReversed()) {
    const stored: unknown = JSON.parse(readFileSync(snapshotOf(version), 'utf8'));
    newer = newer === undefined ? (stored as Json) : applied(newer, stored as Difference);
    documents.set(version, newer);
  }
  return documents;
}

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
