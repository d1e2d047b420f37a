import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Contract, quarterHours } from '../../../contracts/usage/metered.ts';
import { createPlan } from '../../../setup/record-factories.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { planFile } from '../../../tariffs/plans/plan-file.ts';
import { BILLED, corrected, MANY_COMMANDS, takeBilledMonths } from './billed-months.ts';

/*
 * Every row of the table "What a bill depends on" of docs/billing-procedure.md: May and June 2026 are billed, then the input is
 * changed as a user would, and the next run looks at it. Commands go by the clock of the machine.
 */

const { billed, cli, ofOrganization, done, fileOf, nextRun, documents, contractFor } =
  await takeBilledMonths();

interface Input {
  meter?: 'smart' | 'analog';
  type?: 'feed_in';
  make?(contract: Contract): Promise<void>;
  change(contract: Contract): Promise<void>;
  /** What the run makes of it. */
  becomes: readonly string[];
}

const INPUTS: Readonly<Record<string, Input>> = {
  'meter reading': {
    meter: 'analog',
    make: (contract) => billed.read(contract, { '2026-05-01': 1_000, '2026-07-01': 1_400 }),
    change: ({ id }) => done(cli('meter-readings', 'add', id, '--date', '2026-06-01', '--value', '1300')),
    becomes: corrected('05', '06'),
  },
  'quarter hours': {
    change: async ({ id }) => {
      const lines = quarterHours('2026-06-09T22:00:00Z', '2026-06-10T22:00:00Z', 1);
      await done(
        cli('usage', 'import', await fileOf('usage.csv', 'start,kwh', ...lines), '--subscription', id),
      );
    },
    becomes: corrected('06'),
  },
  'another device': {
    meter: 'analog',
    make: (contract) => billed.read(contract, { '2026-05-01': 1_000 }),
    change: async ({ meter }) => {
      const readings = ['--closing', '1250', '--opening', '1'];
      const device = ['--on', '2026-06-10', '--number', '1EMH0012345678', ...readings];
      await done(ofOrganization('meters', 'exchange', meter, ...device));
    },
    becomes: corrected('05', '06'),
  },
  'another device that was entered wrongly': {
    meter: 'analog',
    make: async (contract) => {
      await billed.read(contract, { '2026-05-01': 1_000 });
      const readings = ['--closing', '1250', '--opening', '1'];
      const device = ['--on', '2026-06-10', '--number', '1EMH0012345678', ...readings];
      await done(ofOrganization('meters', 'exchange', contract.meter, ...device));
      await billed.read(contract, { '2026-07-01': 101 }, 'grid_reading', 2);
    },
    change: ({ meter }) =>
      done(ofOrganization('meters', 'correct-exchange', meter, '--on', '2026-05-20', '--closing', '1200')),
    becomes: corrected('05', '06'),
  },
  'another device that never was': {
    meter: 'analog',
    make: async (contract) => {
      await billed.read(contract, { '2026-05-01': 1_000, '2026-06-10': 1_250 });
      const device = ['--on', '2026-06-10', '--number', '1EMH0012345678', '--type', 'smart'];
      await done(ofOrganization('meters', 'exchange', contract.meter, ...device));
      await billed.supply(contract, '2026-06-10', '2026-07-01');
    },
    /* No reading goes with it: the old device was read by the customer, and of a smart one none is taken. */
    change: ({ meter }) => done(ofOrganization('meters', 'withdraw-exchange', meter)),
    becomes: corrected('06'),
  },
  'type or operator of the meter': {
    change: ({ meter }) =>
      done(ofOrganization('meters', 'change', meter, '--type', 'analog', '--from', '2026-06-11')),
    becomes: corrected('06'),
  },
  'start of another contract at the meter whose sign-up says `smart`': {
    meter: 'analog',
    make: async (contract) => {
      feedIn = await feedInAt(contract);
      await done(ofOrganization('subscriptions', 'confirm', feedIn, '--start-on', '2026-06-01'));
      await billed.supply(contract, '2026-06-01', '2026-07-01');
    },
    change: () => done(ofOrganization('subscriptions', 'set-dates', feedIn, '--start-on', '2026-07-01')),
    becomes: corrected('06'),
  },
  'grid fee reduction': {
    change: async ({ id }) => {
      const client = await billed.client();
      const body = { subscription: id, type: 'enwg-14a-module-1' };
      const ordered = await client.post<{ id: string }>('/grid-fee-reductions', body);
      expect(ordered.status).toBe(200);
      const from = ['--valid-from', '2026-06-11'];
      await done(ofOrganization('grid-fee-reductions', 'accept', ordered.body.id, ...from));
    },
    becomes: corrected('06'),
  },
  'price and discount of the plan': {
    change: async ({ id }) => {
      const [plan] = await storedRows<{ id: string; slug: string; name: string }>(
        billed.api,
        'SELECT plans.id, slug, name FROM plans JOIN subscriptions ON plan_id = plans.id WHERE subscriptions.id = $1',
        [id],
      );
      const terms = { ...plan, type: 'consumption', base_fee_net: '5', sells_module_1: 'yes' };
      const later = { ...terms, valid_from: '2026-06-11', base_fee_net: '7.5' };
      const file = await fileOf('plans.csv', planFile({ ...terms, valid_to: '2026-06-11' }, later).trimEnd());
      await done(ofOrganization('plans', 'import', file));
    },
    becomes: corrected('06'),
  },
  'plant of a feed-in contract': {
    type: 'feed_in',
    make: ({ id }) =>
      done(
        ofOrganization('subscriptions', 'set-plant', id, '--commissioned-on', '2025-09-01', '--size-kw', '9'),
      ),
    change: ({ id }) => done(ofOrganization('subscriptions', 'set-plant', id, '--size-kw', '30')),
    becomes: corrected('05', '06'),
  },
  'place of supply': {
    change: ({ id }) =>
      refused(id, { address: { street: 'Weg', house_number: '1', zip: '10115', city: 'Berlin' } }),
    becomes: BILLED,
  },
  'start and end of supply': {
    change: async ({ id }) => {
      const { exitCode, stderr } = await ofOrganization(
        'subscriptions',
        'set-dates',
        id,
        '--start-on',
        '2026-05-02',
      );
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^start_on: \S+-002 bills the days as they were: reverse it .*invoices void/);
    },
    becomes: BILLED,
  },
  'plan and yearly usage of the contract': {
    change: ({ id }) => refused(id, { estimated_usage: 9_000 }),
    becomes: BILLED,
  },
  'mode and instalment': {
    change: async ({ id }) => {
      const said = await ofOrganization('invoices', 'mode', id, 'none', '--from', '2026-06');
      expect([said.exitCode, said.stderr]).toEqual([
        1,
        expect.stringMatching(/^from: \S+-002 is about days/),
      ]);
    },
    becomes: BILLED,
  },
  'first month that is billed': {
    change: async () => {
      const said = await ofOrganization('issuers', 'set', '--bills-from', '2026-06');
      expect(said.exitCode).toBe(1);
      expect(said.stderr).toMatch(/bills_from/);
    },
    becomes: BILLED,
  },
  'name, addresses, bank account, issuer': {
    change: async ({ id }) => {
      const address = { street: 'Neuer Weg', house_number: '2', zip: '10115', city: 'Berlin' };
      const client = await billed.client();
      const { status } = await client.patch(`/subscriptions/${id}`, { billing_address: address });
      expect(status).toBe(200);
    },
    becomes: BILLED,
  },
};

