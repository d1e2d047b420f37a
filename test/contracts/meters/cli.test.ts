import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { type Metered, startMetered } from '../usage/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered('2026-11-21T16:05:00.000Z');
});
afterAll(() => metered?.close());

const WHY = ['--reason', 'ticket 17', '--staff', 'ada'];

function run(...args: string[]) {
  const environment = testEnvironment(metered.api.database, 'redis://127.0.0.1:1');
  return runCommand(environment, 'meters', ...args, '--organization', metered.organization);
}

/* Each command is a process of its own. */
test('the commands enter an exchange, correct what a meter is, and show its history', async () => {
  const { meter } = await metered.contract({ meter_number: 'OLD1' });
  const device = ['--on', '2026-01-15', '--number', 'new 1', '--closing', '5400.5', '--opening', '0'];
  const exchanged = await run('exchange', meter, ...device, ...WHY, '--json');
  expect(exchanged.stderr).toBe('');
  expect(JSON.parse(exchanged.stdout)).toMatchObject({
    meter,
    register: 2,
    states: [{}, { number: 'NEW1' }],
  });
  expect(await run('correct-exchange', meter, '--closing', '5390', ...WHY)).toMatchObject({
    ...{ exitCode: 0, stderr: '', stdout: expect.stringContaining('[2026-01-15: NEW1 analog, register 2]') },
  });
  expect((await run('correct-exchange', meter, ...WHY)).stderr).toContain('Give what is another: --on');
  const other = await metered.contract({ meter_number: 'OLD2' });
  const smart = ['--on', '2026-01-15', '--number', 'new 1', '--type', 'smart', '--closing', '5400.5'];
  await run('exchange', other.meter, ...smart, ...WHY);
  expect((await run('withdraw-exchange', other.meter, ...WHY)).stdout).toContain(
    '[at first: OLD2 analog, register 1]',
  );
  const operator = ['--metering-operator', 'netz-a', '--type', 'smart', '--from', '2026-02-01'];
  expect(await run('change', meter, ...operator, ...WHY)).toMatchObject({ exitCode: 0, stderr: '' });

  const shown = await run('show', meter, '--staff', 'ada');
  expect(shown.stdout).toContain(
    '[at first: OLD1 analog, register 1] [2026-01-15: NEW1 analog, register 2] [2026-02-01: NEW1 smart, register 2, netz-a]',
  );
  const lines = await auditRows(metered.api, metered.organization, '');
  const kept = lines.filter(({ object_id, staff }) => object_id === meter && staff === 'ada');
  expect(kept.map(({ act, route }) => `${act} by ${route}`)).toEqual([
    'meter.exchange by meters exchange',
    'meter.exchange by meters correct-exchange',
    'meter.correct_exchange by meters correct-exchange',
    'meter.change by meters change',
    'personal_data.read by meters show',
  ]);

  expect((await run('change', meter, ...WHY)).stderr).toBe(
    'Give --type, --metering-operator, --malo or --melo, or several of them\n',
  );
  expect((await run('exchange', meter, ...device)).stderr).toContain("required option '--reason <text>'");
  const unknown = await run('show', 'mtr_000000000000000000000000');
  expect(unknown.stderr).toBe(`There is no meter mtr_000000000000000000000000 in ${metered.organization}\n`);
  const wrong = ['--on', '2026-02-30', '--number', ' ', '--closing', 'x'];
  expect((await run('exchange', meter, ...wrong, ...WHY)).exitCode).toBe(2);
});
