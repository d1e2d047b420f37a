import { expect } from 'vitest';
import { type CommandResult, CUT, runCommand } from '../../../cli/command-line.ts';
import type { Contract } from '../../../contracts/usage/metered.ts';
import { testEnvironment } from '../../../setup/environment.ts';
import { type AuditRow, auditRows } from '../../../setup/stored-rows.ts';
import { type Billed, startBilled } from '../billing.ts';

/* Commands go by the clock of the database, so that months are billed here that are over on whatever day a test runs. */

export type Json = Record<string, unknown>;

export const WHY = ['--reason', 'ticket 17', '--staff', 'ada'];

export interface Commands {
  readonly billed: Billed;
  /** `npm run cli -- invoices …`, of the organization of the test where none is named. */
  run(...args: string[]): Promise<CommandResult>;
  asJson<Result = Json>(...args: string[]): Promise<Result>;
  /** What a command says that was refused. */
  refusedBy(...args: string[]): Promise<string>;
  /** Supplied in May and June. */
  contract(): Promise<Contract>;
  /** What the worker does behind a command, a moment after it. */
  work(): Promise<void>;
  /** Lines of the audit log whose act begins so. */
  audited(act: string): Promise<AuditRow[]>;
}

export async function startCommands(): Promise<Commands> {
  const billed = await startBilled(new Date().toISOString());
  const environment = testEnvironment(billed.api.database, 'redis://127.0.0.1:1');
  await billed.price('2026-05-01', '2026-07-01', 80);
  await billed.issuer();
  const run = (...args: string[]) => {
    const named = args.includes('--organization') ? [] : ['--organization', billed.organization];
    return runCommand(environment, 'invoices', ...args, ...named);
  };
  return {
    billed,
    run,
    asJson: async <Result>(...args: string[]) => {
      const { exitCode, stdout, stderr } = await run(...args, '--json');
      expect({ exitCode, stderr: stderr.replace(CUT, '') }).toEqual({ exitCode: 0, stderr: '' });
      return JSON.parse(stdout) as Result;
    },
    refusedBy: async (...args) => {
      const { exitCode, stdout, stderr } = await run(...args);
      expect({ exitCode, stdout }, args.join(' ')).toEqual({ exitCode: 1, stdout: '' });
      return stderr;
    },
    contract: () =>
      billed.contract({
        ...{ meter_type: 'smart', start_at: '2026-04-30T22:00:00Z', end_at: '2026-06-30T22:00:00Z' },
        status: 'ended',
      }),
    work: async () => {
      billed.clock.set(new Date(Date.now() + 1_000).toISOString());
      await billed.work();
    },
    audited: (act) => auditRows(billed.api, billed.organization, act),
  };
}
