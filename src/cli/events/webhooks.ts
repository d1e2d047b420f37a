import { topics } from '../../api/topics.ts';
import { changeEndpoint } from '../../events/endpoints/change.ts';
import { createEndpoint } from '../../events/endpoints/create.ts';
import type { EndpointRow } from '../../events/endpoints/queries.ts';
import { COUNTED_MAX, listEndpoints, readEndpoint, stateOfEndpoint } from '../../events/endpoints/read.ts';
import { rotateSecret } from '../../events/endpoints/rotate.ts';
import type { EndpointChange } from '../../events/endpoints/schema.ts';
import { sendTestEvent } from '../../events/endpoints/send-test.ts';
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  type SwitchedOff,
} from '../../events/endpoints/switch.ts';
import { addressRules } from '../../events/requests/rules.ts';
import { type Outcome, openWebhookRequests } from '../../events/requests/send.ts';
import { type ArgumentValues, command } from '../engine/command.ts';
import { ACT, act, flag, needed, OF_ORGANIZATION, option } from '../engine/fields.ts';
import { endWith } from '../engine/io.ts';
import { fields, type Part } from '../engine/output.ts';
import type { Session } from '../engine/session.ts';
import { deliveryCommands } from './deliveries.ts';
import { ERRORS, isSuccess, topicChoice } from './listen-lines.ts';

const SECRET_NOTE = 'The secret is shown this once. The receiver needs it to verify what it is sent.';

const ENDPOINT = { arguments: { endpoint: 'whe_…' }, thing: 'endpoint' } as const;
const URL_OF = option('<address>', 'https://…: where requests go');

const FIELDS = {
  topics: option('<names>', 'a,b: what it is told of; all: everything', topicChoice),
  description: option('<text>', 'for people; shown in lists and mails'),
  contact_email: option('<address>', 'who is told when it fails for a day or was disabled'),
};

