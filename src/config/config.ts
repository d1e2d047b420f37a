import { z } from 'zod';
import { DATA_SET_NAMES, type ExportName } from './export-names.ts';
import {
  auditSigningKey,
  count,
  databaseUrl,
  databaseUrls,
  encryptionKeys,
  httpUrl,
  key,
  list,
  networks,
  port,
  ports,
  redisUrl,
  seconds,
  siteUrl,
} from './kinds.ts';
import { switchedOff } from './price-sources.ts';
import { type PriceConfig, priceVariables, syntheticFeeds } from './prices.ts';
import { processesByDefault, processProblems, smallGroupsByCores, thisMachine } from './processes.ts';
import { traceVariables } from './traces.ts';

/*
 * The only reader of the environment. Every problem is listed at once, with the variable's name and the rule; a
 * secret, a key, an issuer or a database has no default. An empty text counts as absent.
 */

/** Whom webhooks may reach. */
const webhookVariables = {
  /** Networks that receivers may be in although they are private, also by http and at any port. */
  WEBHOOK_ALLOWED_NETWORKS: networks,
  /** Ports of all other receivers. */
  WEBHOOK_PORTS: ports(443),
};

const shared = {
  /** `production` insists on an https base address. */
  APP_ENV: z.enum(['production', 'local', 'test']).default('production'),
  /** Scheme, host and port under which clients reach the service; issuer and audience of its tokens. */
  BASE_URL: httpUrl,
  /**
   * Where customers sign in and consent; `{BASE_URL}/auth` where absent. Its path is served by the API. As the next one it is
   * read by all who send webhooks: none goes to this service itself.
   */
  AUTH_URL: siteUrl.optional(),
  /** Where customers look at their contracts; `{BASE_URL}/portal` where absent. Its path is served by the API. */
  PORTAL_URL: siteUrl.optional(),
  DATABASE_URL: databaseUrl,
  /** How long a request or a job waits for a connection to the database before it is turned away. */
  DATABASE_WAIT_MILLISECONDS_MAX: count(2_000, 60_000),
  REDIS_URL: redisUrl,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  HOST: z.string().default('127.0.0.1'),
  METRICS_TOKEN: z.string().min(16).optional(),
  ...priceVariables,
  ...webhookVariables,
  ...traceVariables,
  /** Mail server: one-time codes, and what contacts of webhook endpoints are told. */
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'needs an smtp:// or smtps:// address')
    .optional(),
  /** Sender of mail. */
  MAIL_FROM: z.string().regex(/@/, 'needs an e-mail address').default('Voltstream <voltstream@localhost>'),
  /** Without SMTP_URL, outside production: mail becomes files here. */
  MAIL_FOLDER: z.string().default('.data/mail'),
};

/** The usage of a month is frozen from its snapshots within the next one. */
const snapshotMonths = z.coerce
  .number()
  .int()
  .min(0)
  .max(1200)
  .refine(
    (months) => months !== 1,
    'needs 2 months or more, or 0: usage of a month is settled in the next one',
  )
  .default(13);

