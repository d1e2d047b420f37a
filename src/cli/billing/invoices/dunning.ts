import { Command, Option } from 'commander';
import { HOLD_CAUSES, type HoldCause } from '../../../billing/dunning/queries.ts';
import { askForDunning, dunningOf, resumeDunning, stopDunning } from '../../../billing/dunning/staff.ts';
import {
  acting,
  type ChangeOptions,
  type OrganizationOptions,
  ofOrganization,
  withOne,
  withOrganization,
} from '../../of-organization.ts';
import { printLines } from '../../output.ts';
import { staffAct, withActOptions } from '../../session.ts';

export function dunningCommand(): Command {
  return new Command('dunning')
    .description('reminders of bills that are overdue')
    .addCommand(show())
    .addCommand(stop())
    .addCommand(resume())
    .addCommand(run());
}

const INVOICE = ['<invoice>', 'inv_…'] as const;

function show(): Command {
  return ofOrganization(new Command('show').argument(...INVOICE))
    .description('how far it is with one bill')
    .action((id: string, options: OrganizationOptions) =>
      withOne(`invoice ${id}`, options, (session, organization) => dunningOf(session, organization, id)),
    );
}

function stop(): Command {
  return acting('stop', ...INVOICE)
    .description('from now on nobody is reminded of it, and no debit collects it')
    .addOption(new Option('--cause <cause>', 'why').choices(HOLD_CAUSES).default('disputed'))
    .action((id: string, options: ChangeOptions & { cause: HoldCause }) =>
      withOne(`invoice ${id}`, options, (session, organization) => {
        const act = staffAct(session, options, 'invoices dunning stop');
        return stopDunning(options.cause, session, organization, id, act);
      }),
    );
}

function resume(): Command {
  return acting('resume', ...INVOICE)
    .description('goes on where it stopped')
    .action((id: string, options: ChangeOptions) =>
      withOne(`invoice ${id}`, options, (session, organization) => {
        const act = staffAct(session, options, 'invoices dunning resume');
        return resumeDunning(session, organization, id, act);
      }),
    );
}

function run(): Command {
  return ofOrganization(withActOptions(new Command('run')))
    .description("the day's work at once, by a worker")
    .action((options: ChangeOptions) =>
      withOrganization(options, async (session, organization) => {
        await askForDunning(session, organization, staffAct(session, options, 'invoices dunning run'));
        printLines(['asked for: a worker begins within half a minute']);
      }),
    );
}
