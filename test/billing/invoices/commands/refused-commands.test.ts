import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOrganization } from '../../../setup/factories.ts';
import { auditRows } from '../../../setup/stored-rows.ts';
import { type Commands, startCommands, WHY } from './commands.ts';

let commands: Commands;
beforeAll(async () => {
  commands = await startCommands();
});
afterAll(() => commands?.billed.close());

const UNKNOWN = 'sub_000000000000000000000000';

test('commands of billing name what is not there, also where it is of another organization, and write nothing', async () => {
  const { id } = await commands.contract();
  const other = await createOrganization(commands.billed.api.deps);
  const changes = [
    ['mode', UNKNOWN, 'monthly', '--from', '2027-01'],
    ['instalment', UNKNOWN, '80', '--from', '2027-01-01'],
    ['correct', UNKNOWN],
    ['exit-summary', UNKNOWN],
  ];
  for (const args of changes) {
    const said = `There is no contract ${UNKNOWN} in ${commands.billed.organization}\n`;
    expect(await commands.refusedBy(...args, ...WHY), args[0]).toBe(said);
    const foreign = [...args.map((arg) => (arg === UNKNOWN ? id : arg)), ...WHY, '--organization', other];
    expect(await commands.run(...foreign), args[0]).toEqual({
      ...{ exitCode: 1, stdout: '', stderr: `There is no contract ${id} in ${other}\n` },
    });
  }
  for (const act of ['subscription', 'invoices']) {
    expect(await auditRows(commands.billed.api, other, act)).toEqual([]);
  }
  const unknownRun = 'brun_000000000000000000000000';
  expect(await commands.refusedBy('report', '--run', unknownRun)).toBe(
    `There is no run ${unknownRun} in ${commands.billed.organization}\n`,
  );
  const empty = await commands.run('report', '--organization', other);
  expect(empty.stderr).toBe(`There is no run of billing in ${other}\n`);
  const nowhere = await commands.run('run', ...WHY, '--organization', 'org_0');
  expect(nowhere).toMatchObject({ exitCode: 1, stderr: 'There is no organization org_0\n' });
});

test('commands of billing are not begun without a reason, or with a value that is none', async () => {
  const { id } = await commands.contract();
  const before = (await commands.audited('')).length;
  const misunderstood: (readonly [option: string, ...args: string[]])[] = [
    ['--reason', 'run'],
    ['--month', 'run', '--month', '2026-13', ...WHY],
    ['--code', 'deadlines', '--code', 'nothing'],
    ['--days', 'deadlines', '--days', '-1'],
    ['--type', 'list', '--type', 'letter'],
    ['--status', 'list', '--status', 'lost'],
    ['--reason', 'mode', id, 'monthly', '--from', '2027-01'],
    ['--from', 'mode', id, 'monthly', '--from', '2027-01-01', ...WHY],
    ['mode', 'mode', id, 'weekly', '--from', '2027-01', ...WHY],
    ['--from', 'instalment', id, '80', '--from', '2027-02-30', ...WHY],
    ['--reason', 'correct', id],
    ['--reason', 'exit-summary', id],
  ];
  for (const [option, ...args] of misunderstood) {
    const { exitCode, stderr } = await commands.run(...args);
    expect(exitCode, args.join(' ')).toBe(2);
    expect(stderr, args.join(' ')).toContain(option);
  }
  expect(await commands.audited('')).toHaveLength(before);
});
