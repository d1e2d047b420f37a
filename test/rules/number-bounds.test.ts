import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VERSION_NAMES } from '../../src/versions/names.ts';
import { projectFolder } from './project-files.ts';

/*
 * A number that enters without bounds is calculated with later: 1.7e308 kWh a year made every reading of a contract's
 * usage fail. The checked-in descriptions are held equal to the schemas by a rule of their own.
 */

type Json = { [name: string]: unknown };

interface Found {
  numbers: number;
  unbounded: string[];
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

function has(schema: Json, ...names: string[]): boolean {
  return names.some((name) => typeof schema[name] === 'number');
}

function look(document: Json, schema: unknown, path: string, found: Found, seen: readonly unknown[]): void {
  if (!isObject(schema) || seen.includes(schema)) return;
  if (typeof schema.$ref === 'string') {
    const target = schema.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (at as Json)[name], document);
    look(document, target, path, found, [...seen, schema]);
    return;
  }
  const types = [schema.type].flat();
  if (types.includes('number') || types.includes('integer')) {
    found.numbers += 1;
    const isChoice = schema.enum !== undefined || schema.const !== undefined;
    const isBounded =
      has(schema, 'minimum', 'exclusiveMinimum') && has(schema, 'maximum', 'exclusiveMaximum');
    if (!isChoice && !isBounded) found.unbounded.push(path);
  }
  for (const [name, part] of Object.entries(schema)) {
    if (name === 'example' || name === 'examples' || name === 'default') continue;
    look(document, part, `${path}.${name}`, found, [...seen, schema]);
  }
}

function numbersOf(document: Json): Found {
  const found: Found = { numbers: 0, unbounded: [] };
  for (const [path, methods] of Object.entries(document.paths as Json)) {
    for (const [method, operation] of Object.entries(methods as Json)) {
      if (!isObject(operation)) continue;
      const { parameters, requestBody } = operation;
      look(document, parameters, `${method} ${path}`, found, []);
      look(document, requestBody, `${method} ${path}`, found, []);
    }
  }
  return found;
}

test.each(VERSION_NAMES)(
  'every number that a request of %s can hold has a lower and an upper bound',
  (version) => {
    const text = readFileSync(join(projectFolder, `test/rules/openapi/${version}.openapi.json`), 'utf8');
    const { numbers, unbounded } = numbersOf(JSON.parse(text) as Json);
    expect(unbounded).toEqual([]);
    expect(numbers).toBeGreaterThan(2);
  },
);
