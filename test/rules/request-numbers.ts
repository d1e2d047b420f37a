import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEWEST_VERSION, VERSION_NAMES, type VersionName } from '../../src/config/versions.ts';
import { applied, type Difference } from './openapi-difference.ts';
import { projectFolder } from './project-files.ts';

type Json = { [name: string]: unknown };

/** A number that a request can hold; null where there is no bound on that side. */
export interface RequestNumber {
  /** `post /assets inverter.max_power_kw`; a parameter by its name. */
  name: string;
  least: number | null;
  greatest: number | null;
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The neighbour of a double towards zero or away from it. */
function neighbour(value: number, step: 1n | -1n): number {
  const bits = new BigInt64Array(new Float64Array([value]).buffer);
  bits[0] = (bits[0] ?? 0n) + step;
  return new Float64Array(bits.buffer)[0] ?? value;
}

function leastOf({ minimum, exclusiveMinimum: above }: Json): number | null {
  if (typeof minimum === 'number') return minimum;
  if (typeof above !== 'number') return null;
  return neighbour(above, above < 0 ? -1n : 1n);
}

function greatestOf({ maximum, exclusiveMaximum: below }: Json): number | null {
  if (typeof maximum === 'number') return maximum;
  return typeof below === 'number' ? neighbour(below, -1n) : null;
}

/** The newest description is checked in whole, each older one as its difference to the next newer one. */
function checkedIn(version: VersionName): Json {
  const read = (name: string) =>
    JSON.parse(readFileSync(join(projectFolder, `test/rules/openapi/${name}.openapi.json`), 'utf8')) as Json;
  const next = VERSION_NAMES[VERSION_NAMES.indexOf(version) + 1];
  if (version === NEWEST_VERSION || next === undefined) return read(version);
  return applied(checkedIn(next), read(`${version}.difference`) as unknown as Difference);
}

/** Every number of every request that a version describes, but those that are a choice of a few. */
export function requestNumbers(version: VersionName): RequestNumber[] {
  const document = checkedIn(version);
  const found = new Map<string, RequestNumber>();
  const pointedAt = (reference: string) =>
    reference
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (at as Json)[name], document);
  const look = (schema: unknown, names: readonly string[], seen: readonly unknown[]): void => {
    if (!isObject(schema) || seen.includes(schema)) return;
    if (typeof schema.$ref === 'string') {
      look(pointedAt(schema.$ref), names, [...seen, schema]);
      return;
    }
    const types = [schema.type].flat();
    const isChoice = schema.enum !== undefined || schema.const !== undefined;
    if (!isChoice && (types.includes('number') || types.includes('integer'))) {
      const name = names.join(' ');
      found.set(name, { name, least: leastOf(schema), greatest: greatestOf(schema) });
    }
    for (const [name, part] of Object.entries(schema)) {
      if (['example', 'examples', 'default'].includes(name)) continue;
      const isField = name === 'properties' && isObject(part);
      if (!isField) look(part, names, [...seen, schema]);
      else
        for (const [field, inner] of Object.entries(part)) look(inner, within(names, field), [...seen, part]);
    }
  };
  for (const [route, item] of Object.entries(document.paths as Json)) {
    const shared = parametersOf(item);
    for (const [method, operation] of Object.entries(item as Json)) {
      if (!isObject(operation) || operation.responses === undefined) continue;
      const names = [`${method} ${route}`];
      for (const listed of [...shared, ...parametersOf(operation)]) {
        const parameter =
          isObject(listed) && typeof listed.$ref === 'string' ? pointedAt(listed.$ref) : listed;
        look(parameter, [...names, isObject(parameter) ? String(parameter.name) : ''], []);
      }
      look(operation.requestBody, names, []);
    }
  }
  return [...found.values()];
}

function parametersOf(holder: unknown): unknown[] {
  return isObject(holder) && Array.isArray(holder.parameters) ? holder.parameters : [];
}

/** `post /assets` and `inverter` and `max_power_kw`: `post /assets inverter.max_power_kw`. */
function within([operation = '', path]: readonly string[], field: string): string[] {
  return [operation, path === undefined ? field : `${path}.${field}`];
}