const serviceVariables = z.object({
  ...shared,
  PORT: port.default(4300),
  /** Where error pages and guides are; `{BASE_URL}/docs` where absent. */
  DOCS_BASE: z
    .string()
    .regex(/^https?:\/\//, 'needs an http(s) address')
    .optional(),
  /** Between readiness going off and the end of accepting requests. 10 of the 25 seconds of a stop are left for these. */
  SHUTDOWN_DELAY_SECONDS: seconds(5, 15),
  /** Shows forecasts on the page of prices, where everybody sees them. */
  PRICES_PAGE_FORECASTS: switchedOff,
  /** Processes that serve this port together; by cores, memory and connections where absent. */
  API_PROCESSES: z.coerce.number().int().min(1).max(64).optional(),
  /** Keyed hash of client secrets and refresh tokens. Changing it makes all of them invalid. */
  SECRET_PEPPER: key,
  /** Encrypts the private signing keys and the secrets of webhook endpoints in the database. */
  ENCRYPTION_KEY: encryptionKeys,
  /** Signs list cursors. */
  CURSOR_KEY: key,
  /** The host name for sign-ups: it stands behind the slug of a plan in the links of leads. */
  CHECKOUT_HOST: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/, 'needs a host name, without scheme and path')
    .default('checkout.localhost'),
  /** Id and secret of a demo's client, a colon between them: pages fill them into their examples, for everybody who can open them. */
  DEMO_CLIENT: z
    .string()
    .regex(/^oac_\w+:[\w-]+$/, 'needs id and secret of a client, with a colon between them')
    .optional(),
  /** Of all API processes of this port together. */
  DATABASE_CONNECTIONS_MAX: count(16, 200),
  /** Origins that browsers may call from; none where empty. */
  CORS_ORIGINS: list,
  /** Addresses of proxies whose forwarding headers are believed; none where empty. */
  TRUSTED_PROXIES: list,
  /** Rows that one group of waiting batches may hold together. */
  INGEST_GROUP_ROWS_MAX: count(50_000, 500_000),
  /** Groups written at the same time, by all API processes of this port together. */
  INGEST_GROUPS_MAX: count(4, 64),
  /** Of these, groups below 5,000 rows. */
  INGEST_SMALL_GROUPS_MAX: count(smallGroupsByCores(), 64),
  /** MiB of bodies that each process holds at once, counted after inflating; one organization holds a quarter at most. */
  INGEST_ROOM_MEBIBYTES: count(64, 4096),
  /** `nodes`: straight to the node of a Citus cluster that holds the household's rows, past the coordinator. */
  SNAPSHOT_WRITES_TO: z.enum(['coordinator', 'nodes']).default('coordinator'),
  /** Months that raw snapshots are kept; older rows are refused. 0 keeps them without limit. */
  SNAPSHOT_RETENTION_MONTHS: snapshotMonths,
  /** How long a request waits for the count in Redis before its process counts by itself. */
  REDIS_ANSWER_MILLISECONDS_MAX: count(10, 1_000),
  /** Requests that the token endpoint takes a second and at once: of one client, or of one address whose client is unknown. */
  TOKEN_REQUESTS_PER_SECOND: count(5, 100_000),
  TOKEN_REQUESTS_BURST: count(20, 100_000),
  /** Wrong secrets within a minute before further ones have to wait: for a client from one address, and from the address. */
  TOKEN_FAILURES_MAX: count(10, 1_000_000),
  TOKEN_FAILURES_OF_ADDRESS_MAX: count(100, 1_000_000),
  /** Wrong secrets for one client within a minute that raise an alarm. */
  TOKEN_FAILURES_ALARM: count(300, 1_000_000),
  /** After so many days a new key is made for access tokens; 0: by command only. */
  SIGNING_KEY_DAYS: z.coerce.number().int().min(0).max(3650).default(90),
  /** Verified tokens that are kept for at most 15 minutes. */
  TOKEN_CACHE_ENTRIES_MAX: count(10_000, 1_000_000),
  /** Asset maps of households that each process keeps for at most 15 minutes; one of more than ten assets counts as several. */
  ASSET_MAP_CACHE_ENTRIES_MAX: count(10_000, 1_000_000),
  /** Above this delay of the event loop requests are turned away with 503. */
  OVERLOAD_EVENT_LOOP_DELAY_MILLISECONDS: count(1_000, 60_000),
  /** Above so many MiB of resident memory requests are turned away with 503. */
  OVERLOAD_RESIDENT_MEBIBYTES: count(768, 1_000_000),
  /** Connections at a time from one address that is no trusted proxy. */
  CONNECTIONS_OF_ADDRESS_MAX: count(2_000, 1_000_000),
});

