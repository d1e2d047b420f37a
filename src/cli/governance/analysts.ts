import { Command } from 'commander';
import {
  type AnalystAccount,
  analystAddress,
  analysts,
  createAnalyst,
  revokeAnalyst,
  rotateAnalyst,
} from '../../governance/analysts/service.ts';
import { ownOrganization, withOrganizationOption } from '../of-organization.ts';
import { printObject, printTable } from '../output.ts';
import { type ActOptions, known, staffAct, withActOptions, withOwnerSession } from '../session.ts';

interface AnalystOptions {
  json?: boolean;
}

const NOTES = [
  'The address holds the password and is shown this once: the server keeps a verifier only.',
  'psql opens it as it is: psql "<address>" -c \'select * from newest_snapshots limit 3\'',
];

const ROLE_STAYS =
  'Its role stays and signs in nowhere. A superuser removes it: DROP OWNED BY the role in each of these databases, then DROP ROLE.';

export function analystsCommand(): Command {
  const command = new Command('analysts');
  for (const part of [create(), list(), rotate(), revoke()]) command.addCommand(part);
  return command;
}

function create(): Command {
  return withOrganizationOption(withActOptions(new Command('create')), ': whose views it reads')
    .description('an account that reads the views of one organization; prints its address with the password')
    .argument('<name>', 'lower-case letters, digits and underscores; one name for the whole server')
    .option('--json', 'as one JSON object')
    .action((name: string, options: AnalystOptions & ActOptions & { organization: string }) =>
      withOwnerSession(async (session) => {
        const act = staffAct(session, options, 'analysts create');
        const organization = await ownOrganization(session.database, options);
        const created = createAnalyst(session, organization, name, act);
        show(await known(`organization ${organization}`, created), session.ownerUrl, options);
      }),
    );
}

function list(): Command {
  return new Command('list')
    .description('accounts, newest first, and how many sessions each has open')
    .option('--organization <id>', 'org_…: of this organization only')
    .option('--json', 'as a list of JSON objects')
    .action((options: AnalystOptions & { organization?: string }) =>
      withOwnerSession(async (session) => {
        const of = options.organization;
        const rows = await known(`organization ${of}`, analysts(session, of ?? null));
        const columns = ['name', 'organization_id', 'can_sign_in', 'sessions', 'created_at', 'rotated_at'];
        printTable(
          rows.map((row) => ({ ...row })),
          columns,
          options,
        );
      }),
    );
}

function rotate(): Command {
  return withActOptions(new Command('rotate'))
    .description('a new password and the limits of this version; sessions that are open end')
    .argument('<name>')
    .option('--json', 'as one JSON object')
    .action((name: string, options: AnalystOptions & ActOptions) =>
      withOwnerSession(async (session) => {
        const act = staffAct(session, options, 'analysts rotate');
        const rotated = rotateAnalyst(session, name, act);
        show(await known(`analyst ${name}`, rotated), session.ownerUrl, options);
      }),
    );
}

function revoke(): Command {
  return withActOptions(new Command('revoke'))
    .description('ends the sessions of an account and removes it')
    .argument('<name>')
    .option('--json', 'as one JSON object')
    .action((name: string, options: AnalystOptions & ActOptions) =>
      withOwnerSession(async (session) => {
        const act = staffAct(session, options, 'analysts revoke');
        const revoked = await known(`analyst ${name}`, revokeAnalyst(session, name, act));
        const notes = revoked.left_in.length === 0 ? [] : [ROLE_STAYS];
        printObject({ ...revoked }, options, notes);
      }),
    );
}

function show(account: AnalystAccount, ownerUrl: string, options: AnalystOptions): void {
  const { name, role, organization } = account;
  printObject({ name, role, organization, address: analystAddress(ownerUrl, account) }, options, NOTES);
}