let feedIn = '';

/** What the roof makes is sold at the same meter. */
async function feedInAt({ meter, place }: Contract): Promise<string> {
  const [device] = await storedRows<{ number: string }>(
    billed.api,
    'SELECT number FROM meters WHERE id = $1',
    [meter],
  );
  const { status, body } = await (await billed.client()).post<{ id: string }>('/subscriptions', {
    plan: (await createPlan(billed.api.deps, billed.organization, { type: 'feed_in' })).id,
    ...{ customer: place.customer, household: place.household, next_possible_start: true },
    address: { street: 'Weg', house_number: '1', zip: '20354', city: 'Hamburg' },
    meter: { number: device?.number, type: 'smart', estimated_usage: 4888 },
    payment_method: {
      type: 'sepa_debit',
      sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Jule Brandt' },
    },
  });
  expect(status).toBe(200);
  return body.id;
}

/** The interface does not know such a change. */
async function refused(id: string, body: object): Promise<void> {
  const client = await billed.client();
  expect((await client.patch(`/subscriptions/${id}`, body)).status).toBe(400);
}

const contracts = new Map<string, Contract>();

test('each input that is entered behind a bill corrects it, or is refused', {
  timeout: MANY_COMMANDS,
}, async () => {
  for (const [name, input] of Object.entries(INPUTS)) {
    const contract = await contractFor(input);
    await input.make?.(contract);
    contracts.set(name, contract);
  }
  await nextRun();
  await nextRun();
  for (const [name, contract] of contracts) expect([name, await documents(contract)]).toEqual([name, BILLED]);
  for (const [name, input] of Object.entries(INPUTS)) await input.change(contracts.get(name) as Contract);
  await nextRun();
  for (const [name, { becomes }] of Object.entries(INPUTS))
    expect([name, await documents(contracts.get(name) as Contract)]).toEqual([name, becomes]);
  await nextRun();
  for (const [name, { becomes }] of Object.entries(INPUTS))
    expect([name, await documents(contracts.get(name) as Contract)]).toEqual([name, becomes]);
});

test('the table of the description has a row for each of them', async () => {
  const text = await readFile(new URL('../../../../docs/billing-procedure.md', import.meta.url), 'utf8');
  const section = text.slice(text.indexOf('### What a bill depends on'));
  const rows = section
    .slice(0, section.indexOf('\n\nThe '))
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|')[1]?.trim());
  /* Each of these has tests of its own. */
  const others = [
    'Input',
    'grid fees, levies, metering fees, VAT',
    'load profile',
    'market price',
    'a bill before it',
  ];
  expect(rows.toSorted()).toEqual([...Object.keys(INPUTS), ...others].toSorted());
});
