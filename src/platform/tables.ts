// Written from the database by scripts/write-tables.ts: not changed by hand.
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** Goes in as text that was made by JSON.stringify, comes out parsed. */
type Json = ColumnType<unknown, string, string>;

interface Addresses {
  /** The tenant. */
  organization_id: string;
  /** adr_ and 24 random characters. */
  id: string;
  /** Whose address it is. */
  customer_id: string;
  /** Street without number. Personal; for the supply contract; until erased. */
  street: string;
  /** House number. Personal; for the supply contract; until erased. */
  house_number: string;
  /** German postal code, 5 digits. Personal; for the supply contract; until erased. */
  zip: string;
  /** Town. Personal; for the supply contract; until erased. */
  city: string;
  /** Instant of creation. */
  created_at: Generated<string>;
}

interface AssetSnapshots {
  /** Internal key of the asset: assets.key. */
  asset_id: number;
  /** Instant of the measurement, to the microsecond. */
  timestamp: string;
  /** Power in kW: positive into the asset, negative out of it. Charging and consumption are positive, generation and discharging negative. */
  power_kw: number | null;
  /** State of charge of a battery, 0 to 1. */
  state_of_charge: number | null;
  /** State of charge of the vehicle at a wallbox, 0 to 1. */
  vehicle_state_of_charge: number | null;
  /** Instant of storing. */
  created_at: Generated<string>;
  /** Whether a vehicle is connected to the wallbox. */
  connected: boolean | null;
}

interface Assets {
  /** The tenant. */
  organization_id: string;
  /** ast_ and 24 random characters. */
  id: string;
  /** Internal key in asset_snapshots; never shown, never used again. */
  key: GeneratedAlways<number>;
  /** The household it belongs to; never changes. */
  household_id: string;
  /** The household's customer, kept here so that policies need no join. */
  customer_id: string;
  /** Device type, or household_net or household_residual; never changes. */
  type: 'inverter' | 'solar' | 'battery' | 'wallbox' | 'heat_pump' | 'household_net' | 'household_residual';
  /** The organization's own name for it; once set it never changes and is never free again. */
  external_id: string | null;
  /** Name for people. */
  display_name: string | null;
  /** Manufacturer. */
  manufacturer: string | null;
  /** Model. */
  model: string | null;
  /** The inverter behind which a solar array or a battery sits. */
  parent_inverter: string | null;
  /** Rated power in kW of an inverter, wallbox or heat pump (electrical). */
  max_power_kw: number | null;
  /** Whether the inverter takes batteries. */
  hybrid: boolean | null;
  /** Peak power in kW of the solar array. */
  peak_power_kw: number | null;
  /** Direction of the solar array in degrees, 0 to 360. */
  azimuth: number | null;
  /** Tilt of the solar array in degrees, 0 to 90. */
  tilt: number | null;
  /** Capacity of the battery in kWh. */
  capacity_kwh: number | null;
  /** Rated charging power of the battery in kW. */
  max_charge_power_kw: number | null;
  /** Rated discharging power of the battery in kW. */
  max_discharge_power_kw: number | null;
  /** Phases of the wallbox, 1 or 3. */
  phases: number | null;
  /** Whether the wallbox can discharge a vehicle. */
  bidirectional: boolean | null;
  /** Thermal power of the heat pump in kW. */
  thermal_power_kw: number | null;
  /** Out of use since; no snapshot after it. */
  decommissioned_at: string | null;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
}

interface AuditLog {
  /** Order of writing. */
  id: GeneratedAlways<number>;
  /** Instant of the transaction it was written in. */
  at: Generated<string>;
  /** The tenant; null: none. */
  organization_id: string | null;
  /** The acting client. */
  client_id: string | null;
  /** The grant of its token. */
  grant_id: string | null;
  /** The acting member of staff, on the command line. */
  staff: string | null;
  /** What was done: noun and verb. */
  act: string;
  /** Id of what it was done to. */
  object_id: string | null;
  /** Method and path pattern, or the command. */
  route: string | null;
  /** The reason that staff gave. */
  reason: string | null;
  /** How it ended. */
  result: string;
  /** Id of the request, as in the answer. */
  request_id: string | null;
  /** Shortened network address of the caller. */
  address: string | null;
  /** Security settings before the change. */
  before: Json | null;
  /** Security settings after the change. */
  after: Json | null;
}

