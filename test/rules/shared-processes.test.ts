import { expect, test } from 'vitest';
import { codeFiles, withoutComments } from './project-files.ts';

/* Test files share processes (vitest.config.ts): what one changes there for good, the next one meets. */

/** Programs of their own, and what runs outside of tests. */
const OTHER_PROCESSES = [
  'test/faults/ledger-driver.ts',
  'test/load/processor.long.test.ts',
  'test/setup/reporter.ts',
  'test/setup/fresh-database.ts',
];

const files = codeFiles('test')
  .filter(({ path }) => !OTHER_PROCESSES.includes(path) && path !== 'test/rules/shared-processes.test.ts')
  .map(({ path, text }) => ({ path, code: withoutComments(text) }));

const named = (pattern: RegExp) => files.filter(({ code }) => pattern.test(code)).map(({ path }) => path);

test.each([
  [
    'the environment',
    /process\.env(\.\w+|\[[^\]]+\])\s*(\?\?|\|\|)?=[^=]|delete process\.env|assign\(process\.env/,
  ],
  ['the folder of the process', /process\.chdir\(/],
  ['global names', /globalThis\.\w+\s*=[^=]|defineProperty\((globalThis|process)\b/],
  ['what all expectations know', /expect\.(extend|addSnapshotSerializer|addEqualityTesters)\(/],
  ['the calendar of all files', /\bSettings\.\w+\s*=[^=]/],
])('no test sets %s', (_what, pattern) => {
  expect(named(pattern)).toEqual([]);
});

test.each([
  ['variables of the environment', /vi\.stubEnv\(/, /vi\.unstubAllEnvs\(/],
  ['the clock of the process', /vi\.useFakeTimers\(/, /vi\.useRealTimers\(/],
  ['a function by a spy', /vi\.spyOn\(/, /\.mockRestore\(|vi\.restoreAllMocks\(/],
  ['a listener of the process', /^\s*process\.(on|once|addListener)\(/m, /process\.(off|removeListener)\(/],
])('who replaces %s puts it back', (_what, replaces, putsBack) => {
  const forGood = files.filter(({ code }) => replaces.test(code) && !putsBack.test(code));
  expect(forGood.map(({ path }) => path)).toEqual([]);
});

test('a hook stands in a test file or in a function: a shared module is read once, and only its first file would have it', () => {
  const hooks = files.filter(
    ({ path, code }) =>
      !path.endsWith('.test.ts') &&
      path !== 'test/setup/left-open.ts' &&
      /^(beforeAll|beforeEach|afterAll|afterEach)\(/m.test(code),
  );
  expect(hooks.map(({ path }) => path)).toEqual([]);
});
