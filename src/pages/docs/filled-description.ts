import type { DemoThings } from './demo-client.ts';
import { type DescribedInterface, nounOf, type Operation, type Parameter } from './postman.ts';

/*
 * What the API reference and the collection for Postman are made of: the description, with the things of a demo in its
 * requests, so that each can be sent as it stands.
 */

/** The one list that answers nothing without a filter. */
const FILTER_NEEDED = { path: '/asset-snapshots', name: 'filter[household][eq]', noun: 'households' };

/** Without things of a demo, only those filters are left out that would contradict each other. */
export function filledDescription(described: DescribedInterface, things: DemoThings): DescribedInterface {
  const paths = Object.entries(described.paths).map(([path, operations]) => {
    const filled = Object.entries(operations).map(([method, operation]) => [
      method,
      filledOperation(path, operation, things),
    ]);
    return [path, Object.fromEntries(filled)];
  });
  return { ...described, paths: Object.fromEntries(paths) };
}

function filledOperation(path: string, operation: Operation, things: DemoThings): Operation {
  const { parameters, requestBody } = operation;
  const json = requestBody?.content['application/json'];
  return {
    ...operation,
    ...(parameters !== undefined && {
      parameters: parameters.map((parameter) =>
        '$ref' in parameter ? parameter : filledParameter(path, parameter, things),
      ),
    }),
    ...(json?.example !== undefined && {
      requestBody: {
        ...requestBody,
        content: { 'application/json': { ...json, example: filledBody(path, json.example, things) } },
      },
    }),
  };
}

function filledParameter(path: string, parameter: Parameter, things: DemoThings): Parameter {
  const { name, schema } = parameter;
  const isNeeded = path === FILTER_NEEDED.path && name === FILTER_NEEDED.name;
  const noun = isNeeded ? FILTER_NEEDED.noun : parameter.in === 'path' ? nounOf(path) : '';
  const example = things.ids[noun];
  if (example !== undefined) return { ...parameter, example };
  /* The reference sends the first value of every list of values, and with it filters that exclude each other. */
  if (!name.startsWith('filter[') || schema?.enum === undefined) return parameter;
  return { ...parameter, examples: { default: { value: schema.enum[0], 'x-disabled': true } } };
}

/** Each id becomes that of the demo's thing of the same kind. */
function filledBody(path: string, example: unknown, { ids, battery, now }: DemoThings): unknown {
  const byPrefix = new Map(Object.values(ids).map((id) => [id.split('_')[0], id]));
  return JSON.parse(JSON.stringify(example), (key, value) => {
    if (typeof value !== 'string') return value;
    if (key === 'timestamp') return now ?? value;
    /* A new asset needs a new name, a row that of one that is there. */
    if (path === '/asset-snapshots' && value === 'battery-1') return battery ?? value;
    return (/^[a-z]+_[0-9a-z]{20,}$/.test(value) && byPrefix.get(value.split('_')[0])) || value;
  });
}
