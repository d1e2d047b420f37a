import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { ClientStanding } from '../clients/live-queries.ts';

export interface Access {
  organization_id: string;
  standing: ClientStanding;
  revoked_at: string | null;
  disabled_at: string | null;
  /** This one token was given back. */
  token_revoked: boolean;
  rate_per_second: number;
  rate_burst: number;
}

/** Looks across organizations: is the token alive, its grant, the client on, the organization in order? */
export async function findAccess(
  connection: Connection,
  grant: string,
  client: string,
  token: string,
): Promise<Access | undefined> {
  const { rows } = await sql<Access>`
    SELECT organization_id, standing, revoked_at, disabled_at, token_revoked, rate_per_second, rate_burst
    FROM find_access(${grant}, ${client}, ${token})`.execute(connection);
  return rows[0];
}
