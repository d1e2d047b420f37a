import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { dataFolder } from './scripts/data-folder.mjs';
import LongestFirst from './test/setup/longest-first.ts';

// Vitest would keep a token for its own page in the user's home: nothing is written outside of the project.
process.env.XDG_DATA_HOME = join(dataFolder, 'test');

const LONG = 'test/**/*.long.test.ts';
const SAMPLED = 'test/**/*.sampled.test.ts';

/** `npm test -- some.long.test.ts` runs the file that it names. */
const namesLongFile = process.argv.some((argument) => argument.includes('.long.test'));

/** `npm run test:long` is vitest's mode `long`. */
export default defineConfig(({ mode }) => ({
  test: {
    include: mode === 'long' ? [LONG, SAMPLED] : ['test/**/*.test.ts'],
    exclude: mode === 'long' || namesLongFile ? [] : [LONG],
    provide: { tier: mode === 'long' ? 'long' : 'short' },
    globalSetup: ['test/setup/global.ts'],
    pool: 'forks',
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // On two cores that others use as well, a test was seen to stand still for 54 s. What hangs fails all the same.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    teardownTimeout: 20_000,
    // The default one prints its summary first: what is added here comes last.
    reporters: ['default', './test/setup/reporter.ts'],
  },
}));
