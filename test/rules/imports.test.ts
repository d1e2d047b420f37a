import { expect, test } from 'vitest';
import { codeFiles, type Import, importsOf, type ProjectFile, projectFiles } from './project-files.ts';

/*
 * One way through the code, read from the `from '…'` lines: main → app → routes → service → queries → platform, and the
 * workers beside it.
 */

const files = codeFiles('src', 'workers');
const loadFiles = codeFiles('load');
const edgesOf = (those: readonly ProjectFile[]) =>
  those.flatMap((file) => importsOf(file).map((link) => ({ file, link })));
const edges = edgesOf(files);

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

function broken(rule: (file: ProjectFile, link: Import) => boolean): string[] {
  return edges
    .filter(({ file, link }) => rule(file, link))
    .map(({ file, link }) => `${file.path} → ${link.target}`);
}

test('the files are there and their imports are read', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(edges.length).toBeGreaterThan(150);
});

test('platform imports platform and the configuration, nothing else of src', () => {
  const found = broken(
    (file, link) =>
      file.path.startsWith('src/platform/') &&
      link.target.startsWith('src/') &&
      !link.target.startsWith('src/platform/') &&
      !link.target.startsWith('src/config/'),
  );
  expect(found).toEqual([]);
});

test('a resource imports no app, no versions, no workers, no command line', () => {
  const found = broken(
    (file, link) =>
      resourceOf(file.path) !== undefined && /^(src\/main\.ts|src\/(api|cli)\/|workers\/)/.test(link.target),
  );
  expect(found).toEqual([]);
});

/** `settle.ts` does what its name says, as `settleUsage`: such a file is as open to others as a service. */
function isVerbFile(link: Import): boolean {
  const verb = /\/([a-z]+)[a-z-]*\.ts$/.exec(link.target)?.[1];
  if (/\/([a-z]+-)?queries\.ts$/.test(link.target)) return false;
  return verb !== undefined && link.names.length > 0 && link.names.every((name) => name.startsWith(verb));
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
  const found = broken((file, link) => {
    const [from, to] = [resourceOf(file.path), resourceOf(link.target)];
    if (from === undefined || to === undefined || from === to) return false;
    const name = nameIn(link.target);
    /* Signing in to portal and console is the hosted sign-in: its pages, limits and checks, not a copy of them. */
    if (file.path === 'src/pages/sign-in/offer.ts' && to === 'identity/oauth') return false;
    /* The console acts by the functions of the command line, wherever they stand; rows it may only read. */
    if (from === 'pages/console' && !/queries\.ts$/.test(link.target)) return false;
    if (from === 'pages/console') return !link.names.every((imported) => /^(find|list|[A-Z])/.test(imported));
    if (link.typeOnly || name === 'service.ts' || name === 'jobs.ts') return false;
    if (name === 'retention.ts') return from !== 'governance/retention';
    if (name === 'schema.ts') return !file.path.endsWith('/schema.ts');
    if (name === 'examples.ts') return !/\/(examples|routes)\.ts$/.test(file.path);
    if (name === 'queries.ts') return !link.names.every((imported) => /^(find|list|[A-Z])/.test(imported));
    if (link.target === 'src/pages/sign-in/offer.ts') return false;
    return !isVerbFile(link) && !isCalculation(link.target);
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
    (file, link) => link.target.startsWith('src/cli/demo/') && !file.path.startsWith('src/cli/demo/'),
  );
  expect(found).toEqual([]);
});

test('the configuration knows nobody; deps opens platform parts only', () => {
  const known = broken(
    (file, link) => file.path.startsWith('src/config/') && /^src\/(?!config\/)/.test(link.target),
  );
  expect(known).toEqual([]);
  const found = broken(
    (file, link) => file.path === 'src/platform/deps.ts' && /^src\/(?!platform\/|config\/)/.test(link.target),
  );
  expect(found).toEqual([]);
});

test('versions know schemas, topics, platform and one another', () => {
  const found = broken(
    (file, link) =>
      file.path.startsWith('src/api/versions/') &&
      link.target.startsWith('src/') &&
      !/^src\/(api\/|config\/|platform\/|([a-z-]+\/)+schema\.ts$)/.test(link.target),
  );
  expect(found).toEqual([]);
});

test('workers reach jobs, services, verbs and gauges, never the app', () => {
  const found = broken(
    (file, link) =>
      file.path.startsWith('workers/') &&
      link.target.startsWith('src/') &&
      !/^src\/(platform\/|config\/|([a-z-]+\/)+(jobs|service|gauges)\.ts$)/.test(link.target) &&
      !isVerbFile(link),
  );
  expect(found).toEqual([]);
  expect(broken((file, link) => file.path.startsWith('src/') && link.target.startsWith('workers/'))).toEqual(
    [],
  );
});

