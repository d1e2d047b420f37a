import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { versionEngine } from '../../src/api/app.ts';
import { tags as tagTexts } from '../../src/api/tags.ts';
import { topics } from '../../src/api/topics.ts';
import { readServiceConfig } from '../../src/config/config.ts';
import { NEWEST_VERSION, VERSION_NAMES, type VersionName } from '../../src/config/versions.ts';
import { webhookDescriptions } from '../../src/events/description.ts';
import { accessDescription } from '../../src/identity/oauth/description.ts';
import { openDeps } from '../../src/platform/deps.ts';
import { routeName } from '../../src/platform/interface/route.ts';
import { compiled } from '../../src/platform/interface/zod.ts';
import { openApiDocument } from '../../src/platform/openapi/openapi.ts';
import { testEnvironment } from '../setup/api.ts';
import { applied, type Difference, differenceOf, snapshotNameOf, snapshotOf } from './openapi-difference.ts';
import { projectFolder } from './project-files.ts';

/*
 * What customers hold in their hands. A change of the interface shows here as a difference that somebody has read:
 * `npm test -- test/rules/openapi.test.ts --update=all` writes the files anew.
 */

/* Descriptions are made of routes and schemas alone: nothing is connected to here. */
const deps = openDeps(
  readServiceConfig({
    ...testEnvironment(
      { appUrl: 'postgres://127.0.0.1:1/none', maintenanceUrl: 'postgres://127.0.0.1:1/none' },
      'redis://127.0.0.1:1',
    ),
    BASE_URL: 'https://api.voltstream.example',
  }),
);
const versions = versionEngine(deps);

const documentOf = (version: VersionName) =>
  openApiDocument(version, {
    config: deps.config,
    versions,
    access: accessDescription,
    webhooks: webhookDescriptions(topics),
    tags: tagTexts,
  });

afterAll(() => deps.close());

const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

test('the newest description equals its checked-in snapshot', async () => {
  await expect(text(documentOf(NEWEST_VERSION))).toMatchFileSnapshot(snapshotOf(NEWEST_VERSION));
});

describe.each(
  VERSION_NAMES.slice(0, -1).map((version, index) => [version, VERSION_NAMES[index + 1]] as const),
)('the description of %s', (version, next = NEWEST_VERSION) => {
  const difference = differenceOf(documentOf(next), documentOf(version));

  test(`differs from ${next} as its checked-in snapshot says`, async () => {
    await expect(text(difference)).toMatchFileSnapshot(snapshotOf(version));
  });

  test(`is given byte for byte by ${next} and the difference`, () => {
    const stored = JSON.parse(text(difference)) as Difference;
    expect(text(applied(documentOf(next), stored))).toBe(text(documentOf(version)));
  });
});

describe.each([...VERSION_NAMES])('the examples of %s', (version) => {
  const { paths } = documentOf(version) as { paths: Record<string, Record<string, Operation>> };
  test.each(versions.contracts(version).map((contract) => [routeName(contract.route), contract] as const))(
    '%s are what it takes and gives',
    (_name, { route, body, response }) => {
      const operation = paths[route.path]?.[route.method.toLowerCase()];
      if (route.redirectsTo !== undefined) {
        expect(Object.keys(operation?.responses ?? {})).toContain('302');
        expect(operation?.responses[200]).toBeUndefined();
        return;
      }
      const answer = operation?.responses[200]?.content['application/json'].example as { items?: unknown[] };
      const shown = route.list === undefined ? answer : answer?.items?.[0];
      expect(compiled(response).parse(shown)).toEqual(shown);
      const sent = operation?.requestBody?.content['application/json'].example;
      expect(sent !== undefined).toBe(body !== undefined);
      if (body !== undefined) expect(compiled(body).safeParse(sent).error).toBeUndefined();
    },
  );
});

test('every tag of every version is explained, and none that is not there', () => {
  const names = VERSION_NAMES.flatMap((version) =>
    (documentOf(version) as { tags: { name: string }[] }).tags.map(({ name }) => name),
  );
  expect([...new Set(names)].toSorted()).toEqual(Object.keys(tagTexts).toSorted());
});

test('titles have no marks of code, which readers would see as they stand', () => {
  const { paths, webhooks } = documentOf(NEWEST_VERSION) as {
    paths: Record<string, Record<string, { summary: string }>>;
    webhooks: Record<string, Record<string, { summary: string }>>;
  };
  const titles = [...Object.values(paths), ...Object.values(webhooks)].flatMap((methods) =>
    Object.values(methods).map(({ summary }) => summary),
  );
  expect(titles.filter((title) => title.includes('`'))).toEqual([]);
});

test('a body is required where its schema refuses {}, as which a missing one counts', () => {
  const { paths } = documentOf(NEWEST_VERSION) as { paths: Record<string, Record<string, Operation>> };
  const optional = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { requestBody }]) => requestBody?.required === false)
      .map(([method]) => `${method} ${path}`),
  );
  expect(optional.toSorted()).toEqual([
    'patch /assets/{id}',
    'patch /customers/{id}',
    'patch /subscriptions/{id}',
    'post /assets/{id}/decommission',
  ]);
});

interface Content {
  content: { 'application/json': { example?: unknown } };
}

interface Operation {
  requestBody?: Content & { required: boolean };
  responses: { 200?: Content };
}

type Node = { [key: string]: unknown };

/** Properties and parameters without words, by their place. A reference has those of the component that it names. */
function wordless(value: unknown, place: string, components: Node): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { properties, parameters } = value as { properties?: Node; parameters?: unknown };
  const named = [
    ...Object.entries(typeof properties === 'object' ? properties : {}),
    ...(Array.isArray(parameters)
      ? parameters.map((parameter) => [parameter.name ?? parameter.$ref, parameter] as const)
      : []),
  ] as [string, Node][];
  const isSilent = ({ description, $ref }: Node) => {
    const component = /^#\/components\/(\w+)\/(\w+)$/.exec(String($ref)) ?? [];
    const [, kind = '', name = ''] = component;
    const words = description ?? ((components[kind] as Node)?.[name] as Node)?.description;
    return typeof words !== 'string' || words.length < 4;
  };
  return [
    ...named.filter(([, node]) => isSilent(node)).map(([name]) => `${place}.${name}`),
    /* An example may hold a member of any name. */
    ...Object.entries(value).flatMap(([key, below]) =>
      key === 'example' ? [] : wordless(below, `${place}/${key}`, components),
    ),
  ];
}

test('every property and every parameter of the newest description says what it is', () => {
  const document = documentOf(NEWEST_VERSION) as { components: Node };
  expect(wordless(document, '', document.components)).toEqual([]);
});

test('a property without words, with a unit for words, or with a reference to what has none is found', () => {
  const properties = {
    ...{ power_kw: { type: 'number' }, unit: { description: 'kW' }, known: { description: 'Power in kW' } },
    ...{ row: { $ref: '#/components/schemas/Row' }, told: { $ref: '#/components/schemas/Told' } },
  };
  const components = { schemas: { Row: { properties }, Told: { description: 'It is told' } } };
  expect(wordless(components, '', components)).toEqual([
    '/schemas/Row.power_kw',
    '/schemas/Row.unit',
    '/schemas/Row.row',
  ]);
});

test('there is a snapshot of every version and of nothing else', async () => {
  const files = await readdir(join(projectFolder, 'test/rules/openapi'));
  expect(files.sort()).toEqual(VERSION_NAMES.map(snapshotNameOf));
});
