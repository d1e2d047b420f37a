import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { dataFolder } from './scripts/data-folder.mjs';
import LongestFirst from './test/setup/longest-first.ts';

// Vitest would keep a token for its own page in the user's home: nothing is written outside of the project.
process.env.XDG_DATA_HOME = join(dataFolder, 'test');

const LONG = 'test/**/*.long.test.ts';

/** `npm test -- some.long.test.ts` runs the file that it names. */
const namesLongFile = process.argv.some((argument) => argument.includes('.long.test'));

/** In a process of its own, because it measures the memory of that. */
const APART = ['test/platform/body/limits.test.ts'];

/**
 * All others share processes, which have read the service once, nearly half of the processor time, and started it once.
 * Nothing is replaced in these tests, and test/rules/shared-processes.test.ts finds what one file would leave to the next.
 * Half of the folders have processes of their own, because memory and the shared database grow with every file.
 */
const PEOPLE = ['identity', 'cli', 'governance', 'contracts', 'tariffs'];

/** `npm run test:long` is vitest's mode `long`. */
export default defineConfig(({ mode }) => {
  const isLong = mode === 'long';
  const isPatient = isLong || namesLongFile;
  const apart = isLong ? [LONG] : [...APART, ...(namesLongFile ? [LONG] : [])];
  const filesIn = (folder: string) => `test/${folder}/**/*${isLong ? '.sampled' : ''}.test.ts`;
  const shared = (name: string, include: string[], without: string[] = []) => ({
    extends: true as const,
    test: {
      ...{ name, include, exclude: [LONG, ...APART, ...without] },
      ...{ isolate: false, provide: { isAlone: false } },
    },
  });
  return {
    test: {
      projects: [
        { extends: true, test: { name: 'apart', include: apart, provide: { isAlone: true } } },
        shared('others', [filesIn('*')], PEOPLE.map(filesIn)),
        shared('people', PEOPLE.map(filesIn)),
      ],
      provide: { tier: isLong ? 'long' : 'short' },
      globalSetup: ['test/setup/global.ts'],
      setupFiles: ['test/setup/left-open.ts'],
      pool: 'forks',
      maxWorkers: 3,
      sequence: { sequencer: LongestFirst },
      // On two cores that others use as well, a test was seen to stand still for 54 s. What hangs fails all the same.
      testTimeout: isPatient ? 1_200_000 : 300_000,
      hookTimeout: isPatient ? 1_200_000 : 300_000,
      expect: { poll: { timeout: isPatient ? 300_000 : 120_000 } },
      teardownTimeout: 20_000,
      // The default one prints its summary first: what is added here comes last.
      reporters: ['default', './test/setup/reporter.ts'],
    },
  };
});