const workerVariables = z.object({
  ...shared,
  WORKER_PORT: port.default(4301),
  /** Opens the secrets that webhooks are signed with. */
  ENCRYPTION_KEY: encryptionKeys,
  /** Signs the head of the audit log; it is logged without a signature where absent. */
  AUDIT_SIGNING_KEY: auditSigningKey.optional(),
  DATABASE_MAINTENANCE_URL: databaseUrl,
  DATABASE_CONNECTIONS_MAX: count(8, 200),
  SNAPSHOT_RETENTION_MONTHS: snapshotMonths,
  /** Months that sums of snapshots by quarter hour are kept; 0 keeps them without limit. */
  QUARTER_HOUR_RETENTION_MONTHS: z.coerce.number().int().min(0).max(1200).default(36),
  /** Where Parquet data sets are kept up to date every night; none where absent. */
  DATA_SETS_FOLDER: z.string().startsWith('/', 'needs a path from the root').optional(),
  /** Accounts of analysts that the job signs in with: one for each organization whose rows it writes. */
  DATA_SETS_ACCOUNTS: databaseUrls,
  /** Kinds of rows, as `cli export --into` names them. */
  DATA_SETS_WHAT: list
    .refine(
      (names) => names.every((name) => DATA_SET_NAMES.some((known) => known === name)),
      `needs names out of ${DATA_SET_NAMES.join(', ')}, separated by commas`,
    )
    .transform((names) => (names.length === 0 ? ['energy', 'prices'] : names) as ExportName[]),
  /** Months that are compared every night, the running one included. */
  DATA_SETS_MONTHS: count(3, 1_200),
});

/** The operator's command line: works with the same rights and keys as the service. */
const commandLineVariables = serviceVariables
  .pick({
    APP_ENV: true,
    BASE_URL: true,
    AUTH_URL: true,
    PORTAL_URL: true,
    DATABASE_URL: true,
    SECRET_PEPPER: true,
    ENCRYPTION_KEY: true,
    SIGNING_KEY_DAYS: true,
    LOG_LEVEL: true,
  })
  .extend({
    ...{ ...priceVariables, ...webhookVariables },
    AUDIT_SIGNING_KEY: workerVariables.shape.AUDIT_SIGNING_KEY,
  })
  .partial({ BASE_URL: true });

/** For `npm run db`: what a database administrator has, and no service process. */
const ownerVariables = z.object({
  DATABASE_ADMIN_URL: databaseUrl.optional(),
  /** Superusers' addresses of the workers of Citus; none for TimescaleDB. */
  DATABASE_WORKER_ADMIN_URLS: databaseUrls,
  DATABASE_OWNER_URL: databaseUrl.optional(),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_MAINTENANCE_URL: databaseUrl.optional(),
  REDIS_URL: redisUrl.optional(),
});

/** For `npm run load -- scale-out`: superusers' addresses of a cluster of Citus that it may fill. */
const loadVariables = z.object({
  LOAD_CITUS_ADMIN_URL: databaseUrl.optional(),
  LOAD_CITUS_WORKER_ADMIN_URLS: databaseUrls,
});

/** Servers for the tests to use instead of their own: they create roles and databases there. */
const testVariables = z.object({
  TEST_DATABASE_ADMIN_URL: databaseUrl.optional(),
  TEST_DATABASE_WORKER_ADMIN_URLS: databaseUrls,
  TEST_REDIS_URL: redisUrl.optional(),
  /** Path of a Chromium to look at pages with, where none can be fetched from Debian. */
  TEST_CHROMIUM: z.string().optional(),
});

export type ServiceConfig = Readonly<z.output<typeof serviceVariables>> & {
  readonly processes: number;
  readonly docsBase: string;
  readonly authUrl: string;
  readonly portalUrl: string;
};
export type WorkerConfig = Readonly<z.output<typeof workerVariables>>;
export type CommandLineConfig = Readonly<z.output<typeof commandLineVariables>> & PriceConfig;
export type OwnerConfig = Readonly<z.output<typeof ownerVariables>>;
export type TestConfig = Readonly<z.output<typeof testVariables>>;
export type LoadConfig = Readonly<z.output<typeof loadVariables>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the samples in ops/ have where a value of one's own belongs. Everybody knows it. */
const PLACEHOLDER = 'CHANGE-ME';

