import type { VersionName } from './version-name.ts';

export type Scope = 'read:*' | 'write:*';

/**
 * Who makes this request: made once, when the token is verified, and frozen. Nothing else in a request may
 * decide which organization's rows are reached.
 */
export interface Principal {
  /** `org_…`: the tenant. */
  readonly organization: string;
  /** `oac_…`: the auth client that the token was issued to. */
  readonly client: string;
  /** `grt_…`: everything issued together; absent for the command line. */
  readonly grant?: string;
  /** `cus_…`: set when the token acts for one customer. */
  readonly customer?: string;
  readonly scopes: readonly Scope[];
  /** The version that was pinned when the token was minted. */
  readonly version: VersionName;
}

/** `inOrganization` needs this: a principal, or a job that works for one organization. */
export type Tenant = Pick<Principal, 'organization' | 'customer'>;
