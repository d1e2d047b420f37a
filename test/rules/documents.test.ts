import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import GithubSlugger from 'github-slugger';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { jobsPage } from '../../scripts/write-jobs-table.ts';
import { meterOrderStagesPage } from '../../scripts/write-meter-order-stages.ts';
import { composeFile } from './compose-file.ts';
import { projectFolder } from './project-files.ts';

const README_LINES_MAX = 100;

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'test/README.md'],
  ...['docs', 'reference'].flatMap((folder) =>
    readdirSync(join(projectFolder, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

/** Without code, in which brackets and `#` mean something else. */
function prose(page: string): string {
  return page
    .replace(/^(```|~~~).*?^\1/gms, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ' '));
}

/** The anchors that a page offers, as the readers of repositories make them from headings. */
function anchorsOf(page: string): Set<string> {
  const slugger = new GithubSlugger();
  const headings = [...prose(page).matchAll(/^#{1,6} +(.+?) *$/gm)];
  return new Set(headings.map(([, heading = '']) => slugger.slug(heading.replaceAll('`', ''))));
}

interface Link {
  from: string;
  target: string;
}

function linksOf(from: string): Link[] {
  return [...prose(read(from)).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => ({ from, target }));
}

const links = pages.flatMap(linksOf).filter(({ target }) => !/^[a-z]+:/.test(target));

function leadsSomewhere({ from, target }: Link): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : normalize(join(dirname(from), file));
  if (path.startsWith('..') || !existsSync(join(projectFolder, path))) return false;
  return anchor === undefined || (path.endsWith('.md') && anchorsOf(read(path)).has(anchor));
}

test(`the README has at most ${README_LINES_MAX} lines`, () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(README_LINES_MAX);
});

test('links of the documents are found', () => {
  expect(pages).toContain('docs/operating.md');
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter(({ target }) => target.includes('#')).length).toBeGreaterThan(10);
});

test('every link inside the documents, and every anchor, leads to something that exists', () => {
  const dead = links.filter((link) => !leadsSomewhere(link)).map(({ from, target }) => `${from} → ${target}`);
  expect(dead).toEqual([]);
});

/** `src/api/app.ts`, `test/rules/imports.test.ts:9` and `src/identity/oauth/`, where nothing is left open as in `src/<district>/<noun>/`. */
const OWN_PATH = /`((?:src|workers|scripts|sql|test|load|ops|docs|reference)\/[\w./-]+?)(?::\d+)?`/g;

test('every path of the project that a document names in its text exists', () => {
  const named = pages.flatMap((from) =>
    [...read(from).matchAll(OWN_PATH)].map(([, path = '']) => ({ from, path })),
  );
  expect(named.length).toBeGreaterThan(60);
  /* What git leaves out is made by whoever runs something. */
  const made = read('.gitignore').split('\n');
  const gone = named.filter(({ path }) => !made.includes(path) && !existsSync(join(projectFolder, path)));
  expect(gone.map(({ from, path }) => `${from} → ${path}`)).toEqual([]);
});

test('every page of docs is reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const from of reached) {
    for (const { target } of from.endsWith('.md') ? linksOf(from) : []) {
      const path = normalize(join(dirname(from), target.split('#')[0] ?? ''));
      if (existsSync(join(projectFolder, path)) && path.endsWith('.md')) reached.add(path);
    }
  }
  expect(pages.filter((page) => !reached.has(page))).toEqual([]);
});

test('the newest release of the change log is the version of the package and of its lock', () => {
  const { version } = JSON.parse(read('package.json'));
  const lock = JSON.parse(read('package-lock.json'));
  const releases = [...read('CHANGELOG.md').matchAll(/^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/gm)];
  expect([lock.version, lock.packages[''].version, releases[0]?.[1]]).toEqual([version, version, version]);
  expect(read('SECURITY.md')).toContain(`| ${version.replace(/\.\d+$/, '')} | yes |`);
});

test('continuous integration runs what the project runs, with the Node that the README asks for', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml'));
  expect(jobs.test.steps.map(({ run }: { run?: string }) => run)).toContain('bash .ci/run');
  const [, node] = /^node:(\d+)/.exec(jobs.test.container) ?? [];
  expect(read('README.md')).toContain(`Node ${node} or newer`);
});

test('continuous integration looks up advisories and lists all packages, and its own steps are pinned by their content', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml'));
  const commands = jobs['supply-chain'].steps.flatMap(({ run }: { run?: string }) => run ?? []);
  expect(commands).toEqual([
    expect.stringMatching(/^npm ci\b/),
    expect.stringMatching(/^npm audit .*--audit-level=/),
    'npm audit signatures',
    expect.stringMatching(/^npm sbom .*--sbom-format=cyclonedx/),
  ]);
  const used = Object.values<{ steps: { uses?: string }[] }>(jobs).flatMap(({ steps }) =>
    steps.flatMap(({ uses }) => uses ?? []),
  );
  expect(used.length).toBeGreaterThan(2);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
});

test('the digests of all images that others publish are written down, by the guide and by continuous integration', () => {
  const images = Object.entries(composeFile.services).filter(([, { image }]) => image !== 'voltstream');
  const names = images.map(([name]) => name).toSorted();
  const lists = ['docs/deployment.md', '.github/workflows/ci.yml'].map((path) =>
    /--lock-image-digests([^>]+)>/
      .exec(read(path))?.[1]
      ?.match(/[\w-]+/g)
      ?.toSorted(),
  );
  expect(lists).toEqual([names, names]);
  expect(names).toContain('timescaledb');
});

test('the guide keeps the digests apart from the network of the proxy, and git knows neither', () => {
  const guide = read('docs/deployment.md');
  expect(/--lock-image-digests[^>]+> (\S+)\n(.*)/.exec(guide)?.slice(1)).toEqual(['images.yml', '```']);
  expect(guide).toContain('`COMPOSE_FILE=docker-compose.yml:docker-compose.override.yml:images.yml`');
  expect(read('.gitignore').split('\n')).toEqual(
    expect.arrayContaining(['/images.yml', '/docker-compose.override.yml']),
  );
});

test('docs/operating.md has what may follow which stage of a meter order (else: node scripts/node.mjs scripts/write-meter-order-stages.ts)', () => {
  const { present, expected } = meterOrderStagesPage();
  expect(present).toBe(expected);
  expect(present).toContain('| `activated` | delivers readings |');
});

test('docs/operating.md has the row of every job (else: node scripts/node.mjs scripts/write-jobs-table.ts)', () => {
  const { present, expected } = jobsPage();
  expect(present).toBe(expected);
  expect(present.split('\n').filter((line) => /^\| `[a-z-]+` \| /.test(line)).length).toBeGreaterThan(10);
});
