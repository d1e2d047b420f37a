import { Command } from 'commander';
import { organization as findOrganization } from '../organizations/service.ts';
import { wholeNumber } from './client-options.ts';
import { printObject } from './output.ts';
import { type ActOptions, known, type Session, withActOptions, withSession } from './session.ts';

/* What commands about the things of one organization have in common. */

export interface OrganizationOptions {
  organization: string;
  json?: boolean;
}

export interface ListOptions extends OrganizationOptions {
  limit: number;
}

/** Of a command that changes something. */
export type ChangeOptions = OrganizationOptions & ActOptions;

/** Entries of a list where nobody says how many. */
const LIMIT = 100;

export function ofOrganization(command: Command): Command {
  return command.requiredOption('--organization <id>', 'org_…').option('--json', 'as JSON');
}

/** A command that lists. */
export function listing(name: string, limit: number = LIMIT): Command {
  return ofOrganization(new Command(name)).option('--limit <number>', 'at most so many', wholeNumber, limit);
}

/** A command that changes one thing: `argument` as `<order>`, `id` as `prdo_…`. */
export function acting(name: string, argument: string, id: string): Command {
  return ofOrganization(withActOptions(new Command(name)).argument(argument, id));
}

/** An unknown organization is said before anything else. */
export async function withOrganization<Result>(
  { organization }: OrganizationOptions,
  work: (session: Session, organization: string) => Promise<Result>,
): Promise<Result> {
  return await withSession(async (session) => {
    await known(`organization ${organization}`, findOrganization(session.database, organization));
    return await work(session, organization);
  });
}

/** Prints what was found or changed. `what` names it where there is none: `meter order prdo_…`. */
export async function withOne(
  what: string,
  options: OrganizationOptions,
  work: (session: Session, organization: string) => Promise<object>,
): Promise<void> {
  await withOrganization(options, async (session, organization) => {
    const found = await known(`${what} in ${organization}`, work(session, organization));
    printObject({ ...found }, options);
  });
}
