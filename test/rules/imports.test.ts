import { expect, test } from 'vitest';
import { codeFiles, type Import, importsOf, type ProjectFile } from './project-files.ts';

/*
 * One way through the code, read from the `from '…'` lines: main → app → routes → service → queries → platform, and the
 * workers beside it.
 */

const files = codeFiles('src', 'workers');
const edges = files.flatMap((file) => importsOf(file).map((one) => ({ file, one })));

/** Folders below src that have no resources. */
const NOT_RESOURCES = new Set(['api', 'cli', 'config', 'platform']);

/** `telemetry/assets`; a district that is one resource by itself has its own name. */
function resourceOf(path: string): string | undefined {
  const [, district = '', noun = ''] = /^src\/([^/]+)\/(?:([^/]+)\/)?/.exec(path) ?? [];
  if (district === '' || NOT_RESOURCES.has(district)) return undefined;
  if (district === 'events' || district === 'spot-prices') return district;
  return noun === '' ? undefined : `${district}/${noun}`;
}

/** Below the folder of the resource. */
function nameIn(path: string): string {
  return path.slice(`src/${resourceOf(path)}/`.length);
}

function broken(rule: (file: ProjectFile, one: Import) => boolean): string[] {
  return edges
    .filter(({ file, one }) => rule(file, one))
    .map(({ file, one }) => `${file.path} → ${one.target}`);
}

test('the files are there and their imports are read', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(edges.length).toBeGreaterThan(150);
});

test('platform imports platform and the configuration, nothing else of src', () => {
  const found = broken(
    (file, one) =>
      file.path.startsWith('src/platform/') &&
      one.target.startsWith('src/') &&
      !one.target.startsWith('src/platform/') &&
      !one.target.startsWith('src/config/'),
  );
  expect(found).toEqual([]);
});

test('a resource imports no app, no versions, no workers, no command line', () => {
  const found = broken(
    (file, one) =>
      resourceOf(file.path) !== undefined && /^(src\/main\.ts|src\/(api|cli)\/|workers\/)/.test(one.target),
  );
  expect(found).toEqual([]);
});

/** `settle.ts` does what its name says, as `settleUsage`: such a file is as open to others as a service. */
function isVerbFile(one: Import): boolean {
  const verb = /\/([a-z]+)[a-z-]*\.ts$/.exec(one.target)?.[1];
  if (/\/([a-z]+-)?queries\.ts$/.test(one.target)) return false;
  return verb !== undefined && one.names.length > 0 && one.names.every((name) => name.startsWith(verb));
}

const byPath = new Map(files.map((file) => [file.path, file]));

/** What a calculation may be made of: decimals, check digits, and a place for what was calculated before. */
const ARITHMETIC = new Set([
  'decimal.js',
  'ibantools',
  'src/platform/money.ts',
  'src/platform/bounded-cache.ts',
]);

