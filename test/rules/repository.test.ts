import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VARIABLE_NAMES } from '../../src/config/config.ts';
import { codeFiles, projectFiles, projectFolder } from './project-files.ts';

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');

test('every variable stands in docs/configuration.md, and back', () => {
  const rows = [...read('docs/configuration.md').matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map(
    (match) => match[1],
  );
  expect(new Set(rows)).toEqual(new Set(VARIABLE_NAMES));
  expect(rows).toHaveLength(VARIABLE_NAMES.length);
});

test('a package that is made as client/README.md says leaves the clone clean', () => {
  expect(read('client/README.md')).toContain('`npm pack` in this folder');
  expect(read('.gitignore').split('\n')).toContain('client/*.tgz');
});

test('the lock is complete for every platform and names no host', () => {
  execFileSync(process.execPath, ['scripts/lock.mjs', '--check'], { cwd: projectFolder });
  expect(read('package-lock.json')).not.toMatch(/"resolved":/);
});

/* `-r.5` is how the makers of DuckDB count their releases of one version. */
test('every package is pinned exactly', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'));
  const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const loose = versions.filter(
    ([, version]) => !/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+(-r\.\d+)?$/.test(String(version)),
  );
  expect(loose).toEqual([]);
});

/*
 * npm would swallow SIGTERM. And npm 11 puts the pinned Node first in the search path, where it is found as `node`
 * before the launcher has seen to its libraries: a bare machine said "libatomic.so.1: cannot open shared object file".
 */
test('scripts hand their place over to the launcher, run by the Node that runs npm', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const launched = `: exec "\${npm_node_execpath:-node}" scripts/node.mjs `;
  for (const [name, text] of Object.entries(scripts)) expect(`${name}: ${text}`).toContain(launched);
});

/** Files that are part of the repository, whatever their kind. */
function repositoryFiles() {
  const single = [
    ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'Dockerfile', 'docker-compose.yml'],
    ...['package.json', 'biome.json', 'knip.json'],
  ];
  return projectFiles(
    'src',
    'workers',
    'scripts',
    'sql',
    'test',
    'load',
    'docs',
    'client',
    '.ci',
    '.github',
  ).concat(
    single
      .filter((path) => existsSync(join(projectFolder, path)))
      .map((path) => ({ path, text: read(path) })),
  );
}

test('no file holds a key or a password', () => {
  const secrets =
    /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*\n[A-Za-z0-9+/]|\bocs_[A-Za-z0-9]{43}\b|:\/\/\w+:[A-Za-z0-9]{16,}@/;
  const found = repositoryFiles().filter((file) => secrets.test(file.text));
  expect(found.map((file) => file.path)).toEqual([]);
});

test('no file names the machine it was written on', () => {
  const machine = /(?<![\w.])\/(?:home|work|root|Users)\/[a-z]|[a-z0-9-]+\.(?:internal|lan|corp)\b/;
  const found = repositoryFiles().filter(
    (file) => !file.path.startsWith('test/rules/') && machine.test(file.text),
  );
  expect(found.map((file) => file.path)).toEqual([]);
});

test('every metric is described, and nothing else is', () => {
  const pattern = /\.(?:counter|gauge|histogram|measured)\(\s*'([a-z0-9_]+)'/g;
  const made = codeFiles('src', 'workers').flatMap((file) =>
    [...file.text.matchAll(pattern)].map((match) => match[1]),
  );
  const described = [...read('docs/metrics.md').matchAll(/^\| `voltstream_([a-z0-9_]+)` \|/gm)].map(
    (match) => match[1],
  );
  expect(new Set(described)).toEqual(new Set(made));
});

test('every test row that docs/security.md names against a threat is the title of a test', () => {
  const table = read('docs/security.md').split('## Threats')[1]?.split('## ')[0] ?? '';
  const named = [...table.matchAll(/\b[BFIKRSTVZ]\d{2}\b/g)].map(([row]) => row);
  expect(named.length).toBeGreaterThan(20);
  const tests = projectFiles('test').filter((file) => !file.path.startsWith('test/rules/repository'));
  const missing = named.filter((row) => !tests.some((file) => new RegExp(`\\b${row}\\b`).test(file.text)));
  expect(missing).toEqual([]);
});
