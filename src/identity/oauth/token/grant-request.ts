import type { Connection } from '../../../platform/database/db.ts';
import type { Scope } from '../../../platform/principal.ts';
import type { AuthClient } from '../clients/live-queries.ts';
import type { OAuthFailure } from '../failures.ts';
import type { Parameters } from './parameters.ts';

/** What a grant type works with: the client is authenticated and may use this type, the transaction is open. */
export interface GrantRequest {
  connection: Connection;
  client: AuthClient;
  parameters: Parameters;
  pepper: string;
  nowMilliseconds: number;
}

export interface IssuedGrant {
  id: string;
  customer: string | null;
  scopes: readonly Scope[];
  /** Absent for a client that may not refresh. */
  refreshToken?: string;
}

/**
 * A refusal is returned and not thrown where it leaves something behind that must be committed (a killed family, the
 * line in the audit log).
 */
export type GrantOutcome =
  | { issued: IssuedGrant }
  | { refused: OAuthFailure; grant?: string; replayed?: true };

export type GrantType = (request: GrantRequest) => Promise<GrantOutcome>;
