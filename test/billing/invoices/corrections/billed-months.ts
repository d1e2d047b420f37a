import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { type CommandResult, runCommand } from '../../../cli/command-line.ts';
import type { Contract } from '../../../contracts/usage/metered.ts';
import { testEnvironment } from '../../../setup/environment.ts';
import { createPlan } from '../../../setup/record-factories.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { startBilled } from '../billing.ts';

/* May and June 2026 are billed, and then something is entered as a user would. Commands go by the clock of the machine. */

export const MANY_COMMANDS = 600_000;
export const WHY = ['--reason', 'it came late', '--staff', 'ada'];

export const BILLED = ['05 open', '06 open'];

/** What is there when the bills of some months were replaced. */
export const corrected = (...months: readonly string[]) => [
  ...BILLED.map((bill) => (months.includes(bill.slice(0, 2)) ? bill.replace('open', 'voided') : bill)),
  ...months.flatMap((month) => ['void paid', `${month} open`]),
];

interface ContractInput {
  readonly meter?: 'smart' | 'analog';
  readonly type?: 'feed_in';
}

/** To be called at the top of a file. */
export async function takeBilledMonths() {
  const billed = await startBilled(new Date().toISOString());
  const folder = await mkdtemp(join(tmpdir(), 'voltstream-inputs-'));
  afterAll(async () => {
    await billed.close();
    await rm(folder, { recursive: true });
  });
  await billed.price('2026-05-01', '2026-07-01', 80);
  await billed.issuer();

  /** `npm run cli -- …` */
  function cli(...args: string[]): Promise<CommandResult> {
    const environment = testEnvironment(billed.api.database, 'redis://127.0.0.1:1');
    return runCommand(environment, ...args);
  }

  return {
    billed,
    cli,
    ofOrganization: (...args: string[]) => cli(...args, '--organization', billed.organization, ...WHY),
    done: async (result: Promise<CommandResult>): Promise<void> => {
      const { exitCode, stderr } = await result;
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    },
    folder,
    fileOf: async (name: string, ...lines: readonly string[]): Promise<string> => {
      const path = join(folder, name);
      await writeFile(path, `${lines.join('\n')}\n`);
      return path;
    },
    /** The tick of the next day. */
    nextRun: async (): Promise<void> => {
      const next = Math.max(Date.now(), billed.clock.nowMilliseconds()) + 1_000;
      billed.clock.set(new Date(next).toISOString());
      await billed.bill();
    },
    /** What became of the bills: `05 voided`, in the order of their numbers. */
    documents: async (contract: Contract): Promise<string[]> =>
      (await billed.bills(contract)).map(
        ({ type, status, period }) => `${type === 'usage' ? period.slice(5, 7) : type} ${status}`,
      ),
    /** Supplied since May, and billed elsewhere from July on. */
    contractFor: async ({ meter = 'smart', type }: ContractInput = {}): Promise<Contract> => {
      const modules = { sells_module_1: true, sells_module_2: true, sells_module_3: true };
      const eeg = { feed_in_kind: 'eeg', feed_in_scope: 'partial', feed_in_up_to_kw: 10 } as const;
      const terms = type === 'feed_in' ? [{ ...eeg, feed_in_ct_net: null }] : [modules];
      const plan = await createPlan(billed.api.deps, billed.organization, { terms, ...(type && { type }) });
      const contract = await billed.contract({
        ...{ meter_type: meter, plan_id: plan.id, start_at: '2026-04-30T22:00:00Z' },
        ...(type !== undefined && { type }),
      });
      await storedRows(
        billed.api,
        `INSERT INTO billing_terms (organization_id, customer_id, subscription_id, valid_from, mode, basis)
     VALUES ($1, $2, $3, '2026-07-01', 'none', 'forecast')`,
        [billed.organization, contract.place.customer, contract.id],
      );
      if (meter === 'smart') await billed.supply(contract, '2026-05-01', '2026-07-01');
      return contract;
    },
  };
}