interface AuditSeals {
  /** The day in UTC. */
  day: string;
  /** Number of its rows. */
  rows: number;
  /** SHA-256 over the previous hash and the hashes of the rows. */
  hash: Buffer;
  /** Hash of the seal before; null on the first. */
  previous_hash: Buffer | null;
  /** Instant of sealing. */
  sealed_at: Generated<string>;
}

interface AuthClients {
  /** The tenant. */
  organization_id: string;
  /** The client_id: oac_ and 24 random characters. */
  id: string;
  /** Shown to operators and on consent screens. */
  display_name: string;
  /** Registered addresses for the authorization code flow. */
  redirect_uris: Generated<string[]>;
  /** origin: any path below a registered origin; exact: the text itself. */
  redirect_rule: Generated<'origin' | 'exact'>;
  /** organization, or customer: then it acts for one customer. */
  role: Generated<'organization' | 'customer'>;
  /** The customer that a client of role customer acts for. */
  customer_id: string | null;
  /** read:* and write:*: what its tokens may do. */
  scopes: ('read:*' | 'write:*')[];
  /** Grant types it may use. */
  grants: string[];
  /** Has no secret (an app on a device). */
  public: Generated<boolean>;
  /** Belongs to somebody else: the customer is asked for consent. */
  third_party: Generated<boolean>;
  /** Refuses the plain method of PKCE. */
  s256_only: Generated<boolean>;
  /** Dated version of the interface that its tokens are pinned to. */
  version: string;
  /** Requests per second that the bucket refills by. */
  rate_per_second: Generated<number>;
  /** Requests that the full bucket holds. */
  rate_burst: Generated<number>;
  /** Switched off since; its tokens die within 5 seconds. */
  disabled_at: string | null;
  /** Last token or call, exact to about a minute. */
  last_used_at: string | null;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
}

interface ClientSecrets {
  /** The tenant. */
  organization_id: string;
  /** Names the secret towards operators. */
  id: GeneratedAlways<number>;
  /** Whose secret it is. */
  client_id: string;
  /** HMAC-SHA-256 of the secret under the pepper, 32 bytes. */
  secret_hash: Buffer;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** End of the overlap after an exchange; null: no end. */
  expires_at: string | null;
  /** Refused since. */
  revoked_at: string | null;
}

interface Customers {
  /** The tenant. */
  organization_id: string;
  /** cus_ and 24 random characters. */
  id: string;
  /** person or company. */
  type: 'person' | 'company';
  /** Given name. Personal; for the supply contract; until erased. */
  first_name: string;
  /** Family name. Personal; for the supply contract; until erased. */
  last_name: string;
  /** Company; null for persons. */
  company_name: string | null;
  /** As spelt at sign-up, compared without regard to case. Personal; for the supply contract; until erased. */
  email: string;
  /** VAT id, unchecked. Personal; for invoices; until erased. */
  vat_id: string | null;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
}

interface Grants {
  /** The tenant. */
  organization_id: string;
  /** grt_ and 24 random characters; access tokens carry it. */
  id: string;
  /** The client it was issued to. */
  client_id: string;
  /** The customer it acts for; null: the whole organization. */
  customer_id: string | null;
  /** The grant type that began it. */
  kind: 'client_credentials' | 'authorization_code';
  /** What was given; a refresh never widens it. */
  scopes: ('read:*' | 'write:*')[];
  /** Beginning; refresh tokens end 180 days later at the latest. */
  created_at: Generated<string>;
  /** Dead since; access tokens within 5 seconds. */
  revoked_at: string | null;
  /** Why it was revoked. */
  revoked_reason: string | null;
}

interface Households {
  /** The tenant. */
  organization_id: string;
  /** dom_ and 24 random characters. */
  id: string;
  /** The customer who lives there. */
  customer_id: string;
  /** Address of delivery; null when unknown. */
  address_id: string | null;
  /** Set by the operator only. Personal; to tell places apart; until erased. */
  display_name: string | null;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
}

interface IdempotencyKeys {
  /** The tenant. */
  organization_id: string;
  /** The client that sent the key. */
  client_id: string;
  /** Method and path pattern. */
  route: string;
  /** The header as sent. */
  key: string;
  /** SHA-256 of the body: the same key with another body is a conflict. */
  body_hash: Buffer;
  /** HTTP status of the first answer. */
  status: number;
  /** Body of the first answer; json keeps its text as it was. */
  response: Json;
  /** Instant of the first call; kept for 24 hours. */
  created_at: Generated<string>;
}

