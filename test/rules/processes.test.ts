import { expect, test } from 'vitest';
import { codeFiles } from './project-files.ts';

/*
 * A process costs a test about 0.7 s of processor time. Files and folders that start some, and what they need of a process
 * that a call does not give them. Commands of the command line run in the test: test/cli/command-line.ts.
 */
const REASONS: Readonly<Record<string, string>> = {
  'test/setup/service-process.ts': 'starts processes of the service for the others',
  'test/setup/memory.ts': 'cp keeps the owners of files',
  'test/setup/api-process.ts': 'starts processes of the API for the others',
  'test/cli/command-process.ts': 'starts processes of the command line for the others',
  'test/client/package.test.ts': 'npm, and a program of a partner',
  'test/cli/process.test.ts': 'streams and exit codes, from the shell on',
  'test/cli/closed-output.test.ts': 'the reader of a pipe leaves',
  'test/cli/clock.test.ts': 'a machine with another clock',
  'test/cli/engine/completion.test.ts': 'shells complete by the script',
  'test/cli/terminal.test.ts': 'a terminal and its pager',
  'test/cli/events/listen.sampled.test.ts': 'Ctrl-C, and SIGKILL',
  'test/cli/own-organization.sampled.test.ts': 'the folder in which npm was called',
  'test/cli/psql.test.ts': 'psql takes the streams of its process',
  'test/cli/demo/': 'programs of their own, which are interrupted',
  'test/cli/start/': 'npm start and its processes',
  'test/workers/': 'signals, and an end at any moment',
  'test/faults/': 'processes that are killed',
  'test/scripts/': 'scripts are programs',
  'test/load/': 'load runs are programs, whose processor time is measured',
  'test/governance/analysts/worker.test.ts': 'the worker as it is started',
  'test/governance/analysts/cookbook.sampled.test.ts': 'shell, psql and Python of a document',
  'test/governance/exports/data-set-kill.test.ts': 'an export that is killed',
  'test/governance/exports/memory.test.ts': 'memory of a process',
  'test/governance/exports/parquet.sampled.test.ts': 'a package that is not installed',
  'test/governance/exports/resume.test.ts': 'an export that is killed',
  'test/identity/oauth/libraries/python-client.test.ts': 'a library for Python',
  'test/browser/reference.test.ts': 'curl of a document',
  'test/pages/docs/gateways.test.ts': 'programs of a document',
  'test/pages/docs/guide.test.ts': 'shell of a document',
  'test/pages/docs/webhooks.sampled.test.ts': 'programs of a document',
  'test/platform/openapi/openapi.test.ts': 'a linter that is a program',
  'test/platform/traces/processes.test.ts': 'modules that a process loads, and its end',
  'test/rules/openapi-lint.sampled.test.ts': 'a linter that is a program',
  'test/rules/linear-patterns.sampled.test.ts': 'a linter that is a program',
  'test/rules/repository.test.ts': 'a script is a program',
  'test/rules/compose.test.ts': 'shell of a document',
  'test/rules/grafana.test.ts': 'promtool is a program',
  'test/rules/compose-valkey.test.ts': 'the command of a container',
  'test/rules/systemd-units.test.ts': 'systemd reads its own files',
};

/** Imports by which a test comes to a process. */
const STARTS = /from '(?:node:child_process|\S+\/(?:command|service|api)-process\.ts)'/;

test('a test that starts a process says what it needs one for', () => {
  const starting = codeFiles('test')
    .filter(({ text }) => STARTS.test(text))
    .map(({ path }) => path.replace('.long.test.ts', '.test.ts'));
  const given = Object.keys(REASONS);
  const fits = (path: string) => given.filter((place) => path === place || isBelow(path, place));
  expect(starting.filter((path) => fits(path).length === 0)).toEqual([]);
  const used = new Set(starting.flatMap(fits));
  expect(given.filter((place) => !used.has(place))).toEqual([]);
});

const isBelow = (path: string, place: string) => place.endsWith('/') && path.startsWith(place);

/** Programs of their own, and what hands the process over to commands. */
const OF_PROCESS = /^src\/cli\/(?:demo\/|local\/|(?:main|db|engine\/process-io)\.ts$)/;

test('a command takes streams, environment and exit code from its io, not from the process', () => {
  const commands = codeFiles('src/cli').filter(({ path }) => !OF_PROCESS.test(path));
  expect(commands.length).toBeGreaterThan(40);
  const own =
    /\bprocess\.(?:stdin|stdout|stderr|env|argv|exit|exitCode)\b|\bprocessEnvironment\b|\bconsole\./;
  expect(commands.filter(({ text }) => own.test(text)).map(({ path }) => path)).toEqual([]);
});
