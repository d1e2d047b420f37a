import { InvalidArgumentError } from 'commander';
import { topics } from '../../api/topics.ts';
import { addressRules } from '../../events/requests/rules.ts';
import type { Session } from '../session.ts';

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

/** What the functions of endpoints work with. */
export function endpointDeps(session: Session) {
  return { ...session, rules: addressRules(session.config), topics };
}