/** Thrown with every problem of the configuration, one line each. */
export class ConfigurationError extends Error {}

/** What can be told of the variables that are good by themselves. */
type Rules<Schema extends z.ZodObject> = (config: Partial<z.output<Schema>>) => string[];

function read<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Environment,
  rules: Rules<Schema> = () => [],
): Readonly<z.output<Schema>> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const good: Record<string, unknown> = {};
  const problems: string[] = [];
  const bad = new Set<string>();
  for (const [name, variable] of Object.entries(schema.shape)) {
    if (present[name]?.includes(PLACEHOLDER)) {
      bad.add(name);
      problems.push(`${name}: ${PLACEHOLDER} stands where a value of your own belongs`);
      continue;
    }
    const { success, data, error } = z.safeParse(variable, present[name]);
    if (success && data !== undefined) good[name] = data;
    for (const issue of error?.issues ?? []) {
      bad.add(name);
      const isNoNumber = issue.code === 'invalid_type' && issue.expected === 'number';
      const rule = isNoNumber ? 'needs a number' : issue.message;
      problems.push(present[name] === undefined ? `${name} is missing` : `${name}: ${rule}`);
    }
  }
  problems.push(...misspelt(present, Object.keys(schema.shape)));
  const together = rules(good as Partial<z.output<Schema>>);
  problems.push(...together.filter((problem) => !bad.has(/^\w+/.exec(problem)?.[0] ?? '')));
  if (problems.length > 0) throw new ConfigurationError(problems.join('\n'));
  return Object.freeze(good as z.output<Schema>);
}

/** What begins so and is not known is a spelling mistake. No other program has such names where this service runs. */
export const OWN_PREFIXES = [
  ...['API_PROCESS', 'INGEST_', 'SNAPSHOT_', 'QUARTER_HOUR_', 'SIGNING_KEY_', 'ASSET_MAP_', 'OVERLOAD_'],
  ...['TOKEN_CACHE_', 'TOKEN_REQUESTS_', 'TOKEN_FAILURES_', 'CONNECTIONS_', 'SHUTDOWN_', 'DATA_SETS_'],
  ...['PRICES_', 'WEBHOOK_', 'AUDIT_SIGNING_', 'METRICS_TOKEN', 'CORS_ORIGIN', 'TRUSTED_PROX', 'SMTP_UR'],
  ...['DATABASE_CONNECTIONS', 'DATABASE_WAIT_', 'REDIS_ANSWER_', 'CHECKOUT_HOST', 'DEMO_CLIENT'],
];

/** The readers of each variable. Tests compare the table of docs/configuration.md and the compose file with it. */
export const VARIABLES_READ_BY = {
  service: Object.keys(serviceVariables.shape),
  worker: Object.keys(workerVariables.shape),
  cli: Object.keys(commandLineVariables.shape),
  setup: Object.keys(ownerVariables.shape),
  tests: Object.keys(testVariables.shape),
  load: Object.keys(loadVariables.shape),
} as const satisfies Record<string, readonly string[]>;

export const VARIABLE_NAMES: readonly string[] = [...new Set(Object.values(VARIABLES_READ_BY).flat())].sort();

/** Only beside a variable that is read: the shell of a command may have names of everybody. */
function misspelt(present: Environment, names: readonly string[]): string[] {
  const prefixes = OWN_PREFIXES.filter((prefix) => names.some((name) => name.startsWith(prefix)));
  return Object.keys(present)
    .filter((name) => prefixes.some((prefix) => name.startsWith(prefix)) && !VARIABLE_NAMES.includes(name))
    .map((name) => `${name} is not a variable of this service`);
}

