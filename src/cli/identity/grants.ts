import { Command } from 'commander';
import type { GrantFilter } from '../../identity/oauth/access/grant-queries.ts';
import { grantsOf, revokeGrant } from '../../identity/oauth/access/kept-grants.ts';
import { ownOrganization, withOrganizationOption } from '../of-organization.ts';
import { printObject, printTable } from '../output.ts';
import { type ActOptions, known, staffAct, withActOptions, withSession } from '../session.ts';
import { wholeNumber } from './client-options.ts';

interface GrantOptions {
  json?: boolean;
}

interface ListOptions extends GrantOptions, GrantFilter {
  organization: string;
}

const LIMIT = 50;

export function grantsCommand(): Command {
  return new Command('grants').addCommand(list()).addCommand(revoke());
}

function list(): Command {
  return withOrganizationOption(new Command('list'))
    .description('living grants, newest first')
    .option('--client <id>', 'oac_…: of this client only')
    .option('--customer <id>', 'cus_…: of this customer only')
    .option('--all', 'those that are revoked as well')
    .option('--limit <number>', 'at most so many', wholeNumber, LIMIT)
    .option('--json', 'as a list of JSON objects')
    .action((options: ListOptions) =>
      withSession(async ({ database }) => {
        const id = await ownOrganization(database, options);
        const { organization: _organization, json: _json, ...filter } = options;
        const rows = await grantsOf(database, id, filter);
        const columns = ['id', 'kind', 'client_id', 'customer_id', 'scopes', 'created_at', 'revoked_at'];
        printTable(
          rows.map((row) => ({ ...row })),
          columns,
          options,
        );
      }),
    );
}

function revoke(): Command {
  return withActOptions(new Command('revoke'))
    .description('ends a grant: refresh tokens at once, access tokens within 5 seconds')
    .argument('<grant>', 'grt_…')
    .option('--json', 'as one JSON object')
    .action((id: string, options: GrantOptions & ActOptions) =>
      withSession(async (session) => {
        const act = staffAct(session, options, 'grants revoke');
        printObject({ ...(await known(`grant ${id}`, revokeGrant(session.database, id, act))) }, options);
      }),
    );
}