export const commands = {
  create: command({
    words: 'a new receiver; prints its id and its secret',
    examples: [
      "--url https://receiver.example/events --reason 'new receiver'",
      "--url https://receiver.example/events --topics subscription.created,subscription.ended --contact-email ops@receiver.example --reason 'new receiver'",
    ],
    options: { ...OF_ORGANIZATION, ...FIELDS, ...ACT, url: needed(URL_OF) },
    work: async ({ organization, act, ...session }, { url, ...given }) => {
      const input = { ...changeOf(given), url };
      const { endpoint, secret } = await createEndpoint(endpointDeps(session), organization, input, act);
      const { endpoint: id, ...shown } = shownEndpoint(endpoint);
      return { endpoint: id, secret, ...shown };
    },
    print: (created) => [fields(created), SECRET_NOTE],
  }),
  list: command({
    words: 'the receivers of an organization, newest first',
    examples: ['', '--organization org_… --json'],
    options: OF_ORGANIZATION,
    work: async ({ database, organization }) => {
      const rows = await listEndpoints(database, organization);
      return rows.map((row) => ({ ...shownEndpoint(row), state: stateOfEndpoint(row) }));
    },
    columns: [
      ...(['endpoint', 'kind', 'state', 'last_success_at', 'last_failure_at'] as const),
      ...(['url', 'topics', 'description'] as const),
    ],
    least: ['last_failure_at', 'last_success_at', 'topics', 'kind'],
  }),
  show: command({
    words: `one receiver; how many deliveries wait and were given up, counted to ${COUNTED_MAX}`,
    examples: ['whe_…', 'whe_… --json'],
    ...ENDPOINT,
    options: OF_ORGANIZATION,
    work: async ({ database, organization }, given) => {
      const { endpoint, deliveries } = await readEndpoint(database, organization, given.endpoint);
      const { endpoint: id, ...shown } = shownEndpoint(endpoint);
      return { endpoint: id, state: stateOfEndpoint(endpoint), ...shown, ...deliveries };
    },
  }),
  change: command({
    words: 'changes what is named; what waits goes to the new address, topics count from now on',
    examples: [
      "whe_… --url https://new.example/events --reason 'moved'",
      "whe_… --topics all --reason 'wants everything'",
    ],
    ...ENDPOINT,
    options: { ...OF_ORGANIZATION, ...FIELDS, ...ACT, url: URL_OF },
    check: ({ endpoint: _, ...given }) => {
      if (Object.keys(given).length === 0) throw new Error('Nothing to change was named');
    },
    work: async ({ organization, act, ...session }, { endpoint, ...given }) =>
      shownEndpoint(
        await changeEndpoint(endpointDeps(session), organization, endpoint, changeOf(given), act),
      ),
  }),
  rotate: command({
    words: 'a new secret; for 24 hours the one before signs as well',
    examples: ["whe_… --reason 'yearly change'", "whe_… --compromised --reason 'the secret leaked'"],
    ...ENDPOINT,
    options: {
      ...OF_ORGANIZATION,
      ...ACT,
      compromised: flag('earlier secrets end at once: somebody else may have them'),
      lost: flag('the newest secret, which nobody has put in, ends at once; the one before signs on'),
    },
    work: async ({ organization, act, ...session }, { endpoint, compromised, lost }) => {
      if (compromised && lost) throw new Error('Give --compromised or --lost, not both');
      const kind = compromised ? 'compromised' : lost ? 'lost' : 'overlap';
      const { secret, previous_until } = await rotateSecret(session, organization, endpoint, kind, act);
      return { endpoint, secret, previous_until };
    },
    print: (rotated) => [fields(rotated), SECRET_NOTE],
  }),
  disable: command({
    words: 'nothing is sent to it any more; what waited is cancelled and listed',
    examples: ["whe_… --reason 'the receiver is down'", "whe_… --reason 'moves to another house' --json"],
    ...ENDPOINT,
    options: { ...OF_ORGANIZATION, ...ACT },
    work: async ({ database, organization, act }, { endpoint }) =>
      switchedOff(await disableEndpoint(database, organization, endpoint, act)),
    print: noted('What was cancelled stands in "webhooks deliveries --state cancelled".'),
  }),
  enable: command({
    words: 'it is told again of what happens from now on; "webhooks resend" sends what was cancelled',
    examples: ["whe_… --reason 'the receiver is up'", "whe_… --reason 'the receiver is up' --json"],
    ...ENDPOINT,
    options: { ...OF_ORGANIZATION, ...ACT },
    work: async ({ database, organization, act }, { endpoint }) =>
      shownEndpoint(await enableEndpoint(database, organization, endpoint, act)),
  }),
  delete: command({
    words: 'ends it for good: what waited is cancelled, its secrets are gone',
    examples: ["whe_… --reason 'nobody uses it'", "whe_… --reason 'nobody uses it' --json"],
    ...ENDPOINT,
    options: { ...OF_ORGANIZATION, ...ACT },
    work: async ({ database, organization, act }, { endpoint }) =>
      switchedOff(await deleteEndpoint(database, organization, endpoint, act)),
    print: noted('Nothing more is sent.'),
  }),
  test: command({
    words: 'sends a signed test.event now, once, also to a disabled receiver, and prints the answer',
    examples: ['whe_…', "whe_… --reason 'after the move' --json"],
    ...ENDPOINT,
    options: { ...OF_ORGANIZATION, ...act('the endpoint was tried') },
    work: async ({ organization, act, ...session }, { endpoint }) => {
      const deps = endpointDeps(session);
      const requests = openWebhookRequests(deps.rules);
      try {
        const { event, outcome } = await sendTestEvent({ ...deps, requests }, organization, endpoint, act);
        /* A script sees it by the exit code. */
        if (!isSuccess(outcome)) endWith(1);
        return { endpoint, event, ...shownOutcome(outcome) };
      } finally {
        await requests.close();
      }
    },
  }),
  ...deliveryCommands,
};

/** What the functions of endpoints work with. */
export function endpointDeps(session: Session) {
  return { ...session, rules: addressRules(session.config), topics };
}

/** Only what was typed: an absent option changes nothing. */
function changeOf(given: ArgumentValues<typeof FIELDS & { url: typeof URL_OF }>): EndpointChange {
  const { topics: chosen, contact_email, ...same } = given;
  return {
    ...same,
    ...(chosen !== undefined && { topics: chosen === 'all' ? null : chosen }),
    ...(contact_email !== undefined && { contact_email: contact_email === '' ? null : contact_email }),
  };
}

function shownEndpoint({ id, topics: chosen, ...shown }: EndpointRow) {
  return { endpoint: id, ...shown, topics: chosen ?? 'all' };
}

/** With how many deliveries are not sent any more. */
function switchedOff({ endpoint, cancelled }: SwitchedOff) {
  return { ...shownEndpoint(endpoint), cancelled };
}

function noted(note: string) {
  return (off: ReturnType<typeof switchedOff>): Part[] => [
    fields(off),
    ...(off.cancelled === 0 ? [] : [note]),
  ];
}

function shownOutcome(outcome: Outcome) {
  const result = isSuccess(outcome) ? 'accepted' : 'failed';
  const { milliseconds } = outcome;
  return outcome.kind === 'answered'
    ? { result, status: outcome.status, milliseconds, answer: outcome.answer, error: null }
    : { result, status: null, milliseconds, answer: null, error: ERRORS[outcome.error] };
}
