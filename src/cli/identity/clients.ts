import {
  clientsOf,
  clientWithSecrets,
  createClient,
  setClientDisabled,
  updateClient,
} from '../../identity/oauth/clients/clients.ts';
import { revokeSecret, rotateSecret } from '../../identity/oauth/clients/rotate-secrets.ts';
import type { ClientChange, GrantName, NewClientInput } from '../../identity/oauth/clients/schema.ts';
import { organization, organizations } from '../../identity/organizations/service.ts';
import { type ArgumentValues, command } from '../engine/command.ts';
import {
  ACT,
  argument,
  choice,
  flag,
  idOption,
  JSON_LIST,
  JSON_OBJECT,
  needed,
  option,
  or,
  ownOrganizationField,
  several,
  wholeNumber,
} from '../engine/fields.ts';
import { fields, table } from '../engine/output.ts';
import { known } from '../organization.ts';

const SECRET_NOTE = 'The secret is shown this once: only its hash is stored.';
/** What a secret gave lives on where the secret does not. */
const TOKENS_NOTE = `Tokens that were given before work for up to 60 minutes more. "grants revoke" ends one, "grants list --client"
names them. "clients disable" stops all of them, for as long as the client is off.`;
const OVERLAP_HOURS_MAX = 24 * 90;

const CLIENT = { arguments: { client: 'oac_…' }, thing: 'client' } as const;

const NAME = option('<text>', 'shown to operators and on consent screens');
/** What a client has from the beginning and may be changed. */
const FIELDS = {
  redirect_uri: several(option('<uri...>', 'registered addresses of the authorization code flow')),
  redirect_rule: choice('<rule>', 'origin: any path below; exact: the text itself', ['origin', 'exact']),
  grant: several<GrantName>(
    choice('<grant...>', 'grant types it may use', [
      'authorization_code',
      'client_credentials',
      'refresh_token',
    ]),
  ),
  api_version: option('<version>', 'dated version its tokens are pinned to'),
  rate_per_second: option('<number>', 'requests per second', wholeNumber),
  rate_burst: option('<number>', 'requests at once', wholeNumber),
};
const ASKS = 'customers are always asked for consent';
const PKCE = 'demands PKCE with the method S256';

