import { Argument, Command } from 'commander';
import { type OrganizationStanding, STANDINGS } from '../../identity/organizations/queries.ts';
import {
  createOrganization,
  organization,
  organizations,
  setForecasts,
  setStanding,
} from '../../identity/organizations/service.ts';
import { printObject, printTable } from '../output.ts';
import { type ActOptions, known, staffAct, withActOptions, withSession } from '../session.ts';

interface OrganizationOptions {
  json?: boolean;
}

export function organizationsCommand(): Command {
  const command = new Command('organizations');
  command.addCommand(create());
  command.addCommand(list());
  command.addCommand(show());
  command.addCommand(standing());
  command.addCommand(forecasts());
  return command;
}

function create(): Command {
  return withActOptions(new Command('create'))
    .description('a new organization, in order and without clients')
    .requiredOption('--name <text>', 'shown to operators only')
    .option('--forecasts', 'enable price forecasts')
    .option('--json', 'as one JSON object')
    .action((options: OrganizationOptions & ActOptions & { name: string; forecasts?: boolean }) =>
      withSession(async (session) => {
        const input = { name: options.name, forecast_enabled: options.forecasts === true };
        const act = staffAct(session, options, 'organizations create');
        printObject({ ...(await createOrganization(session.database, input, act)) }, options);
      }),
    );
}

function list(): Command {
  return new Command('list')
    .description('all organizations, newest first')
    .option('--json', 'as a list of JSON objects')
    .action((options: OrganizationOptions) =>
      withSession(async ({ database }) => {
        const rows = await organizations(database);
        const shown = rows.map((row) => ({ ...row }));
        printTable(shown, ['id', 'standing', 'forecast_enabled', 'created_at', 'name'], options);
      }),
    );
}

function show(): Command {
  return new Command('show')
    .description('one organization')
    .argument('<organization>', 'org_…')
    .option('--json', 'as one JSON object')
    .action((id: string, options: OrganizationOptions) =>
      withSession(async ({ database }) => {
        printObject({ ...(await known(`organization ${id}`, organization(database, id))) }, options);
      }),
    );
}

function standing(): Command {
  return withActOptions(new Command('set-standing'))
    .description('past_due answers every call with 402; suspended and deleted make all its tokens invalid')
    .argument('<organization>', 'org_…')
    .addArgument(new Argument('<standing>').choices(STANDINGS))
    .option('--json', 'as one JSON object')
    .action((id: string, to: OrganizationStanding, options: OrganizationOptions & ActOptions) =>
      withSession(async (session) => {
        const act = staffAct(session, options, 'organizations set-standing');
        const changed = await known(`organization ${id}`, setStanding(session.database, id, to, act));
        printObject({ ...changed }, options);
      }),
    );
}

function forecasts(): Command {
  return withActOptions(new Command('set-forecasts'))
    .description('whether the organization sees price forecasts')
    .argument('<organization>', 'org_…')
    .addArgument(new Argument('<state>').choices(['on', 'off']))
    .option('--json', 'as one JSON object')
    .action((id: string, state: 'on' | 'off', options: OrganizationOptions & ActOptions) =>
      withSession(async (session) => {
        const act = staffAct(session, options, 'organizations set-forecasts');
        const changed = await known(
          `organization ${id}`,
          setForecasts(session.database, id, state === 'on', act),
        );
        printObject({ ...changed }, options);
      }),
    );
}
