import { z } from 'zod';
import { LATEST_STABLE_VERSION, PREVIEW_VERSION, VERSION_NAMES } from '../../../config/versions.ts';
import { ID_PATTERN } from '../../../platform/ids.ts';
import { wireSchemas } from '../../../platform/interface/wire-schemas.ts';
import { redirectUriFault } from '../protocol/redirect-uris.ts';

const REDIRECT_URIS_MAX = 20;
const RATE_PER_SECOND = 50;
const RATE_BURST = 100;
const RATE_MAX = 100_000;

/** A preview may still change: it is asked for call by call and never what a client gets without asking. */
const pinnableVersions = VERSION_NAMES.filter((version) => version !== PREVIEW_VERSION);

const grantName = z.enum(['authorization_code', 'client_credentials', 'refresh_token']);
export type GrantName = z.output<typeof grantName>;

/** What may be changed later. Scopes, role and kind are fixed at creation: changing them takes a new client. */
const changeable = {
  display_name: wireSchemas.name({ max: 100 }),
  redirect_uris: z.array(z.string()).max(REDIRECT_URIS_MAX),
  redirect_rule: z.enum(['origin', 'exact']),
  grants: z.array(grantName).min(1),
  third_party: z.boolean(),
  s256_only: z.boolean(),
  version: z.enum(pinnableVersions),
  rate_per_second: z.int().min(1).max(RATE_MAX),
  rate_burst: z.int().min(1).max(RATE_MAX),
};

interface ClientFields {
  public: boolean;
  customer_id: string | null;
  redirect_uris: string[];
  redirect_rule: 'origin' | 'exact';
  grants: GrantName[];
}

/** Rules that look at more than one field; they hold for a new client and for a changed one. */
function checkTogether(client: ClientFields, context: z.RefinementCtx): void {
  const problem = (path: PropertyKey[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  for (const [index, uri] of client.redirect_uris.entries()) {
    const fault = redirectUriFault(uri, client.redirect_rule);
    if (fault !== undefined) problem(['redirect_uris', index], fault);
  }
  if (new Set(client.grants).size !== client.grants.length) problem(['grants'], 'A grant is named twice');
  if (client.public && client.grants.includes('client_credentials')) {
    problem(['grants'], 'A public client has no secret and cannot use client_credentials');
  }
  if (client.grants.includes('authorization_code') && client.redirect_uris.length === 0) {
    problem(['redirect_uris'], 'The grant authorization_code needs at least one redirect URI');
  }
  if (client.customer_id !== null && client.grants.includes('authorization_code')) {
    problem(['grants'], 'A client that acts for one customer cannot use authorization_code');
  }
}

function defaultGrants(client: {
  public: boolean;
  customer_id: string | null;
  redirect_uris: string[];
}): GrantName[] {
  const grants: GrantName[] = ['refresh_token'];
  if (!client.public) grants.unshift('client_credentials');
  if (client.public || (client.redirect_uris.length > 0 && client.customer_id === null)) {
    grants.unshift('authorization_code');
  }
  return grants;
}

/** A client to be registered, with everything that was left out filled in. */
export const newClient = z
  .object({
    ...changeable,
    redirect_uris: changeable.redirect_uris.default([]),
    redirect_rule: changeable.redirect_rule.default('origin'),
    grants: changeable.grants.optional(),
    third_party: changeable.third_party.default(false),
    s256_only: changeable.s256_only.default(false),
    version: changeable.version.default(LATEST_STABLE_VERSION),
    rate_per_second: changeable.rate_per_second.default(RATE_PER_SECOND),
    rate_burst: changeable.rate_burst.default(RATE_BURST),
    public: z.boolean().default(false),
    /** Set: the client acts for this one customer. */
    customer_id: z.string().regex(ID_PATTERN, 'Not the id of a customer').nullable().default(null),
    read_only: z.boolean().default(false),
  })
  .transform((client) => ({ ...client, grants: client.grants ?? defaultGrants(client) }))
  .superRefine(checkTogether);

export type NewClientInput = z.input<typeof newClient>;

/** What a change names; the rest stays. */
export const clientChange = z.object(changeable).partial();
export type ClientChange = z.input<typeof clientChange>;

/** The whole client as it would be after a change. */
export const changedClient = z
  .object({ ...changeable, public: z.boolean(), customer_id: z.string().nullable() })
  .superRefine(checkTogether);