export const commands = {
  create: command({
    words: 'a new client; prints its id and its secret',
    examples: [
      "--name Gateway --reason 'gateway of the trial'",
      "--name App --public --grant authorization_code refresh_token --redirect-uri https://app.example/callback --reason 'app for customers'",
    ],
    /* Scopes, role and kind are fixed at creation. */
    options: {
      name: needed(NAME),
      ...FIELDS,
      customer: idOption('cus_…: the client acts for this one customer only'),
      read_only: flag('scope read:* instead of read:* and write:*: it cannot send'),
      public: flag('has no secret (an app on a device)'),
      third_party: flag(ASKS),
      s256_only: flag(PKCE),
      ...ACT,
      ...ownOrganizationField(': whose client it is'),
      ...JSON_OBJECT,
    },
    work: async (
      { act, organization: owner, ...session },
      {
        customer,
        read_only = false,
        public: isPublic = false,
        third_party = false,
        s256_only = false,
        ...given
      },
    ) => {
      const input = {
        ...fieldsOf(given),
        ...(customer !== undefined && { customer_id: customer }),
        ...{ read_only, public: isPublic, third_party, s256_only },
      } as NewClientInput;
      const { client, client_secret } = await createClient(session, owner, input, act);
      const { id, ...shown } = client;
      return { client_id: id, client_secret, ...shown };
    },
    print: (created) => [fields(created), ...(created.client_secret === null ? [] : [SECRET_NOTE])],
  }),
  list: command({
    words: 'clients with their last use, newest first',
    examples: ['', '--organization org_… --json'],
    options: { organization: idOption('org_…: of this organization only'), ...JSON_LIST },
    work: async ({ database }, { organization: only }) => {
      const owners =
        only === undefined
          ? await organizations(database)
          : [await known(`organization ${only}`, organization(database, only))];
      const rows = [];
      for (const { id } of owners) rows.push(...(await clientsOf(database, id)));
      return rows;
    },
    columns: ['id', 'organization_id', 'scopes', 'version', 'last_used_at', 'disabled_at', 'display_name'],
    least: ['version', 'organization_id', 'disabled_at', 'scopes'],
  }),
  show: command({
    words: 'one client and its secrets (ids and times, never the secrets themselves)',
    examples: ['oac_…', 'oac_… --json'],
    ...CLIENT,
    options: JSON_OBJECT,
    work: async ({ database }, given) => {
      const { client, secrets } = await clientWithSecrets(database, given.client);
      return { ...client, secrets };
    },
    print: ({ secrets, ...client }) => [
      fields(client),
      table(secrets, [['secret', ({ id }) => id], 'created_at', 'expires_at', 'revoked_at']),
    ],
  }),
  update: command({
    words: 'changes what is named; scopes and kind are fixed: a changed scope takes a new client',
    examples: [
      "oac_… --rate-per-second 50 --rate-burst 100 --reason 'more gateways'",
      "oac_… --third-party yes --reason 'another company runs it'",
    ],
    ...CLIENT,
    options: {
      name: NAME,
      ...FIELDS,
      third_party: choice('<yes|no>', ASKS, ['yes', 'no']),
      s256_only: choice('<yes|no>', PKCE, ['yes', 'no']),
      ...ACT,
      ...JSON_OBJECT,
    },
    check: ({ client: _, ...change }) => {
      if (Object.keys(change).length === 0) throw new Error('Nothing to change was named');
    },
    work: ({ database, act }, { client, third_party, s256_only, ...given }) => {
      const change = {
        ...fieldsOf(given),
        ...(third_party !== undefined && { third_party: third_party === 'yes' }),
        ...(s256_only !== undefined && { s256_only: s256_only === 'yes' }),
      } as ClientChange;
      return updateClient(database, client, change, act);
    },
  }),
  'rotate-secret': command({
    words: 'a new secret; the older ones work until the overlap ends',
    examples: ["oac_… --reason 'yearly change'", "oac_… --overlap-hours 0 --reason 'the secret leaked'"],
    ...CLIENT,
    options: {
      ...ACT,
      overlap_hours: or(option('<hours>', 'how long the older secrets still work', wholeNumber), 24),
      ...JSON_OBJECT,
    },
    work: async ({ act, ...session }, { client, overlap_hours: hours }) => {
      if (hours > OVERLAP_HOURS_MAX) throw new Error(`The overlap is at most ${OVERLAP_HOURS_MAX} hours`);
      const overlap = { hours, nowMilliseconds: session.clock.nowMilliseconds() };
      const { secret, ...rotated } = await rotateSecret(session, client, overlap, act);
      return { client_id: client, secret: secret.id, ...rotated };
    },
    notes: TOKENS_NOTE,
    print: (rotated, { overlap_hours: hours }) => [
      fields(rotated),
      SECRET_NOTE,
      ...(hours === 0 ? [TOKENS_NOTE] : []),
    ],
  }),
  'revoke-secret': command({
    words: 'ends one secret at once; "clients show" has its number, under "secret"',
    examples: ["oac_… 17 --reason 'the secret leaked'", "oac_… 42 --reason 'nobody uses it' --json"],
    notes: TOKENS_NOTE,
    arguments: { client: 'oac_…', secret: argument(option('', 'number of the secret', wholeNumber)) },
    options: { ...ACT, ...JSON_OBJECT },
    work: async ({ database, act }, { client, secret }) => {
      const revoked = revokeSecret(database, client, secret, act);
      await known(`client ${client} with a living secret ${secret}`, revoked);
      return { client_id: client, secret, revoked_at: act.now };
    },
    print: (revoked) => [fields(revoked), TOKENS_NOTE],
  }),
  disable: switching(true, 'no more tokens, and those given die within 5 seconds', 'it sends too much'),
  enable: switching(
    false,
    'takes back "clients disable"; tokens of the last 60 minutes work again',
    'the fault is mended',
  ),
};

function switching(disabled: boolean, words: string, reason: string) {
  return command({
    words,
    examples: [`oac_… --reason '${reason}'`, `oac_… --reason '${reason}' --json`],
    ...CLIENT,
    options: { ...ACT, ...JSON_OBJECT },
    work: ({ database, act }, { client }) => setClientDisabled(database, client, disabled, act),
  });
}

/** The typed fields of a client; the schema behind it checks the values. */
function fieldsOf(given: ArgumentValues<typeof FIELDS & { name: typeof NAME }>) {
  const { name, redirect_uri, grant, api_version, ...same } = given;
  return {
    ...(name !== undefined && { display_name: name }),
    ...(redirect_uri !== undefined && { redirect_uris: redirect_uri }),
    ...(grant !== undefined && { grants: grant }),
    ...(api_version !== undefined && { version: api_version }),
    ...same,
  };
}
