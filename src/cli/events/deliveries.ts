import { Command, InvalidArgumentError, Option } from 'commander';
import {
  DELIVERY_STATES,
  type ListedDelivery,
  listAttempts,
  listDeliveries,
} from '../../events/deliveries/log.ts';
import { resendDelivery, resendFailed } from '../../events/deliveries/resend.ts';
import { wholeNumber } from '../identity/client-options.ts';
import { type OrganizationOptions, ofOrganization, withOrganization } from '../of-organization.ts';
import { printObject, printTable } from '../output.ts';
import { type ActOptions, known, staffAct, withActOptions } from '../session.ts';

const LIMIT = 100;
const LIMIT_MAX = 10_000;

interface ListOptions extends OrganizationOptions {
  endpoint?: string;
  state?: ListedDelivery['state'];
  event?: string;
  limit: number;
}

export function deliveriesCommand(): Command {
  return ofOrganization(new Command('deliveries'))
    .description('what was sent, waits, was given up or cancelled, newest first; kept for 30 days')
    .option('--endpoint <id>', 'whe_…: to this receiver only', idOf('whe'))
    .addOption(new Option('--state <state>', 'in this state only').choices(DELIVERY_STATES))
    .option('--event <id>', 'evt_…: of this event only', idOf('evt'))
    .option('--limit <number>', `at most so many, up to ${LIMIT_MAX}`, limitNumber, LIMIT)
    .action((options: ListOptions) =>
      withOrganization(options, async ({ database }, organization) => {
        const { endpoint, state, event, limit } = options;
        const filter = {
          ...(endpoint !== undefined && { endpoint }),
          ...(state !== undefined && { state }),
          ...(event !== undefined && { event }),
          limit,
        };
        const rows = await database.inOrganization({ organization }, (connection) =>
          listDeliveries(connection, organization, filter),
        );
        const columns = [
          'event',
          'topic',
          'endpoint',
          'state',
          'attempts',
          'status',
          'error',
          'last_attempt_at',
        ];
        printTable(rows.map(shownDelivery), [...columns, 'next_at'], options);
      }),
    );
}

function shownDelivery(row: ListedDelivery) {
  const { event_id, endpoint_id, topic, state, attempts_in_all, last_status, last_error, ...instants } = row;
  return {
    ...{ event: event_id, topic, endpoint: endpoint_id, state, attempts: attempts_in_all },
    ...{ status: last_status, error: last_error },
    ...instants,
  };
}

export function attemptsCommand(): Command {
  return ofOrganization(new Command('attempts'))
    .description('every request of one delivery: when, how long, status, and how the answer began')
    .argument('<endpoint>', 'whe_…', idOf('whe'))
    .argument('<event>', 'evt_…', idOf('evt'))
    .action((endpoint: string, event: string, options: OrganizationOptions) =>
      withOrganization(options, async ({ database }, organization) => {
        const attempts = await database.inOrganization({ organization }, async (connection) => {
          const delivery = await listDeliveries(connection, organization, { endpoint, event, limit: 1 });
          return delivery.length === 0 ? null : await listAttempts(connection, organization, event, endpoint);
        });
        if (attempts === null) throw new Error(`There is no delivery of ${event} to ${endpoint}`);
        const shown = attempts.map(({ answer, ...row }) => ({
          ...row,
          answer: options.json ? answer : firstLine(answer),
        }));
        printTable(shown, ['number', 'at', 'status', 'error', 'milliseconds', 'answer'], options);
      }),
    );
}

const SHOWN_CHARACTERS_MAX = 80;

/** So much of an answer as fits behind the other columns; JSON has all that was kept. */
function firstLine(answer: string): string {
  const line = answer.trim().split('\n', 1)[0] ?? '';
  return line.length > SHOWN_CHARACTERS_MAX ? `${line.slice(0, SHOWN_CHARACTERS_MAX)}…` : line;
}

export function resendCommand(): Command {
  return withActOptions(ofOrganization(new Command('resend')))
    .description(
      'sends one delivery again, or all that were given up or cancelled; a worker begins within 30 s',
    )
    .argument('<endpoint>', 'whe_…', idOf('whe'))
    .argument('[event]', 'evt_…', idOf('evt'))
    .option('--failed', 'all of the last 30 days that were given up or cancelled')
    .action((endpoint: string, event: string | undefined, options: ResendOptions) => {
      if ((event === undefined) !== (options.failed === true)) {
        throw new Error('Name an event, or all that were given up or cancelled with --failed');
      }
      return withOrganization(options, async (session, organization) => {
        const act = staffAct(session, options, 'webhooks resend');
        if (event === undefined) {
          const resent = resendFailed(session, organization, endpoint, act);
          const deliveries = await known(`endpoint ${endpoint} in ${organization}`, resent);
          printObject({ endpoint, deliveries }, options);
        } else {
          const resent = resendDelivery(session, organization, { event, endpoint }, act);
          await known(`delivery of ${event} to ${endpoint} in the last 30 days`, resent);
          printObject({ endpoint, event, deliveries: 1 }, options);
        }
      });
    });
}

type ResendOptions = OrganizationOptions & ActOptions & { failed?: boolean };

/** A wrong kind of id would find nothing and say so as if there were nothing. */
function idOf(prefix: 'whe' | 'evt'): (text: string) => string {
  const pattern = new RegExp(`^${prefix}_[0-9a-z]{24}$`);
  return (text) => {
    if (pattern.test(text)) return text;
    throw new InvalidArgumentError(`An id that begins with ${prefix}_.`);
  };
}

function limitNumber(text: string): number {
  const limit = wholeNumber(text);
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new InvalidArgumentError(`A whole number from 1 to ${LIMIT_MAX}.`);
}
