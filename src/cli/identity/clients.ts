import { Command } from 'commander';
import {
  clientsOf,
  clientWithSecrets,
  createClient,
  setClientDisabled,
  updateClient,
} from '../../identity/oauth/clients/clients.ts';
import { revokeSecret, rotateSecret } from '../../identity/oauth/clients/rotate-secrets.ts';
import { organization, organizations } from '../../identity/organizations/service.ts';
import { ownOrganization, withOrganizationOption } from '../of-organization.ts';
import { printObject, printTable } from '../output.ts';
import { type ActOptions, known, staffAct, withActOptions, withSession } from '../session.ts';
import {
  type ClientChangeOptions,
  clientChangeInput,
  type NewClientOptions,
  newClientInput,
  wholeNumber,
  withChangeOptions,
  withNewClientOptions,
} from './client-options.ts';

interface ClientOptions {
  json?: boolean;
}

const SECRET_NOTE = 'The secret is shown this once: only its hash is stored.';
const OVERLAP_HOURS = 24;
const OVERLAP_HOURS_MAX = 24 * 90;

export function clientsCommand(): Command {
  const command = new Command('clients');
  for (const part of [create(), list(), show(), update(), rotate(), revoke(), disable(), enable()]) {
    command.addCommand(part);
  }
  return command;
}

function create(): Command {
  return withOrganizationOption(
    withActOptions(withNewClientOptions(new Command('create'))),
    ': whose client it is',
  )
    .description('a new client; prints its id and its secret')
    .option('--json', 'as one JSON object')
    .action((options: ClientOptions & ActOptions & NewClientOptions) =>
      withSession(async (session) => {
        const act = staffAct(session, options, 'clients create');
        const organization = await ownOrganization(session.database, options);
        const created = await createClient(session, organization, newClientInput(options), act);
        const { id, ...fields } = created.client;
        const shown = { client_id: id, client_secret: created.client_secret, ...fields };
        printObject(shown, options, created.client_secret === null ? [] : [SECRET_NOTE]);
      }),
    );
}

function list(): Command {
  return new Command('list')
    .description('clients with their last use, newest first')
    .option('--organization <id>', 'org_…: of this organization only')
    .option('--json', 'as a list of JSON objects')
    .action((options: ClientOptions & { organization?: string }) =>
      withSession(async ({ database }) => {
        const rows = [];
        for (const id of await organizationIds()) {
          for (const client of await clientsOf(database, id)) rows.push({ ...client });
        }
        const columns = [
          'id',
          'organization_id',
          'scopes',
          'version',
          'last_used_at',
          'disabled_at',
          'display_name',
        ];
        printTable(rows, columns, options);

        async function organizationIds(): Promise<string[]> {
          const only = options.organization;
          if (only === undefined) return (await organizations(database)).map((one) => one.id);
          return [(await known(`organization ${only}`, organization(database, only))).id];
        }
      }),
    );
}

function show(): Command {
  return new Command('show')
    .description('one client and its secrets (ids and times, never the secrets themselves)')
    .argument('<client>', 'oac_…')
    .option('--json', 'as one JSON object')
    .action((id: string, options: ClientOptions) =>
      withSession(async ({ database }) => {
        const { client, secrets } = await known(`client ${id}`, clientWithSecrets(database, id));
        if (options.json === true) return printObject({ ...client, secrets }, options);
        printObject({ ...client }, options);
        const shown = secrets.map(({ id: secret, ...times }) => ({ secret, ...times }));
        printTable(shown, ['secret', 'created_at', 'expires_at', 'revoked_at'], options);
      }),
    );
}

function update(): Command {
  return withActOptions(withChangeOptions(new Command('update')))
    .description('changes what is named; scopes and kind are fixed: a changed scope takes a new client')
    .argument('<client>', 'oac_…')
    .option('--json', 'as one JSON object')
    .action((id: string, options: ClientOptions & ActOptions & ClientChangeOptions) =>
      withSession(async (session) => {
        const change = clientChangeInput(options);
        if (Object.keys(change).length === 0) throw new Error('Nothing to change was named');
        const act = staffAct(session, options, 'clients update');
        printObject(
          { ...(await known(`client ${id}`, updateClient(session.database, id, change, act))) },
          options,
        );
      }),
    );
}

function rotate(): Command {
  return withActOptions(new Command('rotate-secret'))
    .description('a new secret; the older ones work until the overlap ends')
    .argument('<client>', 'oac_…')
    .option('--overlap-hours <hours>', 'how long the older secrets still work', wholeNumber, OVERLAP_HOURS)
    .option('--json', 'as one JSON object')
    .action((id: string, options: ClientOptions & ActOptions & { overlapHours: number }) =>
      withSession(async (session) => {
        if (options.overlapHours > OVERLAP_HOURS_MAX) {
          throw new Error(`The overlap is at most ${OVERLAP_HOURS_MAX} hours`);
        }
        const act = staffAct(session, options, 'clients rotate-secret');
        const overlap = { hours: options.overlapHours, nowMilliseconds: session.clock.nowMilliseconds() };
        const { secret, ...rotated } = await known(`client ${id}`, rotateSecret(session, id, overlap, act));
        printObject({ client_id: id, secret: secret.id, ...rotated }, options, [SECRET_NOTE]);
      }),
    );
}

function revoke(): Command {
  return withActOptions(new Command('revoke-secret'))
    .description('ends one secret at once; its number is in "clients show"')
    .argument('<client>', 'oac_…')
    .argument('<secret>', 'number of the secret', wholeNumber)
    .option('--json', 'as one JSON object')
    .action((id: string, secret: number, options: ClientOptions & ActOptions) =>
      withSession(async (session) => {
        const act = staffAct(session, options, 'clients revoke-secret');
        const revoked = revokeSecret(session.database, id, secret, act);
        await known(`client ${id} with a living secret ${secret}`, revoked);
        printObject({ client_id: id, secret, revoked_at: act.now }, options);
      }),
    );
}

function disable(): Command {
  return switching('disable', true, 'no more tokens, and those given die within 5 seconds');
}

function enable(): Command {
  return switching('enable', false, 'takes back "clients disable"');
}

function switching(name: string, disabled: boolean, description: string): Command {
  return withActOptions(new Command(name))
    .description(description)
    .argument('<client>', 'oac_…')
    .option('--json', 'as one JSON object')
    .action((id: string, options: ClientOptions & ActOptions) =>
      withSession(async (session) => {
        const act = staffAct(session, options, `clients ${name}`);
        const changed = setClientDisabled(session.database, id, disabled, act);
        printObject({ ...(await known(`client ${id}`, changed)) }, options);
      }),
    );
}