interface JobRuns {
  /** Names the run in the queue. */
  id: GeneratedAlways<number>;
  /** The schedule it belongs to. */
  schedule: string;
  /** The instant it fell due, whenever it runs. */
  due_at: string;
  /** queued, running, done or failed. */
  state: Generated<'queued' | 'running' | 'done' | 'failed'>;
  /** Raised with each start: a process that was overtaken cannot write its end. */
  fence: Generated<number>;
  /** Last sign of life of the process that runs it. */
  heartbeat_at: string | null;
  /** Listed as due at. */
  queued_at: Generated<string>;
  /** From here on it is handed to the queue, again if it got lost there. */
  next_at: Generated<string>;
  /** Last started at. */
  started_at: string | null;
  /** Ended at. */
  finished_at: string | null;
  /** How often it was handed to the queue. */
  attempts: Generated<number>;
  /** What the last failure said. */
  error: string | null;
  /** What the run reported. */
  result: Json | null;
}

interface Organizations {
  /** org_ and 24 random characters. */
  id: string;
  /** Name for operators; shown by no API call. */
  name: string;
  /** in_order; past_due answers 402; suspended and deleted make every token invalid within 5 seconds. */
  standing: Generated<'in_order' | 'past_due' | 'suspended' | 'deleted'>;
  /** Whether forecast prices are shown to it. */
  forecast_enabled: Generated<boolean>;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
}

interface RefreshTokens {
  /** HMAC-SHA-256 of the token under the pepper, 32 bytes. */
  hash: Buffer;
  /** The tenant. */
  organization_id: string;
  /** Its family. */
  grant_id: string;
  /** Instant of issue. */
  created_at: Generated<string>;
  /** 30 days after issue, 180 days after the beginning of the grant at the latest. */
  expires_at: string;
  /** Rotated at; using it again kills the family. */
  used_at: string | null;
}

interface Schedules {
  /** Name of the schedule. */
  id: string;
  /** Pattern with seconds, in the schedule's time zone. */
  cron: string;
  /** IANA name of the time zone. */
  time_zone: string;
  /** Handed to the job; ids and dates only. */
  payload: Generated<Json>;
  /** Missed ticks after a stop: all, last, or skip. */
  catch_up: 'all' | 'last' | 'skip';
  /** Older missed ticks are left out, in seconds; null: none is too old. */
  max_age_seconds: number | null;
  /** Whether ticks fall due. */
  enabled: Generated<boolean>;
  /** Ticks up to here have been listed. */
  last_due_at: Generated<string>;
}

interface SchemaMigrations {
  /** Folder and file. */
  name: string;
  /** Hash of the text that ran. */
  sha256: string;
  /** Instant of the run. */
  applied_at: Generated<string>;
}

interface SigningKeys {
  /** Thumbprint of the public key (RFC 7638). */
  kid: string;
  /** The public key as published. */
  public_jwk: Json;
  /** The private key under the key of the configuration. */
  private_key_encrypted: Buffer;
  /** Instant of creation; published from here on. */
  created_at: Generated<string>;
  /** Signs from here on; later than creation, so that clients have fetched it. */
  signs_from: string;
  /** Signs until here; null: not yet replaced. */
  signs_until: string | null;
  /** No longer published since. */
  removed_at: string | null;
}

interface VisibleSnapshots {
  /** Internal key of the asset: assets.key. Never null. */
  asset_id: number;
  /** Instant of the measurement, to the microsecond. Never null. */
  timestamp: string;
  /** Power in kW: positive into the asset, negative out of it. Charging and consumption are positive, generation and discharging negative. */
  power_kw: number | null;
  /** State of charge of a battery, 0 to 1. */
  state_of_charge: number | null;
  /** Whether a vehicle is connected to the wallbox. */
  connected: boolean | null;
  /** State of charge of the vehicle at a wallbox, 0 to 1. */
  vehicle_state_of_charge: number | null;
  /** Instant of storing. Never null. */
  created_at: string;
  /** Id of the asset, ast_. Never null. */
  asset: string;
  /** Id of the household, dom_. Never null. */
  household: string;
}

export interface Tables {
  addresses: Addresses;
  asset_snapshots: AssetSnapshots;
  assets: Assets;
  audit_log: AuditLog;
  audit_seals: AuditSeals;
  auth_clients: AuthClients;
  client_secrets: ClientSecrets;
  customers: Customers;
  grants: Grants;
  households: Households;
  idempotency_keys: IdempotencyKeys;
  job_runs: JobRuns;
  organizations: Organizations;
  refresh_tokens: RefreshTokens;
  schedules: Schedules;
  schema_migrations: SchemaMigrations;
  signing_keys: SigningKeys;
  visible_snapshots: VisibleSnapshots;
}