test('within a resource: schema and queries import no route and no service', () => {
  const found = broken(
    (file, link) =>
      resourceOf(file.path) !== undefined &&
      /\/(schema|queries)\.ts$/.test(file.path) &&
      /\/(routes|service)\.ts$/.test(link.target) &&
      !link.typeOnly,
  );
  expect(found).toEqual([]);
  const upwards = broken(
    (file, link) => /\/service\.ts$/.test(file.path) && /\/routes\.ts$/.test(link.target),
  );
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

test('no file imports itself by a detour, types included', () => {
  const targets = [...files, ...loadFiles].map(
    (file) => [file.path, importsOf(file).map((found) => found.target)] as const,
  );
  expect(detours(new Map(targets))).toEqual([]);
});

/*
 * Types included: of two folders that know each other, neither can be read, moved or tested alone. What both need goes
 * into a third one, or is handed in by who calls.
 */
test.each([
  ['district', districtOf],
  ['folder', (path: string) => resourceOf(path) ?? districtOf(path)],
  ['part of the platform', platformPartOf],
  ['folder inside the platform', (path: string) => platformFolderOf(path) ?? platformPartOf(path)],
  ['folder of OAuth', (path: string) => /^src\/identity\/oauth\/([^/]+)/.exec(path)?.[1]],
  ['folder of load', (path: string) => /^load\/([^/]+)/.exec(path)?.[1]],
] as const)('no %s imports itself by a detour through others', (_, folderOf) => {
  const folders = new Map<string, Set<string>>();
  for (const { file, link } of [...edges, ...edgesOf(loadFiles)]) {
    const [from, to] = [folderOf(file.path), folderOf(link.target)];
    if (from === undefined || to === undefined || from === to) continue;
    folders.set(from, (folders.get(from) ?? new Set()).add(to));
  }
  expect(folders.size).toBeGreaterThan(8);
  expect(detours(folders)).toEqual([]);
});

/** A folder with all that is below it, or a file that stands beside the folders: `http`, `deps.ts`. */
function platformPartOf(path: string): string | undefined {
  return /^src\/platform\/([^/]+)/.exec(path)?.[1];
}

/** `http/pages`. */
function platformFolderOf(path: string): string | undefined {
  return /^src\/platform\/(.+)\/[^/]+$/.exec(path)?.[1];
}

function districtOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

test('src shows fourteen names at most', () => {
  const names = new Set(files.flatMap(({ path }) => /^src\/([^/]+)/.exec(path)?.[1] ?? []));
  expect(names.size).toBeLessThanOrEqual(14);
});

/** Roles of a noun; each version and each price source has its file. */
const OF_THEIR_OWN =
  /\/(schema|routes|service|queries|jobs|examples)\.ts$|^src\/(api\/versions|spot-prices\/providers)\//;

test('what is shorter than 40 lines and has one user in its folder stands in the file of that user', () => {
  const users = new Map<string, Set<string>>();
  for (const file of codeFiles('src', 'workers', 'scripts', 'load', 'test')) {
    for (const { target } of importsOf(file))
      users.set(target, (users.get(target) ?? new Set()).add(file.path));
  }
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
  const thin = files.filter(({ path, text }) => {
    const [user, second] = users.get(path) ?? [];
    if (user === undefined || second !== undefined || folderOf(user) !== folderOf(path)) return false;
    return text.split('\n').length <= 40 && !OF_THEIR_OWN.test(path);
  });
  expect(thin.map(({ path }) => path)).toEqual([]);
});

test('what a noun says about how long it keeps something is collected, and retention knows nothing else of a noun', () => {
  const said = files.map(({ path }) => path).filter((path) => path.endsWith('/retention.ts'));
  const collected = edges.filter(({ file }) => file.path === 'src/governance/retention/lines.ts');
  expect(collected.map(({ link }) => link.target).sort()).toEqual([...said].sort());
  expect(said.length).toBeGreaterThan(5);
  const known = broken(
    (file, link) =>
      file.path.startsWith('src/governance/retention/') &&
      file.path !== 'src/governance/retention/lines.ts' &&
      link.target.startsWith('src/') &&
      !/^src\/(platform|governance\/retention)\/|^src\/identity\/organizations\/service\.ts$/.test(
        link.target,
      ),
  );
  expect(known).toEqual([]);
});

test('packages of OpenTelemetry are loaded by one file, and only where traces are configured', () => {
  const loading = broken(({ text }, link) => {
    const isOnlyType = link.typeOnly || /^import (?!type)[^;]*'@opentelemetry\//m.test(text) === false;
    return link.target.startsWith('@opentelemetry/') && !isOnlyType;
  });
  expect(loading).toEqual([]);
  const later = edges.filter(({ link }) => link.target.startsWith('@opentelemetry/') && !link.typeOnly);
  expect([...new Set(later.map(({ file }) => file.path))]).toEqual(['src/platform/traces.ts']);
});

test('folders of a bill import each other in the order that their README draws', () => {
  const home = 'src/billing/invoices/';
  const readme = projectFiles(home).find(({ path }) => path === `${home}README.md`);
  const ways = readme?.text.match(/^\S+(?: → \S+){2,}$/gm)?.map((way) => way.split(' → ')) ?? [];
  const folderOf = (path: string) =>
    path.startsWith(home) ? /^([^/]+)\//.exec(path.slice(home.length))?.[1] : undefined;
  const folders = new Set(files.flatMap(({ path }) => folderOf(path) ?? []));
  expect(new Set(ways.flat())).toEqual(folders);
  const turned = broken((file, link) => {
    const [from, to] = [folderOf(file.path), folderOf(link.target)];
    if (from === undefined || to === undefined || from === to) return false;
    return !ways.some((way) => way.includes(from) && way.indexOf(from) < way.indexOf(to));
  });
  expect(turned).toEqual([]);
  const below = new Set(edges.flatMap(({ file, link }) => (folderOf(file.path) ? link.target : [])));
  const beside = files.filter(({ path }) => path.startsWith(home) && folderOf(path) === undefined);
  const upwards = beside.filter((file) => importsOf(file).some(({ target }) => folderOf(target)));
  expect(upwards.map(({ path }) => path).filter((path) => below.has(path))).toEqual([]);
});
