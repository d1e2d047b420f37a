import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { Contracts } from './contracts.ts';

let contracts: Contracts;
beforeAll(async () => {
  contracts = await Contracts.start('2026-10-05T08:30:00.000Z');
});
afterAll(() => contracts?.close());

function run(id: string, ...args: string[]) {
  const environment = testEnvironment(contracts.api.database, 'redis://127.0.0.1:1');
  const why = ['--organization', contracts.organization, '--reason', 'ticket 17', '--json'];
  return runCommand(environment, 'subscriptions', 'set-plant', id, ...args, ...why);
}

/* Each command is a process of its own. */
test('the back office enters the plant of a feed-in contract, and of no other', async () => {
  const feedIn = await contracts.contract({ type: 'feed_in' });
  const first = await run(feedIn.id, '--commissioned-on', '2025-02-24', '--size-kw', '9.84');
  expect(first.stderr).toBe('');
  expect(JSON.parse(first.stdout)).toEqual({
    id: feedIn.id,
    is_tax_exempt: false,
    plant_commissioned_on: '2025-02-24',
    plant_size_kw: '9.84',
  });
  const second = await run(feedIn.id, '--tax-exempt', 'yes');
  expect(JSON.parse(second.stdout)).toMatchObject({ is_tax_exempt: true, plant_size_kw: '9.84' });
  const lines = await auditRows(contracts.api, contracts.organization, 'subscription.set_plant');
  expect(lines.map(({ object_id, reason }) => [object_id, reason])).toEqual([
    [feedIn.id, 'ticket 17'],
    [feedIn.id, 'ticket 17'],
  ]);

  const supply = await contracts.contract();
  expect(await run(supply.id, '--tax-exempt', 'yes')).toMatchObject({
    exitCode: 1,
    stderr: 'subscription: Only a feed-in contract has a plant\n',
  });
  expect((await run(feedIn.id)).stderr).toContain('Give --commissioned-on, --size-kw, --tax-exempt');
  expect((await run(feedIn.id, '--size-kw', '0')).exitCode).toBe(2);
});
