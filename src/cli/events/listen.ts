import { lookup } from 'node:dns/promises';
import { Command } from 'commander';
import { serveListener } from '../../events/deliveries/serve.ts';
import { createListener } from '../../events/endpoints/create.ts';
import { newSecret } from '../../events/endpoints/secret.ts';
import { deleteEndpoint } from '../../events/endpoints/switch.ts';
import type { AddressRules } from '../../events/requests/address.ts';
import { readAddress } from '../../events/requests/check.ts';
import type { Lookup } from '../../events/requests/lookup.ts';
import {
  type Message,
  type Outcome,
  openWebhookRequests,
  type WebhookRequests,
} from '../../events/requests/send.ts';
import { Failure } from '../../platform/errors.ts';
import { commandIo } from '../io.ts';
import { withOrganization, withOrganizationOption } from '../of-organization.ts';
import { type ActOptions, type Session, staffAct, withActOptions } from '../session.ts';
import { announcement, deliveredLine } from './listen-lines.ts';
import { endpointDeps, type TopicChoice, topicChoice } from './options.ts';

interface ListenOptions extends ActOptions {
  organization?: string;
  forwardTo?: string;
  topics?: TopicChoice;
  json?: boolean;
}

/** The developer's own machine and network: there is nobody to protect from this command. */
const ANYWHERE: AddressRules = { allowedNetworks: ['0.0.0.0/0', '::/0'], ports: [443], ownHosts: [] };

/** With the file of hosts, in which names of containers stand. */
const systemLookup: Lookup = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

export function listenCommand(): Command {
  return withOrganizationOption(withActOptions(new Command('listen'), 'a developer listens to events'))
    .option(
      '--forward-to <address>',
      'sends them there, signed, as to a receiver; else they are printed only',
    )
    .option('--topics <names>', 'a,b: these only', topicChoice)
    .option('--json', 'as one JSON object a line')
    .action(async (options: ListenOptions) => {
      if (options.forwardTo !== undefined) refuseUnreadable(options.forwardTo);
      await withOrganization(options, (session, organization) => listen(session, organization, options));
    });
}

function refuseUnreadable(address: string): void {
  const read = readAddress(address);
  if ('problem' in read)
    throw new Error(`--forward-to: ${read.problem.replace('https://', 'http:// or https://')}`);
}

async function listen(session: Session, organization: string, options: ListenOptions): Promise<void> {
  const io = commandIo();
  const stop = io.interruption();
  const secret = newSecret();
  const print = (line: string) => io.stdout.write(`${line}\n`);
  const topics = options.topics === undefined || options.topics === 'all' ? null : options.topics;
  const act = staffAct(session, options, 'listen');
  const { id } = await createListener(endpointDeps(session), organization, { topics }, act);
  const webhooks = printing(
    options.forwardTo === undefined ? NOWHERE : openWebhookRequests({ ...ANYWHERE, lookup: systemLookup }),
    (message, outcome) => print(deliveredLine(message, outcome, options)),
  );
  try {
    const forward_to = options.forwardTo ?? null;
    print(announcement({ organization, endpoint: id, topics, forward_to, secret: secret.text }, options));
    const receiver = { url: options.forwardTo ?? '', secrets: [secret.bytes] };
    await serveListener({ ...session, webhooks }, { organization, endpoint: id, receiver }, stop);
    if (!stop.aborted)
      throw new Error('The listener was removed, or its receiver answered 410: start it anew');
  } finally {
    await webhooks.close();
    await remove(session, organization, id, options);
  }
}

/** The sweep removes those that could not do it themselves. */
async function remove(
  session: Session,
  organization: string,
  id: string,
  options: ListenOptions,
): Promise<void> {
  const ended = deleteEndpoint(session.database, organization, id, staffAct(session, options, 'listen'));
  await ended.catch((error: unknown) => {
    if (!(error instanceof Failure && error.code === 'NOT_FOUND')) throw error;
  });
}

/** Takes everything and sends it nowhere. */
const NOWHERE: WebhookRequests = {
  send: async () => ({ kind: 'answered', status: 204, answer: '', retryAfterSeconds: null, milliseconds: 0 }),
  close: async () => {},
};

function printing(
  requests: WebhookRequests,
  onOutcome: (message: Message, outcome: Outcome) => void,
): WebhookRequests {
  return {
    send: async (receiver, message, signal) => {
      const outcome = await requests.send(receiver, message, signal);
      onOutcome(message, outcome);
      return outcome;
    },
    close: () => requests.close(),
  };
}
