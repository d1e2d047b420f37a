import {
  DELIVERY_STATES,
  type ListedDelivery,
  listAttempts,
  listDeliveries,
} from '../../events/deliveries/log.ts';
import { resendDelivery, resendFailed } from '../../events/deliveries/resend.ts';
import { command } from '../engine/command.ts';
import {
  ACT,
  argument,
  choice,
  flag,
  idOption,
  OF_ORGANIZATION,
  option,
  or,
  wholeNumberFrom,
} from '../engine/fields.ts';
import { known } from '../organization.ts';

const LIMIT_MAX = 10_000;

const ENDPOINT = idOption('whe_…');
const EVENT = idOption('evt_…');

/** Commands of `webhooks` about what was sent. */
export const deliveryCommands = {
  deliveries: command({
    words: 'what was sent, waits, was given up or cancelled, newest first; kept for 30 days',
    examples: ['--state failed', '--endpoint whe_… --event evt_… --json'],
    options: {
      ...OF_ORGANIZATION,
      endpoint: idOption('whe_…: to this receiver only'),
      state: choice('<state>', 'in this state only', DELIVERY_STATES),
      event: idOption('evt_…: of this event only'),
      limit: or(
        option('<number>', `at most so many, up to ${LIMIT_MAX}`, wholeNumberFrom(1, LIMIT_MAX)),
        100,
      ),
    },
    work: async ({ database, organization }, filter) => {
      const rows = await database.inOrganization({ organization }, (connection) =>
        listDeliveries(connection, organization, filter),
      );
      return rows.map(shownDelivery);
    },
    columns: [
      ...(['event', 'topic', 'endpoint', 'state', 'attempts', 'status', 'error'] as const),
      ...(['last_attempt_at', 'next_at'] as const),
    ],
    least: ['endpoint', 'last_attempt_at', 'next_at', 'attempts', 'error', 'status'],
  }),
  attempts: command({
    words: 'every request of one delivery: when, how long, status, and how the answer began',
    examples: ['whe_… evt_…', 'whe_… evt_… --json'],
    arguments: { endpoint: argument(ENDPOINT), event: argument(EVENT) },
    options: OF_ORGANIZATION,
    work: async ({ database, organization }, { endpoint, event }) => {
      const attempts = await database.inOrganization({ organization }, async (connection) => {
        const delivery = await listDeliveries(connection, organization, { endpoint, event, limit: 1 });
        return delivery.length === 0 ? null : await listAttempts(connection, organization, event, endpoint);
      });
      if (attempts === null) throw new Error(`There is no delivery of ${event} to ${endpoint}`);
      return attempts.map(({ answer, ...row }) => ({ ...row, answer }));
    },
    columns: [
      ...(['number', 'at', 'status', 'error', 'milliseconds'] as const),
      ['answer', ({ answer }) => firstLine(answer)],
    ],
    least: ['milliseconds'],
  }),
  resend: command({
    words:
      'sends one delivery again, or all that were given up or cancelled; a worker begins within 30 s, but not before wait_until and not while the organization is suspended',
    examples: ["whe_… evt_… --reason 'lost by the receiver'", "whe_… --failed --reason 'it is up again'"],
    arguments: { endpoint: argument(ENDPOINT), event: EVENT },
    options: {
      ...OF_ORGANIZATION,
      ...ACT,
      failed: flag('all of the last 30 days that were given up or cancelled'),
    },
    check: ({ event, failed }) => {
      if ((event === undefined) !== (failed === true))
        throw new Error('Name an event, or all that were given up or cancelled with --failed');
    },
    work: async ({ organization, act, ...session }, { endpoint, event }) => {
      if (event === undefined) {
        const resent = resendFailed(session, organization, endpoint, act);
        return { endpoint, deliveries: await known(`endpoint ${endpoint} in ${organization}`, resent) };
      }
      const resent = resendDelivery(session, organization, { event, endpoint }, act);
      await known(`delivery of ${event} to ${endpoint} in the last 30 days`, resent);
      return { endpoint, event, deliveries: 1 };
    },
  }),
};

function shownDelivery(row: ListedDelivery) {
  const { event_id, endpoint_id, topic, state, attempts_in_all, last_status, last_error, ...instants } = row;
  return {
    ...{ event: event_id, topic, endpoint: endpoint_id, state, attempts: attempts_in_all },
    ...{ status: last_status, error: last_error },
    ...instants,
  };
}

const SHOWN_CHARACTERS_MAX = 80;

/** So much of an answer as fits behind the other columns; JSON has all that was kept. */
function firstLine(answer: string): string {
  const line = answer.trim().split('\n', 1)[0] ?? '';
  return line.length > SHOWN_CHARACTERS_MAX ? `${line.slice(0, SHOWN_CHARACTERS_MAX)}…` : line;
}
