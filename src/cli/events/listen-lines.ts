import type { EventDocument } from '../../events/document.ts';
import type { Message, Outcome } from '../../events/requests/send.ts';
import { ERRORS, isSuccess } from './outcome.ts';

interface Form {
  forwardTo?: string;
  json?: boolean;
}

export interface Announced {
  readonly organization: string;
  readonly endpoint: string;
  readonly topics: readonly string[] | null;
  readonly forward_to: string | null;
  readonly secret: string;
}

/** What is said first. Nothing is signed where nothing is forwarded. */
export function announcement({ secret, ...announced }: Announced, { json }: Form): string {
  const { organization, topics, forward_to } = announced;
  if (json) return JSON.stringify({ ...announced, secret: forward_to === null ? null : secret });
  const lines = [`Listening to ${topics?.join(', ') ?? 'everything'} in ${organization}. Ctrl-C ends it.`];
  if (forward_to !== null) {
    lines.push(`Forwarding to ${forward_to}, signed with the secret of this run: ${secret}`);
  }
  return lines.join('\n');
}

/** One line for each request, or for each event where nothing is forwarded. */
export function deliveredLine({ body }: Message, outcome: Outcome, { forwardTo, json }: Form): string {
  const event = JSON.parse(body) as EventDocument;
  const answer = forwardTo === undefined ? {} : shownAnswer(outcome);
  if (json) return JSON.stringify({ ...event, ...answer });
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
  return `${said} in ${outcome.milliseconds} ms${isSuccess(outcome) ? '' : ', sent again later'}`;
}