/** Plain values in, decimals out: it imports nothing that reads or sends. Whoever calculates with it calculates alike. */
function isCalculation(path: string): boolean {
  const file = byPath.get(path);
  if (file === undefined || !/^src\/[a-z-]+\//.test(path)) return false;
  return importsOf(file).every(
    ({ target, typeOnly }) => typeOnly || ARITHMETIC.has(target) || isCalculation(target),
  );
}

/*
 * A schema may contain the schema of another resource: the object shown inside another one has one shape. Rows of
 * another resource are reached by `find…` and `list…` only, everything that follows a rule by its service or by the file
 * of the verb. How long a resource keeps what is its own business; only retention, which removes what is over, collects
 * it. An example for the API description may contain the example of another resource: the same things in all of them.
 */
test('from another resource come verbs, calculations, jobs, reading queries, schemas into schemas, examples into examples', () => {
  const found = broken((file, one) => {
    const [from, to] = [resourceOf(file.path), resourceOf(one.target)];
    if (from === undefined || to === undefined || from === to) return false;
    const name = nameIn(one.target);
    /* Signing in to the portal is the hosted sign-in: its pages, limits and checks, not a copy of them. */
    if (file.path === 'src/pages/portal/login.ts' && to === 'identity/oauth') return false;
    if (one.typeOnly || name === 'service.ts' || name === 'jobs.ts') return false;
    if (name === 'retention.ts') return from !== 'governance/retention';
    if (name === 'schema.ts') return !file.path.endsWith('/schema.ts');
    if (name === 'examples.ts') return !/\/(examples|routes)\.ts$/.test(file.path);
    if (name === 'queries.ts') return !one.names.every((imported) => /^(find|list|[A-Z])/.test(imported));
    return !isVerbFile(one) && !isCalculation(one.target);
  });
  expect(found).toEqual([]);
});

test('what is a calculation is told by what it imports', () => {
  expect(
    ['src/tariffs/quotes/consumption.ts', 'src/tariffs/reference-data/grid-bands.ts'].filter(isCalculation),
  ).toHaveLength(2);
  expect(
    ['src/tariffs/reference-data/service.ts', 'src/tariffs/plans/queries.ts', 'src/nothing.ts'].filter(
      isCalculation,
    ),
  ).toEqual([]);
});

test('nothing but the demo imports the demo', () => {
  const found = broken(
    (file, one) => one.target.startsWith('src/cli/demo/') && !file.path.startsWith('src/cli/demo/'),
  );
  expect(found).toEqual([]);
});

test('the configuration knows nobody; deps opens platform parts only', () => {
  const known = broken(
    (file, one) => file.path.startsWith('src/config/') && /^src\/(?!config\/)/.test(one.target),
  );
  expect(known).toEqual([]);
  const found = broken(
    (file, one) => file.path === 'src/platform/deps.ts' && /^src\/(?!platform\/|config\/)/.test(one.target),
  );
  expect(found).toEqual([]);
});

test('versions know schemas, topics, platform and one another', () => {
  const found = broken(
    (file, one) =>
      file.path.startsWith('src/api/versions/') &&
      one.target.startsWith('src/') &&
      !/^src\/(api\/|config\/|platform\/|([a-z-]+\/)+schema\.ts$)/.test(one.target),
  );
  expect(found).toEqual([]);
});

test('workers reach jobs, services, verbs and gauges, never the app', () => {
  const found = broken(
    (file, one) =>
      file.path.startsWith('workers/') &&
      one.target.startsWith('src/') &&
      !/^src\/(platform\/|config\/|([a-z-]+\/)+(jobs|service|gauges)\.ts$)/.test(one.target) &&
      !isVerbFile(one),
  );
  expect(found).toEqual([]);
  expect(broken((file, one) => file.path.startsWith('src/') && one.target.startsWith('workers/'))).toEqual(
    [],
  );
});

test('within a resource: schema and queries import no route and no service', () => {
  const found = broken(
    (file, one) =>
      resourceOf(file.path) !== undefined &&
      /\/(schema|queries)\.ts$/.test(file.path) &&
      /\/(routes|service)\.ts$/.test(one.target) &&
      !one.typeOnly,
  );
  expect(found).toEqual([]);
  const upwards = broken((file, one) => /\/service\.ts$/.test(file.path) && /\/routes\.ts$/.test(one.target));
  expect(upwards).toEqual([]);
});

/** The ways that lead back to where they began. */
function detours(targets: ReadonlyMap<string, Iterable<string>>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (name: string, trail: readonly string[]): void => {
    const seenAt = trail.indexOf(name);
    if (seenAt !== -1) found.push([...trail.slice(seenAt), name].join(' → '));
    if (seenAt !== -1 || done.has(name)) return;
    for (const target of targets.get(name) ?? []) visit(target, [...trail, name]);
    done.add(name);
  };
  for (const name of targets.keys()) visit(name, []);
  return found;
}

test('no file imports itself by a detour', () => {
  expect(
    detours(new Map(files.map((file) => [file.path, importsOf(file).map((one) => one.target)]))),
  ).toEqual([]);
});

/*
 * Types included: of two folders that know each other, neither can be read, moved or tested alone. What both need goes
 * into a third one, or is handed in by who calls.
 */
test.each([
  ['district', districtOf],
  ['folder', (path: string) => resourceOf(path) ?? districtOf(path)],
] as const)('no %s imports itself by a detour through others', (_, folderOf) => {
  const folders = new Map<string, Set<string>>();
  for (const { file, one } of edges) {
    const [from, to] = [folderOf(file.path), folderOf(one.target)];
    if (from === undefined || to === undefined || from === to) continue;
    folders.set(from, (folders.get(from) ?? new Set()).add(to));
  }
  expect(folders.size).toBeGreaterThan(10);
  expect(detours(folders)).toEqual([]);
});

function districtOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

test('src shows fourteen names at most', () => {
  const names = new Set(files.flatMap(({ path }) => /^src\/([^/]+)/.exec(path)?.[1] ?? []));
  expect(names.size).toBeLessThanOrEqual(14);
});

test('what a noun says about how long it keeps something is collected, and retention knows nothing else of a noun', () => {
  const said = files.map(({ path }) => path).filter((path) => path.endsWith('/retention.ts'));
  const collected = edges.filter(({ file }) => file.path === 'src/governance/retention/lines.ts');
  expect(collected.map(({ one }) => one.target).sort()).toEqual([...said].sort());
  expect(said.length).toBeGreaterThan(5);
  const known = broken(
    (file, one) =>
      file.path.startsWith('src/governance/retention/') &&
      file.path !== 'src/governance/retention/lines.ts' &&
      one.target.startsWith('src/') &&
      !/^src\/(platform|governance\/retention)\/|^src\/identity\/organizations\/service\.ts$/.test(
        one.target,
      ),
  );
  expect(known).toEqual([]);
});
