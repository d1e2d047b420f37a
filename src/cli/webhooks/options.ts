import { type Command, InvalidArgumentError } from 'commander';
import { addressRules } from '../../events/requests/rules.ts';
import { organization as findOrganization } from '../../organizations/service.ts';
import { known, type Session, withSession } from '../session.ts';

export interface WebhookOptions {
  organization: string;
  json?: boolean;
}

export function ofOrganization(command: Command): Command {
  return command.requiredOption('--organization <id>', 'org_…').option('--json', 'as JSON');
}

/** An unknown organization is said before anything else. */
export async function withOrganization<Result>(
  { organization }: WebhookOptions,
  work: (session: Session, organization: string) => Promise<Result>,
): Promise<Result> {
  return await withSession(async (session) => {
    await known(`organization ${organization}`, findOrganization(session.database, organization));
    return await work(session, organization);
  });
}

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
  return { ...session, rules: addressRules(session.config) };
}
