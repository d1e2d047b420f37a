import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { styleText } from 'node:util';
import { projectFolder } from './data-folder.mjs';

/*
 * `npm run check`: everything that can be said about the code without running it. All checks run at once, each prints
 * its findings under its own name, and the exit code says whether there were any.
 */

interface Check {
  name: string;
  /** Below node_modules, or a script of ours. */
  file: string;
  arguments: readonly string[];
  /** What to do about its findings. */
  remedy: string;
}

/**
 * Checks run side by side: one that took every processor would do work several times over, and wait for the others.
 * With a quarter of the garbage collections on top the whole takes a quarter less time on two processors.
 */
const THREADS = String(Math.max(1, Math.floor(availableParallelism() / 2)));
const environment = { ...process.env, GOMAXPROCS: THREADS, GOGC: '400' };

const CHECKS: readonly Check[] = [
  {
    name: 'format and lint',
    file: 'node_modules/@biomejs/biome/bin/biome',
    arguments: ['check', '--error-on-warnings', '--max-diagnostics=60'],
    remedy: 'npm run format mends most of it',
  },
  {
    name: 'types',
    file: 'node_modules/@typescript/native/bin/tsc',
    arguments: ['--noEmit', '--pretty', 'false', '--checkers', THREADS],
    remedy: 'mend the types',
  },
  {
    name: 'promises',
    file: 'node_modules/oxlint/bin/oxlint',
    arguments: [
      ...['--type-aware', '--deny-warnings', '-A', 'all'],
      ...['-D', 'typescript/no-floating-promises', '-D', 'typescript/no-misused-promises'],
      ...['src', 'workers', 'scripts', 'test', 'load', 'client'],
    ],
    remedy: 'await each promise or say with void that nobody waits for it',
  },
  {
    name: 'patterns',
    file: 'node_modules/oxlint/bin/oxlint',
    arguments: [
      ...['--config', 'scripts/linear-patterns.json', '-A', 'all', '-D', 'patterns/linear'],
      ...['src', 'workers', 'scripts', 'load', 'client'],
    ],
    remedy: 'take the text apart at characters, or make neighbours of the pattern exclude each other',
  },
  {
    name: 'names',
    file: 'node_modules/oxlint/bin/oxlint',
    arguments: [
      ...['--config', 'scripts/names.json', '--deny-warnings'],
      ...['src', 'workers', 'scripts', 'test', 'load', 'client'],
    ],
    remedy: 'take the noun of the trade: contract, request, query',
  },
  {
    name: 'dead code',
    file: 'node_modules/knip/bin/knip.js',
    arguments: ['--no-progress'],
    remedy: 'delete what nothing uses, or stop exporting it',
  },
  {
    name: 'lock file',
    file: 'scripts/lock.mjs',
    arguments: ['--check'],
    remedy: 'node scripts/lock.mjs completes it',
  },
];

interface Result {
  check: Check;
  passed: boolean;
  output: string;
  seconds: number;
}

function run(check: Check): Promise<Result> {
  const startedAt = performance.now();
  const output: Buffer[] = [];
  const child = spawn(process.execPath, [check.file, ...check.arguments], {
    cwd: projectFolder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', (part: Buffer) => output.push(part));
  child.stderr.on('data', (part: Buffer) => output.push(part));
  return new Promise((resolve) => {
    const end = (passed: boolean) =>
      resolve({
        check,
        passed,
        output: Buffer.concat(output).toString('utf8').trim(),
        seconds: (performance.now() - startedAt) / 1000,
      });
    child.on('error', (error) => {
      output.push(Buffer.from(error.message));
      end(false);
    });
    child.on('close', (code) => end(code === 0));
  });
}

const results = await Promise.all(CHECKS.map(run));
for (const { check, passed, output } of results) {
  if (!passed) console.log(`${styleText('bold', check.name)}\n${output}\n`);
}
for (const { check, passed, seconds } of results) {
  const mark = passed ? styleText('green', '✓') : styleText('red', '✗');
  console.log(`${mark} ${check.name} (${seconds.toFixed(1)} s)${passed ? '' : `: ${check.remedy}`}`);
}
process.exitCode = results.every((result) => result.passed) ? 0 : 1;
