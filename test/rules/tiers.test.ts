import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codeFiles } from './project-files.ts';

/** What asks which of the two runs it is in. */
const READS_TIER = /\/tier\.ts'/;
const SAMPLED = '.sampled.test.ts';

const files = codeFiles('test').filter(({ path }) => path.endsWith('.test.ts'));

test('a file does less in npm test exactly where its name says sampled', () => {
  const sampled = files.filter(({ path }) => path.endsWith(SAMPLED)).map(({ path }) => path);
  expect(sampled.length).toBeGreaterThan(10);
  expect(files.filter(({ text }) => READS_TIER.test(text)).map(({ path }) => path)).toEqual(sampled);
});

test('a new machine runs npm test, and with LONG=1 the long tests as well', () => {
  const run = readFileSync('.ci/run', 'utf8');
  expect(run).toMatch(/\nnpm test\n.*LONG.*npm run test:long/);
});
