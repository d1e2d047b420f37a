import {
  organization as findOrganization,
  isOfOrganization,
  organizationOfIds,
  organizations,
} from '../identity/organizations/service.ts';
import type { Database } from '../platform/database/db.ts';
import { Failure } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import type { StartFacts } from './local/facts.ts';
import { readJsonFile, startFiles } from './local/folder.ts';

/**
 * The organization that a command is about. An id that was typed decides where none is named: a command never acts for
 * another organization than the one that has it.
 */
export async function ownOrganization(
  database: Database,
  { organization: named, ...others }: Readonly<Record<string, unknown>>,
): Promise<string> {
  const found =
    typeof named === 'string' ? named : await guessedOrganization(database, Object.values(others));
  await known(`organization ${found}`, findOrganization(database, found));
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

/** An empty list says nothing of a record that does not exist: each of these is looked for. */
export async function knownRecords(
  database: Database,
  organization: string,
  named: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const [what, id] of Object.entries(named)) {
    if (typeof id !== 'string' || (await isOfOrganization(database, organization, id))) continue;
    throw new Error(`There is no ${what} ${id} in ${organization}`);
  }
}

/** Turns "not found" into a sentence that names what was looked for. */
export async function known<Result>(what: string, lookup: Promise<Result>): Promise<Result> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof Failure && error.code === 'NOT_FOUND') throw new Error(`There is no ${what}`);
    throw error;
  }
}
