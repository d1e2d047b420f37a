import { Command } from 'commander';
import {
  organization as findOrganization,
  organizationOfIds,
  organizations,
} from '../identity/organizations/service.ts';
import type { Database } from '../platform/database/db.ts';
import { isId } from '../platform/ids.ts';
import { wholeNumber } from './identity/client-options.ts';
import type { StartFacts } from './local/facts.ts';
import { readJsonFile, startFiles } from './local/folder.ts';
import { printObject } from './output.ts';
import { type ActOptions, known, type Session, withActOptions, withSession } from './session.ts';

/* What commands about the things of one organization have in common. */

export interface OrganizationOptions {
  /** Known once the session has begun, also where nobody named one. */
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
  return withOrganizationOption(command).option('--json', 'as JSON');
}

/** The option, and what `ownOrganization` finds out where it is left out. */
export function withOrganizationOption(command: Command, whose = ''): Command {
  const where = 'where absent: whose the id is, else that of npm start, else the only one';
  return command
    .option('--organization <id>', `org_…${whose}; ${where}`)
    .hook('preAction', (_command, acted) => {
      namedIds.set(acted.opts(), acted.args);
    });
}

/** By the options of a command the arguments that it was given beside them. */
const namedIds = new WeakMap<object, readonly string[]>();

/**
 * The organization that a command is about, kept in its options too. An id that was named decides before anything else: a
 * command never acts for another organization than the one that has it.
 */
export async function ownOrganization(
  database: Database,
  options: { organization?: string },
): Promise<string> {
  const { organization: named, ...others } = options;
  const found =
    named ??
    (await guessedOrganization(database, [...(namedIds.get(options) ?? []), ...Object.values(others)]));
  await known(`organization ${found}`, findOrganization(database, found));
  options.organization = found;
  return found;
}

async function guessedOrganization(database: Database, given: readonly unknown[]): Promise<string> {
  const ids = given.filter((value) => typeof value === 'string').filter(isId);
  if (ids.length > 0) {
    const whose = await organizationOfIds(database, ids);
    if (whose !== undefined) return whose;
  }
  const all = await organizations(database);
  const demo = (await readJsonFile<StartFacts>(startFiles.facts))?.organization;
  const [only, ...more] = all.some(({ id }) => id === demo) ? all.filter(({ id }) => id === demo) : all;
  if (only === undefined)
    throw new Error('There is no organization yet: npm run cli -- organizations create');
  if (more.length > 0) {
    const unknown = ids.length === 0 ? '' : `None of them has ${ids.join(' or ')}. `;
    throw new Error(
      `There are ${all.length} organizations. ${unknown}Name one with --organization (npm run cli -- organizations list)`,
    );
  }
  return only.id;
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
  options: { organization?: string },
  work: (session: Session, organization: string) => Promise<Result>,
): Promise<Result> {
  return await withSession(async (session) =>
    work(session, await ownOrganization(session.database, options)),
  );
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
