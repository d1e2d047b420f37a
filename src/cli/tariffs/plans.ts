import { Command } from 'commander';
import { importPlans } from '../../tariffs/plans/import.ts';
import { plansOf, replacedTermsOf } from '../../tariffs/plans/service.ts';
import {
  type ChangeOptions,
  type OrganizationOptions,
  ofOrganization,
  withOrganization,
} from '../of-organization.ts';
import { printTable } from '../output.ts';
import { inputFile, known, staffAct, withActOptions } from '../session.ts';

export function plansCommand(): Command {
  return new Command('plans').addCommand(importCommand()).addCommand(list()).addCommand(history());
}

function importCommand(): Command {
  return ofOrganization(withActOptions(new Command('import'), 'import of plans'))
    .description('plans and their terms from a CSV file, all of it or nothing')
    .argument('<file>', 'one row per plan and period of its terms')
    .action((path: string, options: ChangeOptions) =>
      withOrganization(options, async (session, organization) => {
        const act = staffAct(session, options, 'plans import');
        const plans = await importPlans(session.database, organization, await inputFile(path), act);
        printTable(
          plans.map((plan) => ({ ...plan })),
          ['id', 'slug', 'state'],
          options,
        );
      }),
    );
}

function list(): Command {
  return ofOrganization(new Command('list'))
    .description('plans of an organization with the terms of today, newest first')
    .action((options: OrganizationOptions) =>
      withOrganization(options, async (session, organization) => {
        const plans = await plansOf(session, organization);
        const columns = ['id', 'slug', 'type', 'status', 'price', 'valid_from', 'valid_to', 'name'];
        printTable(
          plans.map((plan) => ({ ...plan })),
          columns,
          options,
        );
      }),
    );
}

function history(): Command {
  return ofOrganization(new Command('history').argument('<plan>', 'pln_…'))
    .description('terms of a plan that imports replaced, newest first')
    .action((id: string, options: OrganizationOptions) =>
      withOrganization(options, async ({ database }, organization) => {
        const rows = await known(
          `plan ${id} in ${organization}`,
          replacedTermsOf(database, organization, id),
        );
        const columns = ['replaced_at', 'valid_from', 'valid_to', 'base_fee_net', 'margin_ct_net'];
        printTable(rows, columns, options);
      }),
    );
}
