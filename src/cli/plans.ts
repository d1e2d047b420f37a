import { Command } from 'commander';
import { organization as findOrganization } from '../organizations/service.ts';
import { importPlans } from '../plans/import.ts';
import { plansOf, replacedTermsOf } from '../plans/service.ts';
import { printTable } from './output.ts';
import { type ActOptions, inputFile, known, staffAct, withActOptions, withSession } from './session.ts';

interface PlanOptions {
  organization: string;
  json?: boolean;
}

export function plansCommand(): Command {
  return new Command('plans').addCommand(importCommand()).addCommand(list()).addCommand(history());
}

function importCommand(): Command {
  return withActOptions(new Command('import'), 'import of plans')
    .description('plans and their terms from a CSV file, all of it or nothing')
    .argument('<file>', 'one row per plan and period of its terms')
    .requiredOption('--organization <id>', 'org_…')
    .option('--json', 'as a list of JSON objects')
    .action((path: string, options: PlanOptions & ActOptions) =>
      withSession(async (session) => {
        const { database } = session;
        const { organization } = options;
        await known(`organization ${organization}`, findOrganization(database, organization));
        const act = staffAct(session, options, 'plans import');
        const plans = await importPlans(database, organization, await inputFile(path), act);
        printTable(
          plans.map((plan) => ({ ...plan })),
          ['id', 'slug', 'state'],
          options,
        );
      }),
    );
}

function list(): Command {
  return new Command('list')
    .description('plans of an organization with the terms of today, newest first')
    .requiredOption('--organization <id>', 'org_…')
    .option('--json', 'as a list of JSON objects')
    .action((options: PlanOptions) =>
      withSession(async (session) => {
        const { organization } = options;
        await known(`organization ${organization}`, findOrganization(session.database, organization));
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
  return new Command('history')
    .description('terms of a plan that imports replaced, newest first')
    .argument('<plan>', 'pln_…')
    .requiredOption('--organization <id>', 'org_…')
    .option('--json', 'as a list of JSON objects, with every column')
    .action((id: string, options: PlanOptions) =>
      withSession(async ({ database }) => {
        const { organization } = options;
        await known(`organization ${organization}`, findOrganization(database, organization));
        const rows = await known(
          `plan ${id} in ${organization}`,
          replacedTermsOf(database, organization, id),
        );
        const columns = ['replaced_at', 'valid_from', 'valid_to', 'base_fee_net', 'margin_ct_net'];
        printTable(rows, columns, options);
      }),
    );
}
