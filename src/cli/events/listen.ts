import { lookup } from 'node:dns/promises';
import type { EndpointHealth } from '../../events/deliveries/health.ts';
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
import type { StaffAct } from '../../platform/staff-act.ts';
import { type ArgumentValues, type Context, command } from '../engine/command.ts';
import { act, flag, option, ownOrganizationField } from '../engine/fields.ts';
import { commandIo } from '../engine/io.ts';
import type { Session } from '../engine/session.ts';
import { announcement, deliveredLine, topicChoice } from './listen-lines.ts';
import { endpointDeps } from './webhooks.ts';

/** The developer's own machine and network: there is nobody to protect from this command. */
const ANYWHERE: AddressRules = { allowedNetworks: ['0.0.0.0/0', '::/0'], ports: [443], ownHosts: [] };

/** With the file of hosts, in which names of containers stand. */
const systemLookup: Lookup = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

const OPTIONS = {
  ...act('a developer listens to events'),
  ...ownOrganizationField(),
  forward_to: option('<address>', 'sends them there, signed, as to a receiver; else they are printed only'),
  topics: option('<names>', 'a,b: these only', topicChoice),
  json: flag('as one JSON object a line'),
};

export const commands = command({
  words: 'prints what happens as it happens, or forwards it to a receiver that you develop',
  examples: ['--topics subscription.created', '--forward-to http://127.0.0.1:8080/events --json'],
  options: OPTIONS,
  check: ({ forward_to }) => {
    if (forward_to !== undefined) refuseUnreadable(forward_to);
  },
  work: listen,
});

function refuseUnreadable(address: string): void {
  const read = readAddress(address);
  if ('problem' in read)
    throw new Error(`--forward-to: ${read.problem.replace('https://', 'http:// or https://')}`);
}

async function listen(
  { organization, act, isJson, ...session }: Context<Session, typeof OPTIONS>,
  given: ArgumentValues<typeof OPTIONS>,
): Promise<void> {
  const io = commandIo();
  const stop = io.interruption();
  const secret = newSecret();
  const print = (line: string) => io.stdout.write(`${line}\n`);
  const topics = given.topics === undefined || given.topics === 'all' ? null : given.topics;
  const { id } = await createListener(endpointDeps(session), organization, { topics }, act);
  const form = { forwardTo: given.forward_to, isJson };
  const webhooks = printing(
    form.forwardTo === undefined ? NOWHERE : openWebhookRequests({ ...ANYWHERE, lookup: systemLookup }),
    (message, outcome) => print(deliveredLine(message, outcome, form)),
  );
  try {
    const forward_to = form.forwardTo ?? null;
    print(announcement({ organization, endpoint: id, topics, forward_to, secret: secret.text }, form));
    const receiver = { url: forward_to ?? '', secrets: [secret.bytes] };
    const last = await serveListener(
      { ...session, webhooks },
      { organization, endpoint: id, receiver },
      stop,
    );
    if (!stop.aborted) throw new Error(endOf(last));
  } finally {
    await webhooks.close();
    await remove(session, organization, id, act);
  }
}

/** Why nothing more is sent, though nobody ended the command. */
function endOf(last: Awaited<ReturnType<typeof serveListener>>): string {
  if (last === null || last.deleted_at !== null) return 'The listener was removed: start it anew';
  if (last.disabled_reason !== null) return `${ENDS[last.disabled_reason]}: start it anew`;
  return 'The organization is suspended or deleted, or the listener was switched off and on: nothing is sent here';
}

const ENDS: Readonly<Record<NonNullable<EndpointHealth['disabled_reason']>, string>> = {
  operator: 'The listener was switched off',
  gone: 'The receiver answered 410',
  long_failure: 'The receiver failed for five days',
};

/** The sweep removes those that could not do it themselves. */
async function remove(session: Session, organization: string, id: string, act: StaffAct): Promise<void> {
  const now = session.clock.now().toISOString();
  const ended = deleteEndpoint(session.database, organization, id, { ...act, now });
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
