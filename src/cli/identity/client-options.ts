import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ClientChange, GrantName, NewClientInput } from '../../identity/oauth/clients/schema.ts';

interface SharedOptions {
  name?: string;
  redirectUri?: string[];
  redirectRule?: 'origin' | 'exact';
  grant?: GrantName[];
  apiVersion?: string;
  ratePerSecond?: number;
  rateBurst?: number;
}

export interface NewClientOptions extends SharedOptions {
  organization: string;
  name: string;
  customer?: string;
  readOnly?: boolean;
  public?: boolean;
  thirdParty?: boolean;
  s256Only?: boolean;
}

export interface ClientChangeOptions extends SharedOptions {
  thirdParty?: 'yes' | 'no';
  s256Only?: 'yes' | 'no';
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('A whole number is expected.');
  return Number(text);
}

function withSharedOptions(command: Command): Command {
  return command
    .option('--redirect-uri <uri...>', 'registered addresses of the authorization code flow')
    .addOption(
      new Option('--redirect-rule <rule>', 'origin: any path below; exact: the text itself').choices([
        'origin',
        'exact',
      ]),
    )
    .addOption(
      new Option('--grant <grant...>', 'grant types it may use').choices([
        'authorization_code',
        'client_credentials',
        'refresh_token',
      ]),
    )
    .option('--api-version <version>', 'dated version its tokens are pinned to')
    .option('--rate-per-second <number>', 'requests per second', wholeNumber)
    .option('--rate-burst <number>', 'requests at once', wholeNumber);
}

/** Scopes, role and kind are fixed at creation, so they are options of `create` only. */
export function withNewClientOptions(command: Command): Command {
  command.requiredOption('--name <text>', 'shown to operators and on consent screens');
  return withSharedOptions(command)
    .option('--customer <id>', 'cus_…: the client acts for this one customer only')
    .option('--read-only', 'scope read:* instead of read:* and write:*')
    .option('--public', 'has no secret (an app on a device)')
    .option('--third-party', 'customers are always asked for consent')
    .option('--s256-only', 'demands PKCE with the method S256');
}

export function withChangeOptions(command: Command): Command {
  const yesOrNo = (flags: string, description: string) =>
    new Option(flags, description).choices(['yes', 'no']);
  return withSharedOptions(command.option('--name <text>', 'shown to operators and on consent screens'))
    .addOption(yesOrNo('--third-party <yes|no>', 'customers are always asked for consent'))
    .addOption(yesOrNo('--s256-only <yes|no>', 'demands PKCE with the method S256'));
}

/** What was typed as the fields of a client; the schema behind it checks the values. */
function sharedFields(options: SharedOptions) {
  return present({
    display_name: options.name,
    redirect_uris: options.redirectUri,
    redirect_rule: options.redirectRule,
    grants: options.grant,
    version: options.apiVersion,
    rate_per_second: options.ratePerSecond,
    rate_burst: options.rateBurst,
  });
}

export function newClientInput(options: NewClientOptions): NewClientInput {
  return {
    ...sharedFields(options),
    ...present({ customer_id: options.customer }),
    read_only: options.readOnly === true,
    public: options.public === true,
    third_party: options.thirdParty === true,
    s256_only: options.s256Only === true,
  } as NewClientInput;
}

export function clientChangeInput(options: ClientChangeOptions): ClientChange {
  const flag = (value: 'yes' | 'no' | undefined) => (value === undefined ? undefined : value === 'yes');
  return {
    ...sharedFields(options),
    ...present({ third_party: flag(options.thirdParty), s256_only: flag(options.s256Only) }),
  } as ClientChange;
}

function present<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}
