import { expect, test } from 'vitest';
import { sourceVariableFiles } from '../../scripts/write-source-variables.ts';
import { SOURCES, syntheticSource } from '../../src/spot-prices/providers/index.ts';
import type { Source } from '../../src/spot-prices/providers/price-source.ts';
import { placesOf, projectFiles } from './project-files.ts';

/*
 * A source of prices is one descriptor: its name stands in its own files and in the list. Every other place would be one
 * more to find for whoever adds a source. Comments may name one: they tell what was seen of it.
 */

const FOLDER = 'src/spot-prices/providers';

/** Files that name sources, and why they have to. */
const NAMING: readonly { path: RegExp; reason: string }[] = [
  { path: new RegExp(`^${FOLDER}/index\\.ts$`), reason: 'the list' },
  { path: /^src\/config\/price-sources\.ts$/, reason: 'what is configured of each' },
  {
    path: new RegExp(`^${FOLDER}/${syntheticSource.name}\\.ts$`),
    reason: 'invented prices come in the form of another source',
  },
  {
    path: /^src\/cli\/demo\/feed(\/|\.ts$)/,
    reason: 'the feed imitates the sources and shares no code with what reads them',
  },
  {
    path: /^src\/cli\/demo\/(start\/price-choice|learn|learning\/prices)\.ts$/,
    reason: 'a path of that feed, and its switch',
  },
];

/** `energy-charts` is `energyCharts` in code and ENERGY_CHARTS in a variable. */
const spelled = (text: string) => text.replaceAll(/[^A-Za-z0-9]+/g, '[-_ ]?');

/** `synthetic` is left out: the word is the kind of a database as well, which is apart from every source. */
const named: readonly Source[] = SOURCES.filter((source) => source !== syntheticSource);

const files = projectFiles('src', 'workers').filter(({ path }) => /\.(ts|mjs|js|eta)$/.test(path));

const isOwn = (path: string, { name }: Source) =>
  path.startsWith(`${FOLDER}/${name}.`) || path.startsWith(`${FOLDER}/${name}-`);

test.each(named.map((source) => [source.name, source] as const))(
  'the name of %s stands in its descriptor and in the list only',
  (_name, source) => {
    const names = [source.name, source.title, source.shortTitle ?? source.title].map(spelled);
    const pattern = new RegExp(names.join('|'), 'i');
    const own = files.filter(({ path }) => isOwn(path, source));
    expect(placesOf(own, pattern)).not.toEqual([]);
    const others = files.filter(
      (file) => !own.includes(file) && NAMING.every(({ path }) => !path.test(file.path)),
    );
    expect(placesOf(others, pattern)).toEqual([]);
  },
);

test.each(NAMING)('$path names sources: $reason', ({ path }) => {
  const found = files.filter((file) => path.test(file.path));
  expect(found).not.toEqual([]);
  const names = named.map(({ name }) => spelled(name)).join('|');
  expect(placesOf(found, new RegExp(names, 'i'))).not.toEqual([]);
});

test.each(sourceVariableFiles())(
  'the variables of the sources stand in $file as their descriptors have them',
  ({ present, expected }) => {
    expect(present).toBe(expected);
  },
);

test('nobody changes a descriptor', () => {
  for (const source of SOURCES) {
    expect(Object.isFrozen(source)).toBe(true);
    for (const value of Object.values(source))
      expect(Object.isFrozen(value) || typeof value === 'function').toBe(true);
  }
});
