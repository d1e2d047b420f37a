import { expect, test } from 'vitest';
import { codeFiles, importsOf } from './project-files.ts';

/*
 * The synthetic feed and the code that reads feeds share nothing: a mistake about clock changes, repeats or units that
 * both of them made would cancel out in every test.
 */

const imports = new Map(
  codeFiles('src', 'workers').map((file) => [file.path, importsOf(file).map((found) => found.target)]),
);

const isFeed = (path: string) => path === 'src/cli/demo/feed.ts' || path.startsWith('src/cli/demo/feed/');
const isReader = (path: string) => path.startsWith('src/spot-prices/') || /^src\/cli\/prices/.test(path);

/** Files of the project that these ones reach, themselves included. */
function reachedFrom(isStart: (path: string) => boolean): Set<string> {
  const reached = new Set<string>();
  const open = [...imports.keys()].filter(isStart);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path) || !imports.has(path)) continue;
    reached.add(path);
    open.push(...(imports.get(path) ?? []));
  }
  return reached;
}

test('there is a feed and there are readers', () => {
  expect([...imports.keys()].filter(isFeed).length).toBeGreaterThan(10);
  expect([...imports.keys()].filter(isReader).length).toBeGreaterThan(10);
});

test('what makes values and forms reaches no file outside its own folder', () => {
  const isMaker = (path: string) => path.startsWith('src/cli/demo/feed/');
  expect([...reachedFrom(isMaker)].filter((path) => !isMaker(path))).toEqual([]);
});

test('no file serves both', () => {
  const ofReaders = reachedFrom((path) => path.startsWith('src/spot-prices/providers/'));
  expect([...reachedFrom(isFeed)].filter((path) => ofReaders.has(path))).toEqual([]);
});

test('what reads prices reaches no file of the feed', () => {
  expect([...reachedFrom(isReader)].filter(isFeed)).toEqual([]);
});

test('nothing imports the feed: whoever starts it starts a process', () => {
  const opened = [...imports].flatMap(([path, targets]) =>
    isFeed(path) ? [] : targets.filter(isFeed).map((target) => `${path} → ${target}`),
  );
  expect(opened).toEqual([]);
});
