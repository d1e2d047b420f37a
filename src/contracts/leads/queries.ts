import { type Insertable, type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newestFirst, type PageRequest } from '../../platform/interface/newest-first.ts';

const COLUMNS = [
  'leads.id',
  'leads.plan_id',
  'leads.subscription_id',
  'leads.subscribed_at',
  'leads.created_by',
  'leads.last_visited_at',
  'leads.metadata',
  'leads.created_at',
] as const;

/** With the slug of its plan, which is part of its link. */
export type LeadRow = Pick<
  Selectable<Tables['leads']>,
  | 'id'
  | 'plan_id'
  | 'subscription_id'
  | 'subscribed_at'
  | 'created_by'
  | 'last_visited_at'
  | 'metadata'
  | 'created_at'
> & { slug: string };

const FILTER_COLUMNS = { created_at: 'leads.created_at' } as const;
const ORDER = { at: 'leads.created_at', id: 'leads.id' } as const;

function leads(connection: Connection, organization: string) {
  return connection
    .selectFrom('leads')
    .innerJoin('plans', (join) =>
      join
        .onRef('plans.organization_id', '=', 'leads.organization_id')
        .onRef('plans.id', '=', 'leads.plan_id'),
    )
    .select(COLUMNS)
    .select('plans.slug')
    .where('leads.organization_id', '=', organization);
}

export function listLeads(
  connection: Connection,
  organization: string,
  list: PageRequest,
): Promise<LeadRow[]> {
  return newestFirst(leads(connection, organization), list, FILTER_COLUMNS, ORDER).execute();
}

export function findLead(
  connection: Connection,
  organization: string,
  id: string,
): Promise<LeadRow | undefined> {
  return leads(connection, organization).where('leads.id', '=', id).executeTakeFirst();
}

/** Held until the end of the transaction: of two sign-ups with one lead the second sees what the first made of it. */
export function lockLead(connection: Connection, organization: string, id: string) {
  return connection
    .selectFrom('leads')
    .select(['id', 'plan_id', 'subscription_id'])
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function insertLead(
  connection: Connection,
  organization: string,
  lead: Omit<Insertable<Tables['leads']>, 'organization_id'>,
): Promise<void> {
  await connection
    .insertInto('leads')
    .values({ ...lead, organization_id: organization })
    .execute();
}

export async function updateLeadConverted(
  connection: Connection,
  organization: string,
  id: string,
  conversion: { subscription_id: string; subscribed_at: string },
): Promise<void> {
  await connection
    .updateTable('leads')
    .set(conversion)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}

/** Undefined where the organization has no such lead. */
/** The latest visit counts: reports come in any order. Returns what is stored then. */
export function updateLeadVisited(
  connection: Connection,
  organization: string,
  id: string,
  visitedAt: string,
): Promise<{ last_visited_at: string | null } | undefined> {
  return connection
    .updateTable('leads')
    .set({ last_visited_at: sql`greatest(last_visited_at, ${visitedAt}::timestamptz)` })
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .returning('last_visited_at')
    .executeTakeFirst();
}
