import { expect, test } from 'vitest';
import { recoveryProblems } from '../../../src/platform/process/node-check.ts';

test('what a dead node acknowledged is looked for every few seconds, or the start is refused', () => {
  expect(recoveryProblems(undefined)).toEqual([]);
  expect(recoveryProblems(5_000)).toEqual([]);
  expect(recoveryProblems(60_000)[0]).toContain('citus.recover_2pc_interval is 60 s');
  expect(recoveryProblems(-1)[0]).toContain('citus.recover_2pc_interval is off');
});
