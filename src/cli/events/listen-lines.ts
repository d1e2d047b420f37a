import { InvalidArgumentError } from 'commander';
import { WAIT_SECONDS } from '../../events/deliveries/waits.ts';
import type { EventDocument } from '../../events/document.ts';
import type { Message, Outcome } from '../../events/requests/send.ts';

/** `all` is everything, also topics that come later. */
export type TopicChoice = string[] | 'all';

/** `subscription.created,subscription.ended`, or `all`. */
export function topicChoice(text: string): TopicChoice {
  if (text === 'all') return text;
  const names = text.split(',').map((name) => name.trim());
  if (names.some((name) => name === '')) {
    throw new InvalidArgumentError('Names of topics with commas between them, or the word all.');
  }
  return names;
}

/** Why no answer came. */
export const ERRORS: Readonly<Record<Extract<Outcome, { kind: 'failed' }>['error'], string>> = {
  connection: 'no connection',
  tls: 'the TLS certificate or connection was refused',
  time_out: 'no whole answer in time',
  address: 'the address is one that must not be reached',
};

export function isSuccess(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
}

/** What fails as often is given up. */
const ATTEMPTS_MAX = WAIT_SECONDS.length + 1;

interface Form {
  readonly forwardTo: string | undefined;
  readonly isJson: boolean;
}

export interface AnnouncedListener {
  readonly organization: string;
  readonly endpoint: string;
  readonly topics: readonly string[] | null;
  readonly forward_to: string | null;
  readonly secret: string;
}

/** What is said first. Nothing is signed where nothing is forwarded. */
export function announcement(
  { secret, ...announced }: AnnouncedListener,
  { isJson }: Pick<Form, 'isJson'>,
): string {
  const { organization, topics, forward_to } = announced;
  if (isJson) return JSON.stringify({ ...announced, secret: forward_to === null ? null : secret });
  const lines = [`Listening to ${topics?.join(', ') ?? 'everything'} in ${organization}. Ctrl-C ends it.`];
  if (forward_to !== null) {
    lines.push(`Forwarding to ${forward_to}, signed with the secret of this run: ${secret}`);
  }
  return lines.join('\n');
}

/** One line for each request, or for each event where nothing is forwarded. */
export function deliveredLine({ body }: Message, outcome: Outcome, { forwardTo, isJson }: Form): string {
  const event = JSON.parse(body) as EventDocument;
  const answer = forwardTo === undefined ? {} : shownAnswer(outcome);
  if (isJson) return JSON.stringify({ ...event, ...answer });
  const ids = Object.entries(event.context).map(([name, id]) => `${name}=${id}`);
  const said = [event.timestamp, event.topic, event.id, ...ids].join('  ');
  return forwardTo === undefined ? said : `${said}  → ${answerText(outcome)}`;
}

function shownAnswer(outcome: Outcome) {
  const { milliseconds } = outcome;
  return outcome.kind === 'answered'
    ? { status: outcome.status, error: null, milliseconds }
    : { status: null, error: outcome.error, milliseconds };
}

function answerText(outcome: Outcome): string {
  const said = outcome.kind === 'answered' ? String(outcome.status) : ERRORS[outcome.error];
  const took = `${said} in ${outcome.milliseconds} ms`;
  if (isSuccess(outcome)) return took;
  const isGone = outcome.kind === 'answered' && outcome.status === 410;
  return `${took}, ${isGone ? 'which switches the listener off' : `failed: one of at most ${ATTEMPTS_MAX} attempts`}`;
}
