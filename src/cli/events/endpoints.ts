import { Command } from 'commander';
import { changeEndpoint } from '../../events/endpoints/change.ts';
import { createEndpoint } from '../../events/endpoints/create.ts';
import { COUNTED_MAX, listEndpoints, readEndpoint } from '../../events/endpoints/read.ts';
import type { EndpointChange, NewEndpointInput } from '../../events/endpoints/schema.ts';
import { type OrganizationOptions, ofOrganization, withOrganization } from '../of-organization.ts';
import { printObject, printTable } from '../output.ts';
import { type ActOptions, known, staffAct, withActOptions } from '../session.ts';
import { endpointDeps, type TopicChoice, topicChoice } from './options.ts';
import { shownEndpoint, stateOf } from './shown.ts';

interface FieldOptions {
  url?: string;
  topics?: TopicChoice;
  description?: string;
  contactEmail?: string;
}

export const SECRET_NOTE = 'The secret is shown this once. The receiver needs it to verify what it is sent.';

function withFields(command: Command): Command {
  return command
    .option('--topics <names>', 'a,b: what it is told of; all: everything', topicChoice)
    .option('--description <text>', 'for people; shown in lists and mails')
    .option('--contact-email <address>', 'who is told when it fails for a day or was disabled');
}

/** Only what was typed: an absent option changes nothing. */
function fieldsOf({ url, topics, description, contactEmail }: FieldOptions): EndpointChange {
  return {
    ...(url !== undefined && { url }),
    ...(topics !== undefined && { topics: topics === 'all' ? null : topics }),
    ...(description !== undefined && { description }),
    ...(contactEmail !== undefined && { contact_email: contactEmail === '' ? null : contactEmail }),
  };
}

export function createCommand(): Command {
  return withActOptions(withFields(ofOrganization(new Command('create'))))
    .description('a new receiver; prints its id and its secret')
    .requiredOption('--url <address>', 'https://…: where requests go')
    .action((options: OrganizationOptions & ActOptions & FieldOptions & { url: string }) =>
      withOrganization(options, async (session, organization) => {
        const act = staffAct(session, options, 'webhooks create');
        const input: NewEndpointInput = { ...fieldsOf(options), url: options.url };
        const { endpoint, secret } = await createEndpoint(endpointDeps(session), organization, input, act);
        const { endpoint: id, ...shown } = shownEndpoint(endpoint);
        printObject({ endpoint: id, secret, ...shown }, options, [SECRET_NOTE]);
      }),
    );
}

export function listCommand(): Command {
  return ofOrganization(new Command('list'))
    .description('the receivers of an organization, newest first')
    .action((options: OrganizationOptions) =>
      withOrganization(options, async ({ database }, organization) => {
        const rows = await listEndpoints(database, organization);
        const shown = rows.map((row) => ({ ...shownEndpoint(row), state: stateOf(row) }));
        const columns = ['endpoint', 'kind', 'state', 'last_success_at', 'last_failure_at', 'url', 'topics'];
        printTable(shown, [...columns, 'description'], options);
      }),
    );
}

export function showCommand(): Command {
  return ofOrganization(new Command('show'))
    .description(`one receiver; how many deliveries wait and were given up, counted to ${COUNTED_MAX}`)
    .argument('<endpoint>', 'whe_…')
    .action((id: string, options: OrganizationOptions) =>
      withOrganization(options, async ({ database }, organization) => {
        const read = readEndpoint(database, organization, id);
        const { endpoint, deliveries } = await known(`endpoint ${id} in ${organization}`, read);
        const { endpoint: shownId, ...fields } = shownEndpoint(endpoint);
        printObject({ endpoint: shownId, state: stateOf(endpoint), ...fields, ...deliveries }, options);
      }),
    );
}

export function changeCommand(): Command {
  return withActOptions(withFields(ofOrganization(new Command('change'))))
    .description('changes what is named; what waits goes to the new address, topics count from now on')
    .argument('<endpoint>', 'whe_…')
    .option('--url <address>', 'https://…: where requests go')
    .action((id: string, options: OrganizationOptions & ActOptions & FieldOptions) => {
      const change = fieldsOf(options);
      if (Object.keys(change).length === 0) throw new Error('Nothing to change was named');
      return withOrganization(options, async (session, organization) => {
        const act = staffAct(session, options, 'webhooks change');
        const changed = changeEndpoint(endpointDeps(session), organization, id, change, act);
        printObject(shownEndpoint(await known(`endpoint ${id} in ${organization}`, changed)), options);
      });
    });
}