/** Prices of a feed on this machine are invented: nobody may be billed by them. */
function priceProblems(config: Partial<PriceConfig> & { APP_ENV?: string }): string[] {
  if (config.APP_ENV !== 'production' || config.PRICES_SOURCES === undefined) return [];
  return syntheticFeeds(config as PriceConfig).map(
    (name) => `${name}: in production a feed on this machine is refused`,
  );
}

function addressProblems(config: { APP_ENV?: string; BASE_URL?: string }): string[] {
  if (config.APP_ENV !== 'production' || (config.BASE_URL ?? 'https://').startsWith('https://')) return [];
  return ['BASE_URL: in production the address must begin with https://'];
}

/** The environment as it was handed over, for programs that add to it before it is read. */
export function processEnvironment(): Environment {
  return process.env;
}

/**
 * A one-time code in a file would let in whoever can read files: production has a mail server, or no hosted screens.
 * Whoever names an address for them wants them.
 */
function screenProblems(config: Partial<z.output<typeof serviceVariables>>): string[] {
  if (config.APP_ENV !== 'production') return [];
  const problems: string[] = [];
  if (config.AUTH_URL !== undefined && !config.AUTH_URL.startsWith('https://')) {
    problems.push('AUTH_URL: in production the address must begin with https://');
  }
  if (config.PORTAL_URL !== undefined && !config.PORTAL_URL.startsWith('https://')) {
    problems.push('PORTAL_URL: in production the address must begin with https://');
  }
  if (config.AUTH_URL !== undefined && config.SMTP_URL === undefined) {
    problems.push('SMTP_URL is missing: AUTH_URL names screens that send one-time codes by mail');
  }
  return problems;
}

function mailProblems(config: Partial<z.output<typeof workerVariables>>): string[] {
  const isMissing =
    config.APP_ENV === 'production' &&
    config.SMTP_URL !== undefined &&
    config.MAIL_FROM?.endsWith('@localhost>') === true;
  return isMissing ? ['MAIL_FROM is missing: SMTP_URL needs a sender'] : [];
}

export function readServiceConfig(environment: Environment = process.env): ServiceConfig {
  const config = read(serviceVariables, environment, (given) => [
    ...[...priceProblems(given), ...addressProblems(given), ...screenProblems(given)],
    ...[...mailProblems(given), ...processProblems(given)],
    ...(given.APP_ENV === 'production' && given.DEMO_CLIENT !== undefined
      ? ['DEMO_CLIENT: in production no page shows keys']
      : []),
  ]);
  return Object.freeze({
    ...config,
    processes: config.API_PROCESSES ?? processesByDefault(config, thisMachine()),
    docsBase: config.DOCS_BASE ?? `${config.BASE_URL}/docs`,
    authUrl: config.AUTH_URL ?? `${config.BASE_URL}/auth`,
    portalUrl: config.PORTAL_URL ?? `${config.BASE_URL}/portal`,
  });
}

export function readWorkerConfig(environment: Environment = process.env): WorkerConfig {
  return read(workerVariables, environment, (given) => [
    ...[...priceProblems(given), ...addressProblems(given), ...mailProblems(given)],
    ...(given.DATA_SETS_FOLDER !== undefined && given.DATA_SETS_ACCOUNTS?.length === 0
      ? ['DATA_SETS_ACCOUNTS is missing: DATA_SETS_FOLDER needs an account for each organization']
      : []),
  ]);
}

export function readCommandLineConfig(environment: Environment = process.env): CommandLineConfig {
  return read(commandLineVariables, environment, priceProblems) as CommandLineConfig;
}

/** For commands of the owner that look for what is kept under keyed hashes. */
export function readPepper(environment: Environment = process.env): string {
  return read(commandLineVariables.pick({ SECRET_PEPPER: true }), environment).SECRET_PEPPER;
}

export function readOwnerConfig(environment: Environment = process.env): OwnerConfig {
  return read(ownerVariables, environment);
}

export function readTestConfig(environment: Environment = process.env): TestConfig {
  return read(testVariables, environment);
}

export function readLoadConfig(environment: Environment = process.env): LoadConfig {
  return read(loadVariables, environment);
}
