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

interface Analysts {
  /** The tenant. */
  organization_id: string;
  /** What the operator called it; the role is voltstream_analyst_ and this name. */
  name: string;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last new password; null: the first one is in force. */
  rotated_at: string | null;
}

interface AssetDays {
  /** Internal key of the asset: assets.key. Personal, shows when somebody was away; for analyses; to the end of the year in which QUARTER_HOUR_RETENTION_MONTHS, 3 years, are over. */
  asset_id: number;
  /** The day, Europe/Berlin. */
  day: string;
  /** First day of its month. */
  month: GeneratedAlways<string>;
  /** Quarter hours in which a power value was sent. */
  quarter_hours: number;
  /** Number of power values. */
  samples: number;
  /** Least power value in kW; null: none. */
  power_kw_min: number | null;
  /** Greatest power value in kW; null: none. */
  power_kw_max: number | null;
  /** For how many seconds of the day a power value held. */
  covered_seconds: number;
  /** Energy into the asset while a value held, in kWh. */
  consumed_kwh: number;
  /** Energy out of the asset in kWh, positive. */
  fed_kwh: number;
}

interface AssetQuarterHours {
  /** Internal key of the asset: assets.key. Personal, shows who is at home; for analyses; QUARTER_HOUR_RETENTION_MONTHS, 3 years. */
  asset_id: number;
  /** Instant at which the quarter hour begins. */
  start: string;
  /** Number of power values; 0: none was sent, the last one of the quarter hour before still held. */
  samples: number;
  /** Number of values that say a vehicle is connected. */
  connected_samples: number;
  /** Instant of the first power value; null: none. */
  first_at: string | null;
  /** Instant of the last power value; null: none. */
  last_at: string | null;
  /** Least power value in kW; null: none. */
  power_kw_min: number | null;
  /** Greatest power value in kW; null: none. */
  power_kw_max: number | null;
  /** For how many of the 900 seconds a power value held: each until the next one, at most for the usual distance of the asset's values, 15 minutes to an hour. */
  covered_seconds: number;
  /** Energy into the asset while a value held, in kWh: its positive power times its seconds. */
  consumed_kwh: number;
  /** Energy out of the asset in kWh, positive. */
  fed_kwh: number;
  /** First state of charge of a battery, 0 to 1; null: none. */
  state_of_charge_first: number | null;
  /** Last state of charge of a battery, 0 to 1; null: none. */
  state_of_charge_last: number | null;
  /** Last state of charge of the vehicle at a wallbox, 0 to 1; null: none. */
  vehicle_state_of_charge_last: number | null;
}

interface AssetSnapshots {
  /** Internal key of the asset: assets.key. */
  asset_id: number;
  /** Instant of the measurement, to the microsecond. */
  timestamp: string;
  /** Power in kW: positive into the asset, negative out of it. Charging and consumption are positive, generation and discharging negative. Personal, shows who is at home; for usage, bills and analyses; SNAPSHOT_RETENTION_MONTHS, 13 months. */
  power_kw: number | null;
  /** State of charge of a battery, 0 to 1. Personal; for analyses; SNAPSHOT_RETENTION_MONTHS, 13 months. */
  state_of_charge: number | null;
  /** State of charge of the vehicle at a wallbox, 0 to 1. Personal; for analyses; SNAPSHOT_RETENTION_MONTHS, 13 months. */
  vehicle_state_of_charge: number | null;
  /** Instant of storing. */
  created_at: Generated<string>;
  /** Whether a vehicle is connected to the wallbox. Personal, shows who is at home; for analyses; SNAPSHOT_RETENTION_MONTHS, 13 months. */
  connected: boolean | null;
}

interface Assets {
  /** The tenant. */
  organization_id: string;
  /** ast_ and 24 random characters. */
  id: string;
  /** Internal key in asset_snapshots; never shown, never used again. 0 asks for one: keys of a household share a bucket, hashint8(key) >> 22. Older keys need not. */
  key: Generated<number>;
  /** The household it belongs to; never changes. */
  household_id: string;
  /** The household's customer, kept here so that policies need no join. */
  customer_id: string;
  /** Device type, or household_net or household_residual; never changes. */
  type: 'inverter' | 'solar' | 'battery' | 'wallbox' | 'heat_pump' | 'household_net' | 'household_residual';
  /** The organization's own name for it; once set it never changes, and only the erasure of the customer frees it. Personal; to name the device; until erased. */
  external_id: string | null;
  /** Name for people. Personal; to tell devices apart; until erased. */
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
  /** Out of use since; no snapshot after it. 1970: the person was erased, and none is taken. The household's own assets end in this way only. */
  decommissioned_at: string | null;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
  /** The transaction that wrote the row last; never shown. Processes that keep assets in memory ask by it what changed. */
  changed_in: string | null;
  /** Whether its customer is restricted: customers.restricted_at. */
  is_restricted: Generated<boolean>;
}

interface AuditChain {
  /** Always true: there is one row. */
  only_row: Generated<boolean>;
  /** Oldest day that must have a seal, UTC. */
  first_day: string;
}

interface AuditLog {
  /** Order of writing. */
  id: GeneratedAlways<number>;
  /** Instant at which it was written; set by a trigger. */
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
  /** Id of what it was done to; of a page of a list that was read, whose its items are, with blanks between the ids. */
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
  /** What did not fit when the rows were last compared with it; null: nothing. */
  problem: string | null;
}

interface AuthClients {
  /** The tenant. */
  organization_id: string;
  /** The client_id: oac_ and 24 random characters. */
  id: string;
  /** Shown to operators and on consent screens. Personal where it acts for one customer; to tell clients apart; until erased. */
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
  /** Demands PKCE with the method S256. */
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
  /** The transaction that last switched it off or on, or changed its rate; never shown. Processes that believe its tokens ask by it. */
  changed_in: string | null;
}

interface AuthorizationCodes {
  /** HMAC-SHA-256 of the code under the pepper, 32 bytes. */
  hash: Buffer;
  /** The tenant. */
  organization_id: string;
  /** The authorization request that it answers. */
  request_id: string;
  /** The client it was issued to. */
  client_id: string;
  /** The customer who allowed it. Personal; for the access of a program; 30 days, or as long as the grant. */
  customer_id: string;
  /** The token request must name exactly this text. */
  redirect_uri: string;
  /** As in the request; null: no verifier may be presented. */
  code_challenge: string | null;
  /** What was issued for it: revoked when the code comes back. */
  grant_id: string | null;
  /** Instant of the consent. */
  created_at: Generated<string>;
  /** 10 minutes later; the instant of the consent where the customer has withdrawn it. */
  expires_at: string;
  /** Presented at, successfully or not. */
  used_at: string | null;
  /** What the customer allowed; null: all that the client has. */
  scopes: ('read:*' | 'write:*')[] | null;
}

interface AuthorizationRequests {
  /** The tenant. */
  organization_id: string;
  /** atx_ and 24 random characters; in the address of every screen. */
  id: string;
  /** The client that asks. */
  client_id: string;
  /** Where the answer goes, as it was sent. */
  redirect_uri: string;
  /** The client's own text, byte by byte; goes back unchanged. */
  state: Buffer | null;
  /** base64url of the SHA-256 of the expected verifier; null: none was sent. */
  code_challenge: string | null;
  /** consent: sign in and consent; login: consent for third parties only; signup: may create a customer. */
  flow: 'consent' | 'login' | 'signup';
  /** HMAC-SHA-256 of the cookie of the browser that opened the first screen. */
  browser_hash: Buffer | null;
  /** Address that was typed in. Personal; to send the code and to show where it went; until the answer, 2 hours at most. */
  email: string | null;
  /** Names of a customer to be created. Personal; for the supply contract; until the answer, 2 hours at most. */
  sign_up: Json | null;
  /** The customer who signed in; null before. */
  customer_id: string | null;
  /** Instant of the call. */
  created_at: Generated<string>;
  /** 15 minutes later. */
  expires_at: string;
  /** Answered at: allowed, denied or failed. */
  ended_at: string | null;
  /** What the client asked for; null: all that it has. */
  scopes: ('read:*' | 'write:*')[] | null;
}

interface BankEntries {
  /** The tenant. */
  organization_id: string;
  /** bke_ and 24 random characters. */
  id: string;
  /** Hash of what makes it the same movement in another statement. */
  identity: string;
  /** bank_files: a statement of the bank; simulated_bank: invented, no money moved. */
  provider: 'bank_files' | 'simulated_bank';
  /** Day on which the bank booked it. */
  booked_on: string;
  /** EUR; what came in is positive, what went out negative. */
  amount: string;
  /** Of the payment that it is about. */
  end_to_end_id: string | null;
  /** Of a block of payments, where the bank reports it as one movement. */
  block_id: string | null;
  /** A payment came back: why, code of ISO 20022. */
  return_reason: string | null;
  /** Other side. Personal; for matching payments; 8 years from the end of the year. */
  name: string | null;
  /** Account of the other side. Personal; for matching payments; 8 years from the end of the year. */
  iban: string | null;
  /** What the payer wrote. Personal; for matching payments; 8 years from the end of the year. */
  text: string | null;
  /** new: not looked at yet; booked: on bills; unmatched: staff decide; set_aside: staff said that it is for no bill. */
  state: Generated<'new' | 'booked' | 'unmatched' | 'set_aside'>;
  /** Why it is unmatched. */
  note: string | null;
  /** Instant of the import. */
  imported_at: string;
  /** When the person was erased whom all bills are of that it paid: from then on only the finance role sees it. */
  restricted_at: string | null;
  /** Says the same as a movement of another report, without a reference of the bank: nothing is booked by it. */
  perhaps_known: Generated<boolean>;
}

interface Benchmarks {
  /** EUR per year with VAT. */
  base_fee_eur_year_gross: string;
  /** ct/kWh without VAT. */
  energy_ct_net: string;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Law and paragraph, or the official price sheet and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
}

interface BilledReferenceRows {
  /** Table of the row. */
  reference_table: string;
  /** Its key as people read it: the columns of the key with a blank between them; empty where the table is one series. */
  key: string;
  /** Its first day, Europe/Berlin. */
  valid_from: string;
}

interface BillingPortions {
  /** The tenant. */
  organization_id: string;
  /** The run. */
  run_id: string;
  /** First contract by id. */
  first_subscription: string;
  /** Last contract by id. */
  last_subscription: string;
  /** When all of them had been looked at; null: not yet. */
  done_at: string | null;
  /** How many contracts there were. */
  contracts: number | null;
  /** Documents of this run by type. */
  issued: Json | null;
  /** Documents that could not be made. */
  refused: number | null;
  /** When the run wrote it. */
  created_at: Generated<string>;
}

interface BillingRefusals {
  /** The tenant. */
  organization_id: string;
  /** Whose contract it is. Personal; for billing; until the document is made. */
  customer_id: string;
  /** The contract. */
  subscription_id: string;
  /** Which document is missing; correction: a bill that no longer fits its energy. */
  type: 'usage' | 'prepayment' | 'correction' | 'exit_summary';
  /** First day of its period, Europe/Berlin. */
  period_start: string;
  /** Day behind its period. */
  period_end: string;
  /** What kind of thing is missing. */
  code: string;
  /** What is missing and where it is entered; no names and no values of persons. */
  detail: string;
  /** First day on which the bill is late (section 40c EnWG); null: the law sets none. */
  deadline: string | null;
  /** The run that met it last. */
  run_id: string | null;
  /** When it was met first. */
  first_at: string;
  /** When it was met last. */
  last_at: string;
}

interface BillingRuns {
  /** The tenant. */
  organization_id: string;
  /** Random, brun_… */
  id: string;
  /** The tick of the schedule; null: a command asked for it. */
  due_at: string | null;
  /** Only periods that end in this month or on the first of the next; null: all. */
  month: string | null;
  /** Missing quarter hours were estimated, because a deadline was near. */
  estimate_gaps: Generated<boolean>;
  /** When it began. */
  created_at: Generated<string>;
}

interface BillingTerms {
  /** The tenant. */
  organization_id: string;
  /** Whose contract it is. */
  customer_id: string;
  /** The contract. */
  subscription_id: string;
  /** First day, Europe/Berlin; until the next row of the contract. */
  valid_from: string;
  /** monthly: a bill each month; advance: a prepayment each month and a bill after twelve; none: another system bills. */
  mode: 'monthly' | 'advance' | 'none';
  /** Monthly advance in EUR with VAT. Personal; for billing; as long as the contract. */
  instalment: string | null;
  /** What the instalment follows from: forecast of the contract, closing_bill of the year before, evidence of the customer. */
  basis: 'forecast' | 'closing_bill' | 'evidence';
  /** When it was entered. */
  created_at: Generated<string>;
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

interface ConcessionFees {
  /** T1 to T4 by inhabitants; LOW off-peak; SPECIAL special contracts. */
  class: 'T1' | 'T2' | 'T3' | 'T4' | 'LOW' | 'SPECIAL';
  /** ct/kWh without VAT. */
  ct_net: string;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Law and paragraph, or the official price sheet and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
}

interface ConsoleForms {
  /** The tenant. */
  organization_id: string;
  /** Id that the page gave the form. */
  id: string;
  /** Who sent it. */
  user_id: string;
  /** Instant at which it came in. */
  created_at: string;
}

interface ConsoleSessions {
  /** HMAC-SHA-256 of the cookie, 32 bytes. */
  hash: Buffer;
  /** The tenant. */
  organization_id: string;
  /** Who is signed in. */
  user_id: string;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** 12 hours after creation. */
  expires_at: string;
}

interface ConsoleUsers {
  /** The tenant. */
  organization_id: string;
  /** Opaque id, usr_. */
  id: string;
  /** Where codes are mailed to; of one organization only. Personal; to sign in; as long as the user. */
  email: string;
  /** In small letters, by which it is found. */
  email_lower: GeneratedAlways<string | null>;
  /** Instant of creation. */
  created_at: Generated<string>;
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
  /** Company; null for persons. Personal; for the supply contract; until erased. */
  company_name: string | null;
  /** As spelt at sign-up, compared without regard to case. Personal; for the supply contract; until erased. */
  email: string;
  /** VAT id, unchecked. Personal; for invoices; until erased. */
  vat_id: string | null;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
  /** The e-mail address in lower case: what it is compared by. Personal; for the supply contract; as long as the address. */
  email_lower: GeneratedAlways<string>;
  /** The e-mail address in lower case and Unicode form NFC: what a search looks at. Personal; for the supply contract; as long as the address. */
  email_search: GeneratedAlways<string>;
  /** When the person was erased: from then on nothing new is taken. Null: never. */
  erased_at: string | null;
  /** The name in lower case and Unicode form NFC: what that of a payer is compared with, and what the back office looks for. Personal; for matching payments and finding contracts; as long as the name. */
  name_lower: GeneratedAlways<string>;
  /** Processing of the customer's data is restricted since (Art. 18 GDPR); null: it is not. Personal; to hide the data from programs and analysts; until lifted or erased. */
  restricted_at: string | null;
}

interface DayAheadMeans {
  /** Day of the quote, Europe/Berlin. */
  price_date: string;
  /** Berlin midnight one year before, inclusive. */
  window_start: string;
  /** Berlin midnight that begins the price date, exclusive. */
  window_end: string;
  /** Quarter hours of the window. */
  quarter_hours: number;
  /** Those with a price. Below 90 % the mean is not used. */
  priced_quarter_hours: number;
  /** ct/kWh net, 4 decimals; null: no price at all. */
  mean_ct_net: string | null;
  /** Sum of the versions of the window's days: one more with each change of a price in it. */
  price_changes: number;
  /** As in price_kind: synthetic means invented prices; null: prices came as files only, or none. */
  price_kind: 'market' | 'local' | 'synthetic' | null;
  /** Feeds whose prices it was made of. */
  sources: string[];
  /** Instant of the computation, by the clock of the database. */
  computed_at: string;
}

interface DeliveryAttempts {
  /** The tenant. */
  organization_id: string;
  /** The event. */
  event_id: string;
  /** The receiver. */
  endpoint_id: string;
  /** First, second, … of its delivery. */
  number: number;
  /** Sent at. */
  at: string;
  /** HTTP status of the answer; null: none came. */
  status: number | null;
  /** Why no answer came. */
  error: 'connection' | 'tls' | 'time_out' | 'address' | null;
  /** The beginning of the answer as text; empty where none came. Personal where the receiver names somebody; to find out why it fails; with its delivery. */
  answer: Generated<string>;
  /** From the dialling to the end of the answer. */
  milliseconds: number;
}

interface DeliveryDays {
  /** The day. */
  day: string;
  /** Instant of its midnight. */
  starts_at: string;
  /** Instant of the next midnight: no longer part of it. */
  ends_at: string;
  /** Its length in hours: 24; 23 and 25 when the clock is changed. */
  hours: number;
}

interface DunningHolds {
  /** The tenant. */
  organization_id: string;
  /** Whose bill it is. */
  customer_id: string;
  /** The bill. */
  invoice_id: string;
  /** disputed: the customer objects; instalments: he pays in parts; other: see the audit log. */
  cause: 'disputed' | 'instalments' | 'other';
  /** Since when. */
  created_at: string;
}

interface DunningSteps {
  /** The tenant. */
  organization_id: string;
  /** Who was reminded. */
  customer_id: string;
  /** The bill. */
  invoice_id: string;
  /** 1: first reminder; 2: second reminder. */
  level: number;
  /** EUR that were missing when the mail left; before that, when it was planned. */
  amount: string;
  /** Day on which the mail left; before that, on which it was planned. Europe/Berlin. */
  reminded_on: string;
  /** planned; handed_over: set before the mail leaves, so that a process that dies never sends it twice; dropped: nothing was missing, staff had stopped reminders, or the first one had not left. It is planned anew where something is missing again. */
  mail: Generated<'planned' | 'handed_over' | 'dropped'>;
  /** Instant of creation. */
  created_at: string;
}

interface EegRates {
  /** partial: the surplus is fed in; full: everything. */
  kind: 'partial' | 'full';
  /** Class of the plant: up to 10, 40 or 100 kW. */
  up_to_kw: number;
  /** Value to be reached with direct marketing, ct/kWh without VAT. */
  value_ct_net: string;
  /** What the grid operator pays, ct/kWh without VAT. */
  tariff_ct_net: string;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Law and paragraph, or the official price sheet and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
}

interface EnergyMixes {
  /** BDEW code of the supplier, 13 digits; germany: the mean of the country. */
  supplier: string;
  /** Calendar year of the figures. */
  year: number;
  /** Share from 0 to 1. */
  nuclear: string;
  /** Share from 0 to 1. */
  coal: string;
  /** Natural gas. Share from 0 to 1. */
  gas: string;
  /** Share from 0 to 1. */
  other_fossil: string;
  /** Renewable, funded by the EEG. Share from 0 to 1. */
  renewable_funded: string;
  /** Renewable with guarantees of origin, not funded by the EEG. Share from 0 to 1. */
  renewable_other: string;
  /** Grams of CO2 for each kWh. */
  co2_g_kwh: string;
  /** Grams of radioactive waste for each kWh. */
  radioactive_waste_g_kwh: string;
  /** First day on which bills print it, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Who published it, and when. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
}

interface EventDeliveries {
  /** The tenant. */
  organization_id: string;
  /** The event. */
  event_id: string;
  /** The receiver. */
  endpoint_id: string;
  /** pending, delivered, failed or cancelled. */
  state: Generated<'pending' | 'delivered' | 'failed' | 'cancelled'>;
  /** Written at. */
  created_at: Generated<string>;
  /** How often it was sent, since it was written or asked for again. */
  attempts: Generated<number>;
  /** How often it was sent ever: number of the last row in delivery_attempts. */
  attempts_in_all: Generated<number>;
  /** Not sent before; null where nothing is to be sent any more. */
  next_at: Generated<string | null>;
  /** Sent last at. */
  last_attempt_at: string | null;
  /** The request that was answered with 2xx was sent at. */
  delivered_at: string | null;
  /** HTTP status of the last answer; null: none came. */
  last_status: number | null;
  /** Why no answer came: connection, tls, time_out or address. */
  last_error: string | null;
  /** Delivered, given up or cancelled at: it goes 30 days later. While it is pending: written or last sent at. */
  kept_from: Generated<string>;
}

interface Events {
  /** The tenant. */
  organization_id: string;
  /** evt_ and 24 random characters. */
  id: string;
  /** Noun and what happened. */
  topic: string;
  /** Instant of the change. */
  timestamp: string;
  /** Ids only. */
  context: Json;
  /** Order of the events of one instant; never shown. */
  position: GeneratedAlways<number>;
  /** Place among the events of the organization, given after their commit; never shown. Null: not given yet, and not listed. */
  sequence: number | null;
  /** The endpoints that were on and wanted its topic when it happened; null: written by a version before, which did not say it. */
  heard_by: string[] | null;
}

interface Grants {
  /** The tenant. */
  organization_id: string;
  /** grt_ and 24 random characters; access tokens carry it. */
  id: string;
  /** The client it was issued to. */
  client_id: string;
  /** The customer it acts for; null: the whole organization. Personal; for the access of a program; 30 days after its last token. */
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
  /** The transaction that ended it; never shown. Processes that believe its tokens ask by it. */
  changed_in: string | null;
}

interface GridFeeReductions {
  /** The tenant. */
  organization_id: string;
  /** gfr_ and 24 random characters. */
  id: string;
  /** Whose contract it is. */
  customer_id: string;
  /** The contract. */
  subscription_id: string;
  /** Module 1, 2 or 3. */
  type: 'enwg-14a-module-1' | 'enwg-14a-module-2' | 'enwg-14a-module-3';
  /** intended, ordered, activated, rejected or ended. */
  status: 'intended' | 'ordered' | 'activated' | 'rejected' | 'ended';
  /** In effect since. */
  valid_from: string | null;
  /** In effect until, exclusive. */
  valid_until: string | null;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
  /** When it ended by itself, whatever the contract did; null: it has not, or ended with its contract. */
  own_until: string | null;
}

interface GridFeeSchedules {
  /** Code of the operator. */
  operator: string;
  /** ct/kWh without VAT in the low windows. */
  low_ct_net: string;
  /** ct/kWh without VAT where no window is. */
  standard_ct_net: string;
  /** ct/kWh without VAT in the high windows. */
  high_ct_net: string;
  /** Quarters of the year with windows: 1;4. */
  quarters: string;
  /** Europe/Berlin wall time, quarter hours: 23:00-06:00;12:00-14:15. */
  low_windows: string;
  /** As low_windows. */
  high_windows: string;
  /** Part of the household profile's energy of these quarters that lies in the low windows; null: hours of the day count. */
  weight_low: string | null;
  /** The same outside of the windows. */
  weight_standard: string | null;
  /** The same in the high windows. */
  weight_high: string | null;
  /** Days of these quarters by days of the year, 4 decimals. */
  share_of_year: string;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Law and paragraph, or the official price sheet and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
}

interface GridFees {
  /** Code of the operator. */
  operator: string;
  /** Base price in EUR per year without VAT. */
  base_eur_year_net: string;
  /** Working price in ct/kWh without VAT. */
  working_ct_net: string;
  /** Published credit of module 1 of section 14a EnWG in EUR per year without VAT; null: the formula counts. */
  module_1_eur_year_net: string | null;
  /** Published working price of module 2 of section 14a EnWG in ct/kWh without VAT; null: the formula counts. */
  module_2_ct_net: string | null;
  /** A stand-in or a provisional price sheet: to be replaced. */
  provisional: boolean;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Law and paragraph, or the official price sheet and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
}

interface GridOperators {
  /** Code by which the other tables name it. */
  operator: string;
  /** Name of the company. */
  name: string;
  /** Market partner id, 13 digits; null: not known. */
  bdew_code: string | null;
  /** Number in the Marktstammdatenregister; null: not known. */
  mastr_number: string | null;
  /** Address of its site; null: not known. */
  website: string | null;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Law and paragraph, or the official price sheet and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
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
  /** Method and path, and the customer whom the token acted for. */
  route: string;
  /** The header as sent. */
  key: string;
  /** SHA-256 of the body: the same key with another body is a conflict. */
  body_hash: Buffer;
  /** HTTP status of the first answer. */
  status: number;
  /** Body of the first answer; json keeps its text as it was. Personal; to be given again; 24 hours. */
  response: Json;
  /** Instant of the first call; kept for 24 hours. */
  created_at: Generated<string>;
  /** Whom the token acted for; null: for the organization. */
  customer_id: string | null;
}

interface InvoiceFiles {
  /** The tenant. */
  organization_id: string;
  /** Whose document it is. */
  customer_id: string;
  /** The document. */
  invoice_id: string;
  /** pdf, for companies with the e-invoice inside; xrechnung: the e-invoice alone. */
  kind: 'pdf' | 'xrechnung';
  /** The bytes. Personal: name, address, usage; for billing; 8 years from the end of the year of issue. */
  content: Buffer;
  /** Their hash: whoever got the file can prove that it is this one. */
  sha256: Buffer;
  /** Instant at which it was made. */
  made_at: string;
  /** As that of the document. */
  restricted_at: string | null;
}

interface InvoiceLedgers {
  /** The tenant. */
  organization_id: string;
  /** invoices.ledger_number of the last document; 0: there is none. */
  last_number: number;
  /** last_number before the transaction that changed it last. */
  number_before: number | null;
  /** That transaction. */
  moved_in: string | null;
  /** Highest ledger_number that was removed because its time was over; 0: none. Set by delete_old_invoices alone. */
  removed_number: Generated<number>;
  /** The second at which printed numbers began anew behind a restore, counted from 1 January 2026; 0: never. Smaller values were counted, one by one. From then on they are 100,000 higher for each: K7P2M9QX-2872080000005 behind K7P2M9QX-004. */
  series: Generated<number>;
}

interface InvoiceLines {
  /** The tenant. */
  organization_id: string;
  /** Whose document it is. */
  customer_id: string;
  /** The document. */
  invoice_id: string;
  /** Its place, from 1. */
  position: number;
  /** What is charged: energy, base_fee, electricity_tax and so on. */
  kind: string;
  /** First day that it is about, Europe/Berlin. */
  period_from: string;
  /** Day after the last. */
  period_until: string;
  /** Band of module 3, or module_2; null: the plain grid fee, or another kind of line. */
  band: 'low' | 'standard' | 'high' | 'module_2' | null;
  /** kWh, days or months. Personal where it is usage; for billing; as long as the document. */
  quantity: string | null;
  /** Unit of the quantity. */
  unit: 'kWh' | 'day' | 'month' | null;
  /** EUR per unit, net; the mean where it varies. */
  unit_price: string | null;
  /** EUR, net, rounded by itself. */
  net: string;
  /** Share: 0.19. */
  vat_rate: string;
  /** What it was computed from: name, value, unit, source, valid from. */
  figures: Json;
  /** As that of the document. */
  restricted_at: string | null;
}

interface Invoices {
  /** The tenant. */
  organization_id: string;
  /** Who pays or is paid. */
  customer_id: string;
  /** The contract. */
  subscription_id: string;
  /** inv_ and 24 random characters. */
  id: string;
  /** usage: what was used or fed in; prepayment: a monthly advance; void: reverses another; exit_summary: closes the contract. */
  type: 'usage' | 'prepayment' | 'void' | 'exit_summary';
  /** Counts the documents of the contract. */
  running_number: number;
  /** Printed: number of the contract, hyphen, running number; 100,000 higher for each invoice_ledgers.series. */
  invoice_number: string;
  /** Counts the documents of the organization without a gap. */
  ledger_number: number;
  /** Month in Berlin in which the period begins; of an exit summary that of the last supplied day. */
  month: number;
  /** Its year. */
  year: number;
  /** Midnight in Berlin of the first day. */
  period_start: string;
  /** Midnight in Berlin after the last day. */
  period_end: string;
  /** Counts the periods of the contract; documents about one period share it. */
  period_number: number;
  /** What may follow which stands in src/billing/invoices/issue/moves.ts. */
  status: Generated<'open' | 'paid' | 'voided' | 'uncollectible'>;
  /** A part of the usage was estimated. */
  is_estimated: boolean;
  /** Covers the end of supply. */
  is_final: boolean;
  /** kWh used, or fed in. Personal; for billing; 8 years from the end of the year of issue. */
  usage_kwh: string | null;
  /** EUR, sum of the lines. Positive is charged, negative is paid out. */
  net: string;
  /** EUR, VAT of all rates. */
  tax: string;
  /** EUR incl. VAT: paid prepayments. */
  deducted: string;
  /** EUR: net and tax less what is deducted. */
  total: string;
  /** By rate: rate, net, tax as decimal texts. */
  taxes: Json;
  /** The document that this one reverses. */
  voids: string | null;
  /** Why it was reversed, as staff or the billing job said. */
  void_reason: string | null;
  /** Day on which it is due, Europe/Berlin. */
  due_on: string;
  /** Instant of creation. */
  created_at: string;
  /** Instant of issue. */
  issued_at: string;
  /** When it was paid or settled in full; stays when it is reversed. */
  paid_at: string | null;
  /** What the document says beside its figures: name, addresses, meters, readings, as they were. Personal; for billing; 8 years from the end of the year of issue. */
  facts: Json;
  /** The billing run that made it; null: issued otherwise. */
  run_id: string | null;
  /** Last day on which it must be there: end of the eighth year after that of the issue (section 147(3) AO). May be set later, never earlier. */
  retain_until: string;
  /** When the person was erased: from then on the service does not see the document, only the finance role does. */
  restricted_at: string | null;
}

interface Issuers {
  /** The tenant. */
  organization_id: string;
  /** Name of the company with its legal form. */
  name: string;
  /** Its street without number. */
  street: string;
  /** Its house number. */
  house_number: string;
  /** Its postal code. */
  zip: string;
  /** Its town. */
  city: string;
  /** Its country, two letters. */
  country: Generated<string>;
  /** Court whose register it stands in; null: in none. */
  register_court: string | null;
  /** Its number there: HRB 12345. */
  register_number: string | null;
  /** Who manages it, as a letter must say (section 35a GmbHG). Personal; for letters; until replaced. */
  represented_by: string | null;
  /** Who answers questions: the name of the customer service. */
  contact_name: string;
  /** Address of the customer service. */
  email: string;
  /** Number of the customer service. */
  phone: string;
  /** Its page. */
  website: string | null;
  /** VAT id (DE123456788); it or the tax number stands on each document. */
  vat_id: string | null;
  /** Number that its tax office gave. */
  tax_number: string | null;
  /** BDEW code as a supplier, 13 digits. */
  supplier_code: string;
  /** Account to which customers pay and from which they are paid. */
  iban: string;
  /** Bank of the account; null: known by the IBAN. */
  bic: string | null;
  /** Holder of the account. */
  account_holder: string;
  /** SEPA creditor identifier, by which direct debits are collected. */
  creditor_id: string;
  /** Days from the issue of a document until it is due; at least 14 (section 40c(1) EnWG). */
  due_days: Generated<number>;
  /** Days after the due day until the first reminder. */
  first_reminder_days: Generated<number>;
  /** Days after the due day until the second reminder. */
  second_reminder_days: Generated<number>;
  /** Days after the due day until no payment is expected any more. */
  uncollectible_days: Generated<number>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
  /** Language of its documents: de or en. */
  language: Generated<'de' | 'en'>;
  /** First day that is billed, Europe/Berlin, the first of a month: what was supplied before it is billed elsewhere. Stays once there are documents. */
  bills_from: string;
  /** Accounts that it had before iban: statements of them are still read. */
  earlier_ibans: Generated<string[]>;
}

interface JobRuns {
  /** Order of asking. */
  id: GeneratedAlways<number>;
  /** The schedule that asked for it; null: a transaction did. */
  schedule: string | null;
  /** The instant it fell due, whenever it runs. */
  due_at: string;
  /** queued, running, done, or failed: given up. */
  state: Generated<'queued' | 'running' | 'done' | 'failed'>;
  /** Raised with each start: a process that was overtaken cannot write its end. */
  fence: Generated<number>;
  /** Last sign of life of the process that runs it. */
  heartbeat_at: string | null;
  /** Asked for at. */
  queued_at: Generated<string>;
  /** From here on it may be started. */
  next_at: string;
  /** Last started at. */
  started_at: string | null;
  /** Ended at. */
  finished_at: string | null;
  /** How often it was started since it was asked for, or since an operator asked again. */
  attempts: Generated<number>;
  /** What the last failure said. */
  error: string | null;
  /** What the run reported. */
  result: Json | null;
  /** Name of the job. */
  job: string;
  /** The tenant it works for; null: the service itself. */
  organization_id: string | null;
  /** Handed to the job; ids and dates only. */
  payload: Generated<Json>;
  /** Makes it once: a second run of this job with this key is not written, whatever became of the first. */
  key: string | null;
  /** Job and organization: lanes take turns. */
  lane: GeneratedAlways<string>;
}

interface LateQuarterHours {
  /** Order of arrival. */
  id: GeneratedAlways<number>;
  /** Internal key of the asset: assets.key. */
  asset_id: number;
  /** Instant at which the first of the quarter hours begins. */
  start: string;
  /** How many follow each other, at most a day. */
  quarter_hours: number;
  /** Instant of the late snapshots. */
  queued_at: Generated<string>;
  /** Whose asset it is; empty: there is no such asset, or the entry came in before the column did. */
  organization: Generated<string>;
}

interface Leads {
  /** The tenant. */
  organization_id: string;
  /** lead_ and 24 random characters. */
  id: string;
  /** The plan offered. */
  plan_id: string;
  /** Address, meter, customer, payment and dates as far as known. Personal; to prepare a contract; 6 months. */
  details: Json;
  /** E-mail address of the staff member. Personal; to answer questions; 6 months. */
  created_by: string | null;
  /** The client's own texts, at most 10 KB. Personal; for the client's own records; 6 months. */
  metadata: Json | null;
  /** The contract it became. */
  subscription_id: string | null;
  /** Became a contract at. */
  subscribed_at: string | null;
  /** Its link was opened last at. */
  last_visited_at: string | null;
  /** Instant of creation. */
  created_at: Generated<string>;
}

interface Levies {
  /** stromsteuer, offshore, besondere_netznutzung or kwkg. */
  code: 'stromsteuer' | 'offshore' | 'besondere_netznutzung' | 'kwkg';
  /** ct/kWh without VAT. */
  ct_net: string;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Law and paragraph, or the official price sheet and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
}

interface LoadForecasts {
  /** The tenant. */
  organization_id: string;
  /** Whose contract it is. */
  customer_id: string;
  /** The contract. */
  subscription_id: string;
  /** Day of delivery, Europe/Berlin. */
  delivery_on: string;
  /** day_ahead: was there by 09:00 of the day before; intraday: came later. A day can have both. */
  purchase: 'day_ahead' | 'intraday';
  /** Its midnight. */
  starts_at: string;
  /** The next midnight: no longer part of it. */
  ends_at: string;
  /** Mean power in kW by quarter hour. Personal, shows when somebody is expected at home; to buy electricity; one year. */
  power_kw: number[];
  /** When it came last. */
  received_at: Generated<string>;
}

interface LoadProfiles {
  /** Code of the profile: h25 for households. */
  profile: string;
  /** 1 to 12. */
  month: number;
  /** WT working day, SA Saturday, FT Sunday or public holiday. */
  day_type: 'WT' | 'SA' | 'FT';
  /** Quarter hour of the day in Europe/Berlin wall time, 0 to 95. */
  quarter_hour: number;
  /** Energy in kWh at 1,000,000 kWh a year. */
  kwh: string;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Law and paragraph, or the official price sheet and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
}

interface MagicLinks {
  /** HMAC-SHA-256 of the link's secret, 32 bytes. */
  hash: Buffer;
  /** The tenant. */
  organization_id: string;
  /** Whom it lets in. Personal; to sign in; 30 days after its end. */
  customer_id: string;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** 15 minutes after creation. */
  expires_at: string;
  /** Used at; it works once. */
  used_at: string | null;
}

interface MarketPartners {
  /** mp_ and 24 random characters. */
  id: string;
  /** BDEW code, 13 digits. */
  code: string;
  /** Name of the company. */
  name: string;
  /** ISO 3166-1, two letters. */
  country: string;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
  /** The name in lower case and Unicode form NFC: what a search looks at. */
  name_search: GeneratedAlways<string>;
}

interface MarketValues {
  /** day_ahead_mean or solar_market_value. */
  code: 'day_ahead_mean' | 'solar_market_value';
  /** ct/kWh without VAT. */
  ct_net: string;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Law and paragraph, or the official price sheet and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
}

interface MeterChanges {
  /** The tenant. */
  organization_id: string;
  /** Whose household it serves. */
  customer_id: string;
  /** The meter. */
  meter_id: string;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** Number of the device that was mounted on this day. Upper-case, without blanks. Personal; for the supply contract; until erased. */
  number: string | null;
  /** The counter of that device: the meter's first one is 1. */
  register: number | null;
  /** smart or analog. */
  type: 'smart' | 'analog' | null;
  /** Who operates it, as the metering fees name it. */
  metering_operator: string | null;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
  /** When the device was entered; null: none was mounted on this day. */
  device_entered_at: string | null;
  /** When the type was entered last; null: none was, or before this was kept. */
  type_entered_at: string | null;
}

interface MeterOrders {
  /** The tenant. */
  organization_id: string;
  /** prdo_ and 24 random characters. */
  id: string;
  /** Whose contract it is. */
  customer_id: string;
  /** The contract. */
  subscription_id: string;
  /** Product of the plan. */
  product: string;
  /** Metering operator that delivers it. */
  provider: string;
  /** Internal state. What may follow which stands in src/contracts/meter-orders/moves.ts. */
  status:
    | 'waiting'
    | 'ordered'
    | 'checked'
    | 'installation_planning'
    | 'installation_scheduled'
    | 'installation_waiting'
    | 'installation_finished'
    | 'activated'
    | 'installed'
    | 'pre_installed'
    | 'cancelled'
    | 'intended'
    | 'blocked'
    | 'blocked_wim';
  /** Last state that was no block: to it a blocked order goes back. */
  unblocked_status: string;
  /** When the customer's details for the check came in. */
  details_received_at: string | null;
  /** Appointment of the installation. */
  appointment_at: string | null;
  /** Mounted at. */
  installed_at: string | null;
  /** Delivers readings since. */
  activated_at: string | null;
  /** Cancelled at. */
  cancelled_at: string | null;
  /** pre_existing or customer_request. */
  cancelled_reason: 'pre_existing' | 'customer_request' | null;
  /** Blocked since; null when it is not. */
  blocked_at: string | null;
  /** check_missing or grid_operator_registration; null when it is not blocked. */
  blocked_reason: 'check_missing' | 'grid_operator_registration' | null;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
  /** State as callers see it since 2026-05-27.curie. */
  public_status: GeneratedAlways<
    | 'created'
    | 'placed'
    | 'check_submitted'
    | 'check_reviewed'
    | 'scheduled'
    | 'installed'
    | 'activated'
    | 'cancelled'
  >;
  /** Steps that it was at before this one, not those that were left out; what lies before this was kept is missing. */
  entered_steps: Generated<string[]>;
}

interface MeterReadings {
  /** The tenant. */
  organization_id: string;
  /** mr_ and 24 random characters. */
  id: string;
  /** Whose contract it is. */
  customer_id: string;
  /** The contract. */
  subscription_id: string;
  /** The meter. */
  meter_id: string;
  /** Cumulative kWh. Personal; for billing; 3 years. */
  value: string;
  /** Day of the reading, Europe/Berlin. */
  read_on: string;
  /** customer_report, grid_reading or grid_estimation. */
  type: 'customer_report' | 'grid_reading' | 'grid_estimation';
  /** Note of the sender, not shown again. Personal; for billing; 3 years. */
  message: string | null;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** The counter that was read: only readings of one counter are compared. 1: the meter's first one. */
  register: Generated<number>;
  /** When it was found to be wrong: from then on it counts no more; null: it counts. */
  withdrawn_at: string | null;
}

interface MeterStates {
  /** The tenant. Never null. */
  organization_id: string;
  /** Whose household it serves. Never null. */
  customer_id: string;
  /** The meter. Never null. */
  meter_id: string;
  /** First day, Europe/Berlin; -infinity: from the beginning. Never null. */
  valid_from: string;
  /** First day of the next state; infinity: none. Never null. */
  valid_until: string;
  /** Number of the device. Never null. */
  number: string;
  /** Its counter, to which readings belong. Never null. */
  register: number;
  /** smart or analog. Never null. */
  type: string;
  /** Who operates it; null: the grid operator. */
  metering_operator: string | null;
}

interface MeteringFees {
  /** Code of the metering operator; null: the cap of the law. */
  metering_operator: string | null;
  /** Code of the case. */
  case: string;
  /** analog, smart, or other where it is no yearly fee of a meter. */
  meter: 'analog' | 'smart' | 'other';
  /** Usage above this many kWh a year; null: no bound. */
  over_kwh: string | null;
  /** Usage up to this many kWh a year, inclusive; null: no bound. */
  up_to_kwh: string | null;
  /** PV above this many kW; null: no bound. */
  over_pv_kw: string | null;
  /** PV up to this many kW, inclusive; null: no bound. */
  up_to_pv_kw: string | null;
  /** Only with a controllable device of section 14a EnWG. */
  needs_14a_module: boolean;
  /** EUR per year with VAT. */
  eur_year_gross: string;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Law and paragraph, or the official price sheet and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
}

interface Meters {
  /** The tenant. */
  organization_id: string;
  /** mtr_ and 24 random characters. */
  id: string;
  /** Whose household it serves. */
  customer_id: string;
  /** The household. */
  household_id: string;
  /** The first one; a later one is in meter_changes. Upper-case, without blanks. Personal; for the supply contract; until erased. */
  number: string;
  /** The first one, smart or analog; a later one is in meter_states. */
  type: 'smart' | 'analog';
  /** Identifier of the metering location, 33 characters. Personal; for the supply contract; until erased. */
  melo: string | null;
  /** Identifier of the market location, 11 digits. Personal; for the supply contract; until erased. */
  malo: string | null;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
  /** When it was corrected last what the meter was at first; null: never. Bills of before are calculated anew. */
  first_type_changed_at: string | null;
  /** When the first type was entered last; null: never, or before this was kept. */
  type_entered_at: string | null;
}

interface OneTimeCodes {
  /** The tenant. */
  organization_id: string;
  /** Order of making: only the newest of a request counts. */
  id: GeneratedAlways<number>;
  /** The sign-in it belongs to: an authorization request (atx_), or one to portal or console (psi_), which is not stored. */
  request_id: string;
  /** HMAC-SHA-256 of the address, to count codes by address. */
  address_hash: Buffer;
  /** HMAC-SHA-256 of request and code under the pepper. */
  code_hash: Buffer;
  /** Guesses so far, by the browser that asked for it. */
  attempts: Generated<number>;
  /** Instant of making. Personal, shows when somebody signed in; to count codes; 2 hours. */
  created_at: Generated<string>;
  /** 10 minutes later. */
  expires_at: string;
  /** Typed in correctly at. */
  used_at: string | null;
  /** The client of its authorization request; null: for portal or console. */
  client_id: string | null;
  /** HMAC-SHA-256 of the network of the browser that asked for it. */
  network_hash: Buffer | null;
  /** Asked for by somebody who signs up: mailed to any address. */
  signs_up: Generated<boolean>;
  /** Has ten letters and digits in place of six digits. */
  is_long: Generated<boolean>;
}

interface OrganizationBrands {
  /** The tenant. */
  organization_id: string;
  /** Name that its customers know. */
  name: string;
  /** Of links and buttons, six digits; null: the colour of the service. */
  color: string | null;
  /** PNG of at most 48 kB, written anew from what was given; null: none. */
  logo: Buffer | null;
  /** Pixels. */
  logo_width: number | null;
  /** Pixels. */
  logo_height: number | null;
  /** Another one for every other colour and logo: part of the names of its files. */
  version: string;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
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
  /** The transaction that last changed its standing; never shown. Processes that believe tokens of it ask by it. */
  changed_in: string | null;
}

interface PaymentFiles {
  /** The tenant. */
  organization_id: string;
  /** pfl_ and 24 random characters. */
  id: string;
  /** debits: collected from customers; refunds: paid to them. */
  kind: 'debits' | 'refunds';
  /** bank_files: handed to the bank; simulated_bank: invented, no money moves. */
  provider: 'bank_files' | 'simulated_bank';
  /** ISO 20022 message and version. */
  format: 'pain.008.001.08' | 'pain.001.001.09';
  /** Names the file to the bank. */
  message_id: string;
  /** Day on which the bank collects or pays. */
  execute_on: string;
  /** How many are in it. */
  payments: number;
  /** EUR, of all of them. */
  sum: string;
  /** The bytes. Personal: names, accounts, mandates; for payments; 8 years from the end of the year. */
  content: Buffer;
  /** Their hash. */
  sha256: Buffer;
  /** Instant at which it was made. */
  created_at: string;
  /** When the first person was erased who is in it: from then on only the finance role sees it. */
  restricted_at: string | null;
}

interface PaymentMethods {
  /** The tenant. */
  organization_id: string;
  /** pm_ and 24 random characters. */
  id: string;
  /** Who pays. */
  customer_id: string;
  /** sepa_debit. */
  type: string;
  /** Account. Personal; for direct debits; until erased. Shown masked. */
  iban: string;
  /** Holder of the account. Personal; for direct debits; until erased. */
  account_holder: string;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Names the SEPA mandate in each direct debit, at most 35 characters. Personal; for direct debits; until erased. */
  mandate_reference: Generated<string>;
  /** Day on which the mandate was given, Europe/Berlin. */
  mandate_signed_on: Generated<string>;
}

interface Payments {
  /** The tenant. */
  organization_id: string;
  /** Whose bill it is. */
  customer_id: string;
  /** pay_ and 24 random characters. */
  id: string;
  /** The bill. A debit of a prepayment that its closing bill took over moves to that bill; end_to_end_id keeps its number. */
  invoice_id: string;
  /** in: from the customer; out: to the customer. */
  direction: 'in' | 'out';
  /** direct_debit, credit_transfer: by a file; bank_transfer: the customer paid by himself; entered: staff said so. */
  way: 'direct_debit' | 'credit_transfer' | 'bank_transfer' | 'entered';
  /** EUR. Personal; for billing; 8 years from the end of the year. */
  amount: string;
  /** requested: in a file; credited: booked, may still come back; settled: done; returned: came back. */
  status: 'requested' | 'credited' | 'settled' | 'returned';
  /** The mandate or account that was used. */
  payment_method_id: string | null;
  /** FRST: first debit of the mandate; RCUR: a further one. */
  sequence_type: 'FRST' | 'RCUR' | null;
  /** The file that it is in. */
  file_id: string | null;
  /** Comes back with its result. */
  end_to_end_id: string | null;
  /** Block of the file. */
  block_id: string | null;
  /** Day on which the bank was to collect or pay. */
  execute_on: string | null;
  /** Day on which the bank booked it last. */
  booked_on: string | null;
  /** Last day on which the bank of the payer returns a debit as unpaid. */
  final_on: string | null;
  /** Why it came back: code of ISO 20022. */
  return_reason: string | null;
  /** The movement on the account that said so last. */
  bank_entry_id: string | null;
  /** Instant of creation. */
  created_at: string;
  /** Instant of the last change. */
  updated_at: string;
  /** As that of the bill. */
  restricted_at: string | null;
  /** The prepayment that it was for, where invoice_id is the bill that took it over; null: the bill itself. */
  meant_for: string | null;
  /** When invoice.payment_failed told that it failed; null: it was not told. */
  failure_told_at: string | null;
}

interface PlanTerms {
  /** The tenant. */
  organization_id: string;
  /** The plan. */
  plan_id: string;
  /** First day, Europe/Berlin; null: always. */
  valid_from: string | null;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** EUR per month without VAT. */
  base_fee_net: string;
  /** Procurement margin in ct/kWh without VAT. */
  margin_ct_net: Generated<string>;
  /** Share of the energy price saved by load shifting, 0 to 1; null: none. */
  optimization_rate: string | null;
  /** Sells the flat grid fee reduction of section 14a EnWG. */
  sells_module_1: Generated<boolean>;
  /** Sells the reduction in percent of section 14a EnWG. */
  sells_module_2: Generated<boolean>;
  /** Sells the time-variable grid fee of section 14a EnWG. */
  sells_module_3: Generated<boolean>;
  /** Period of notice in months. */
  cancellation_months: Generated<number>;
  /** Product with which a smart meter is ordered; null: none is sold. */
  smart_meter_product:
    | 'smart-meter-energy-metering'
    | 'smart-meter-partner-b'
    | 'smart-meter-partner-c'
    | null;
  /** Name of the discount; null: none. */
  discount_name: string | null;
  /** EUR with VAT. */
  discount_amount_off: string | null;
  /** once or recurring. */
  discount_duration: 'once' | 'recurring' | null;
  /** Months of a recurring discount. */
  discount_duration_in_months: number | null;
  /** eeg, direct or fixed; null on consumption plans. */
  feed_in_kind: 'eeg' | 'direct' | 'fixed' | null;
  /** partial or full feed-in. */
  feed_in_scope: 'partial' | 'full' | null;
  /** Size class of the plant in kW. */
  feed_in_up_to_kw: number | null;
  /** Fixed rate in ct/kWh without VAT. */
  feed_in_ct_net: string | null;
  /** Service margin of direct marketing in ct/kWh without VAT. */
  feed_in_margin_ct_net: string | null;
  /** When the row came in, or its prices were replaced last; null: before this was kept. */
  prices_changed_at: string | null;
}

interface PlanTermsHistory {
  /** The tenant. */
  organization_id: string;
  /** Order of the changes. */
  id: GeneratedAlways<number>;
  /** The plan. */
  plan_id: string;
  /** First day of the terms, Europe/Berlin; null: always. */
  valid_from: string | null;
  /** The row of plan_terms as it was. */
  old_terms: Json;
  /** Instant of the import. */
  replaced_at: string;
}

interface Plans {
  /** The tenant. */
  organization_id: string;
  /** pln_ and 24 random characters. */
  id: string;
  /** Lower-case letters, digits, hyphens; unique in the organization; part of lead links. */
  slug: string;
  /** Shown to customers. */
  name: string;
  /** Shown to customers; empty when there is none. */
  description: Generated<string>;
  /** active, or archived: no new contracts. */
  status: Generated<'active' | 'archived'>;
  /** consumption, or feed_in: the customer is paid. */
  type: 'consumption' | 'feed_in';
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
}

interface PortalSessions {
  /** HMAC-SHA-256 of the cookie, 32 bytes. */
  hash: Buffer;
  /** The tenant. */
  organization_id: string;
  /** Who is signed in. Personal; to stay signed in; 30 days after its end. */
  customer_id: string;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** 12 hours after creation. */
  expires_at: string;
}

interface PriceAlarms {
  /** Names the alarm. */
  id: GeneratedAlways<number>;
  /** Bidding zone. */
  zone: string;
  /** late, disagreement, clock_change, denied, rejected, unusable, suspect, surcharge. */
  kind: string;
  /** Feed, two of them with a slash between, or empty where it is about none. */
  source: Generated<string>;
  /** Delivery day; null where it is about none. */
  delivery_on: string | null;
  /** The sentence shown to operators. */
  detail: string;
  /** The attempt behind it: its body is kept. */
  fetch_id: number | null;
  /** Instant of the first sight. */
  raised_at: string;
  /** Instant of the last sight. */
  last_seen_at: string;
  /** Over since; null: it stands. */
  resolved_at: string | null;
}

interface PriceChanges {
  /** Whose plan it is; null: every organization. */
  organization_id: string | null;
  /** consumption or feed_in; null: both. */
  contract_type: string | null;
  /** Contracts of this plan; null: of all. */
  plan_id: string | null;
  /** Contracts supplied there; null: everywhere. */
  zip: string | null;
  /** Meters of this operator; null: all. */
  metering_operator: string | null;
  /** Plants that began on this day or later; null: whenever. */
  commissioned_from: string | null;
  /** Plants that began before this day; set with commissioned_from. */
  commissioned_until: string | null;
  /** First day that has other prices, Europe/Berlin; -infinity: from the beginning. Never null. */
  first_day: string;
  /** First day behind them; infinity: none. Never null. */
  end_day: string;
  /** When it was entered. Never null. */
  changed_at: string;
  /** The plan, zip or metering operator that is concerned; empty: everybody. Never null. */
  key: string;
  /** Whether energy between two readings is spread otherwise: other days between them are concerned, too. Never null. */
  moves_energy: boolean;
}

interface PriceDayChanges {
  /** Order of the changes. */
  id: GeneratedAlways<number>;
  /** Bidding zone. */
  zone: string;
  /** Delivery day that changed. */
  delivery_on: string;
  /** Its version from then on. */
  version: number;
  /** Feed served from then on. */
  served_source: string;
  /** Instant of the change. */
  changed_at: string;
}

interface PriceDaySums {
  /** Bidding zone. */
  zone: 'DE-LU' | 'DE-AT-LU';
  /** Delivery day, Europe/Berlin. */
  delivery_on: string;
  /** Version of the day in price_days that the sum is of. */
  version: number;
  /** Width of its intervals; null: none has a price. */
  minutes: number | null;
  /** Quarter hours with a price; an hour counts as four. */
  quarter_hours: number;
  /** Sum of EUR/MWh over these quarter hours. */
  amount_sum: string;
}

interface PriceDays {
  /** Bidding zone. */
  zone: 'DE-LU' | 'DE-AT-LU';
  /** Delivery day, Europe/Berlin. */
  delivery_on: string;
  /** Feed whose values are served; null: none. */
  served_source: string | null;
  /** The operator's choice; null: by the rule. */
  preferred_source: string | null;
  /** complete, partial, or suspect: stored, not served. */
  state: 'complete' | 'partial' | 'suspect';
  /** One more with each change of what is served. */
  version: Generated<number>;
  /** Last time it was seen incomplete: publication came later. */
  last_incomplete_at: string | null;
  /** First time it was seen complete: publication came earlier. */
  first_complete_at: string | null;
  /** Instant of the last change of this row. */
  updated_at: string;
}

interface PriceFetches {
  /** Names the attempt. */
  id: GeneratedAlways<number>;
  /** The feed that was asked, or that an imported file came from; synthetic: invented. */
  source: string;
  /** Bidding zone. */
  zone: 'DE-LU' | 'DE-AT-LU';
  /** First delivery day asked for. */
  delivery_from: string;
  /** Last delivery day asked for, inclusive. */
  delivery_to: string;
  /** Address with the token masked, or the name of the imported file. */
  url: string;
  /** Instant of sending the request. */
  requested_at: string;
  /** Our clock when the last byte was there: the only proof of time. */
  captured_at: string;
  /** Status of the answer; null without one. */
  http_status: number | null;
  /** Content type as it was sent. */
  content_type: string | null;
  /** Size of the body after inflating. */
  body_bytes: number | null;
  /** SHA-256 of the content without what changes on every request. */
  payload_hash: Buffer | null;
  /** What became of it. */
  outcome:
    | 'published'
    | 'partial'
    | 'not_published'
    | 'transient_failure'
    | 'throttled'
    | 'denied'
    | 'rejected';
  /** Why, in a sentence; never with a token. */
  detail: string | null;
  /** Licence of the source at that moment. */
  licence_text: string | null;
  /** What the source says about the time of making: information only. */
  source_stamp: string | null;
  /** Intervals that were accepted. */
  interval_count: Generated<number>;
}

interface PriceForecastCaptures {
  /** Names the capture. */
  id: GeneratedAlways<number>;
  /** The attempt that brought it; null for the own model. */
  fetch_id: number | null;
  /** energyforecast, or model:<name>@<version>. */
  source: string;
  /** Bidding zone. */
  zone: 'DE-LU' | 'DE-AT-LU';
  /** When the source says it made the run; null when it does not. */
  issued_at: string | null;
  /** Our clock at the last byte, or at the end of the calculation. */
  captured_at: string;
  /** SHA-256 of the content; an equal one is no new capture. */
  payload_hash: Buffer;
  /** Model: name, version, newest known day, training window. */
  inputs: Json | null;
}

interface PriceForecastDays {
  /** The run. */
  capture_id: number;
  /** Bidding zone. */
  zone: 'DE-LU' | 'DE-AT-LU';
  /** Delivery day, Europe/Berlin. */
  delivery_on: string;
  /** As in the capture. */
  source: string;
  /** As in the capture: decides what was there before the freeze. */
  captured_at: string;
  /** Covers every interval of the day in the day's width. */
  complete: boolean;
}

interface PriceForecastFrozen {
  /** Bidding zone. */
  zone: 'DE-LU' | 'DE-AT-LU';
  /** Delivery day, Europe/Berlin. */
  delivery_on: string;
  /** The run that counts. */
  capture_id: number;
  /** Instant of writing this row. */
  frozen_at: string;
  /** Made after the freeze, because nothing was there before it. */
  late: Generated<boolean>;
}

interface PriceForecastValues {
  /** The run. */
  capture_id: number;
  /** UTC start of the interval. */
  interval_start: string;
  /** Width of the interval. */
  minutes: number;
  /** EUR/MWh. */
  amount: string;
}

interface PriceKind {
  /** Always true: there is one row. */
  only_row: Generated<boolean>;
  /** market, local (a feed on this machine under the name of a source), or synthetic. */
  kind: 'market' | 'local' | 'synthetic';
}

interface PricePayloads {
  /** As in price_fetches. */
  payload_hash: Buffer;
  /** The body, compressed with zstd. */
  body: Buffer;
  /** First seen at. */
  first_captured_at: string;
  /** Judged after 90 days, and to stay. */
  is_kept: Generated<boolean>;
}

interface PriceRevisions {
  /** Feed that gave the value. */
  source: string;
  /** Bidding zone. */
  zone: 'DE-LU' | 'DE-AT-LU';
  /** UTC start of the interval. */
  interval_start: string;
  /** Width of the interval. */
  minutes: number;
  /** 1 is the first value. */
  revision: number;
  /** EUR/MWh, in the source's precision. */
  amount: string;
  /** The attempt that brought it. */
  fetch_id: number;
  /** Instant of capture. */
  captured_at: string;
}

interface PriceSourceDays {
  /** Bidding zone. */
  zone: 'DE-LU' | 'DE-AT-LU';
  /** Delivery day, Europe/Berlin. */
  delivery_on: string;
  /** Feed. */
  source: string;
  /** Intervals it has given so far. */
  interval_count: number;
  /** complete, partial, or suspect. */
  state: 'complete' | 'partial' | 'suspect';
  /** First value at. */
  first_captured_at: string;
  /** Last answer with values at. */
  last_captured_at: string;
  /** Suspicion lifted at. */
  released_at: string | null;
}

interface PriceSources {
  /** Feed. */
  source: string;
  /** Failed jobs in a row; any success sets it to 0. */
  failed_jobs: Generated<number>;
  /** First failure after the last good answer; null: it answers. */
  failing_since: string | null;
  /** Not asked before. */
  paused_until: string | null;
  /** Why it is paused. */
  pause_reason: string | null;
  /** Address and token at the time of a refusal: another one ends the pause. */
  configuration_hash: Buffer | null;
  /** Last good answer at. */
  last_success_at: string | null;
  /** Last failure at. */
  last_failure_at: string | null;
}

interface QuarterHourProgress {
  /** Always true: there is one row. */
  only_row: Generated<boolean>;
  /** Quarter hours before this instant are final, but for late snapshots; -infinity: the job never ran. */
  summed_until: Generated<string>;
  /** Snapshots before this instant were dropped by age: sums of that time are never made anew from what is left. */
  snapshots_dropped_until: Generated<string>;
  /** Instant of the clock up to which the sums know what was sent, but for what waits in late_quarter_hours; null: the job never ran. */
  summed_at: string | null;
  /** Days before this one are in asset_days; -infinity: none is. */
  days_summed_until: Generated<string>;
  /** Quarter hours before this instant were dropped by age: a day of that time is never summed again from what is left. */
  quarter_hours_dropped_until: Generated<string>;
  /** Days before this one were deleted by age; -infinity: none was. */
  days_dropped_until: Generated<string>;
  /** The organization whose late quarter hours had the last turn; empty: none had one. */
  late_turn: Generated<string>;
}

interface ReferenceChanges {
  /** Order of the changes. */
  id: GeneratedAlways<number>;
  /** Table of the rows. */
  reference_table: string;
  /** Whom it concerns: grid operator, ZIP, class of municipality, metering operator; empty: everybody. */
  key: string;
  /** First day that has other figures, Europe/Berlin. */
  first_day: string;
  /** First day behind them; null: all that follow. */
  end_day: string | null;
  /** Instant of the import. */
  changed_at: string;
}

interface ReferenceHistory {
  /** Order of the changes. */
  id: GeneratedAlways<number>;
  /** Table of the row. */
  reference_table: string;
  /** changed, or removed by --prune. */
  change: 'changed' | 'removed';
  /** The row as it was. */
  old_row: Json;
  /** Instant of the import. */
  changed_at: string;
}

interface ReferenceRevision {
  /** Always true: there is one row. */
  one_row: Generated<boolean>;
  /** Grows with every statement that writes into a table of reference data. */
  revision: number;
}

interface RefreshTokens {
  /** HMAC-SHA-256 of the token under the pepper, 32 bytes. */
  hash: Buffer;
  /** The tenant. */
  organization_id: string;
  /** Its family. Personal; for the access of a program; 30 days after its end. */
  grant_id: string;
  /** Instant of issue. */
  created_at: Generated<string>;
  /** 30 days after issue, 180 days after the beginning of the grant at the latest. */
  expires_at: string;
  /** Rotated at; using it again kills the family. */
  used_at: string | null;
}

interface ReplacedUsage {
  /** The tenant. */
  organization_id: string;
  /** Whose contract it is. */
  customer_id: string;
  /** The contract. */
  subscription_id: string;
  /** Counts the replaced values. */
  id: GeneratedAlways<number>;
  /** UTC start of the quarter hour. */
  interval_start: string;
  /** The old value in kWh. Personal; for billing; 3 years. */
  kwh: string;
  /** Where the old value was from: own_measurement or metering_operator. */
  source: 'own_measurement' | 'metering_operator';
  /** Instant at which the old value came in or was frozen. */
  kept_at: string;
  /** Instant of the import that replaced it. */
  replaced_at: string;
}

interface RequestDays {
  /** The tenant. */
  organization_id: string;
  /** The day of the calendar in Berlin. */
  day: string;
  /** Number of requests with a valid token. */
  requests: number;
  /** Number of those that were answered with 400 or more. */
  refused: number;
  /** Number of rows that were newly stored. */
  rows_stored: number;
}

interface RequestLog {
  /** The tenant. */
  organization_id: string;
  /** Tells requests of the same instant apart. */
  id: GeneratedAlways<number>;
  /** Instant of the answer, or at which the caller left. */
  created_at: string;
  /** The requestId of the answer. */
  request_id: string;
  /** The client whose token it was, oac_. */
  client_id: string;
  /** The pattern of the route, without the ids of its path. */
  route: string;
  /** The version of the interface that was spoken. */
  version: string;
  /** HTTP status of the answer; 499: the caller left before it had the whole answer. */
  status: number;
  /** Number of rows that were newly stored before its end; null: none by then, or the route stores none. */
  rows_stored: number | null;
  /** Time to answer, in milliseconds. */
  milliseconds: number;
  /** The first problems of a refusal, at most three: code and field, no value; null: none. */
  problems: Json | null;
}

interface RequestMinutes {
  /** The tenant. */
  organization_id: string;
  /** Start of the minute of the answer; of the hour where the database was away. */
  minute: string;
  /** Number of requests with a valid token. */
  requests: number;
  /** Number of rows that were newly stored. */
  rows_stored: number;
}

interface RestrictedIds {
  /** The tenant. Never null. */
  organization_id: string;
  /** Id of the customer, cus_, a household, dom_, a contract, sub_, or a lead, lead_. Never null. */
  id: string;
}

interface RevokedTokens {
  /** The tenant. */
  organization_id: string;
  /** The id that the token carries. */
  jti: string;
  /** The client it was issued to, which revoked it. */
  client_id: string;
  /** Refused since, within 5 seconds. */
  revoked_at: Generated<string>;
  /** End of the token; the row may go after it. */
  expires_at: string;
  /** The transaction that revoked it; never shown. Processes that believe it ask by this. */
  changed_in: string | null;
}

interface SavingsParameters {
  /** Name of the assumption; the unit stands in it. */
  code: string;
  /** Its figure. */
  value: string;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Law and paragraph, or the official price sheet and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
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
  /** The job that its ticks run. */
  job: string;
}

interface SchemaMigrations {
  /** Folder and file. */
  name: string;
  /** Hash of the text that ran. */
  sha256: string;
  /** Instant of the run. */
  applied_at: Generated<string>;
  /** Hashes of the texts that ran before: a version that has one of them is older. */
  earlier: Generated<string[]>;
}

interface SettledUsageMonths {
  /** The tenant. */
  organization_id: string;
  /** Whose contract it is. */
  customer_id: string;
  /** The contract. */
  subscription_id: string;
  /** First day of the month, Europe/Berlin. */
  month: string;
  /** Instant at which the values were written. */
  settled_at: string;
  /** Days on which the contract was supplied by a smart meter, as known when they were frozen, Europe/Berlin. Personal; for billing; until erased. */
  days: string;
  /** Instant of the last import, or of days that were frozen later, by which its values are others; null: as first frozen. */
  changed_at: string | null;
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

interface SpotPrices {
  /** Bidding zone. */
  zone: 'DE-LU' | 'DE-AT-LU';
  /** UTC start of the interval. */
  interval_start: string;
  /** Width: 60 before delivery day 2025-10-01, 15 from then on. */
  minutes: number;
  /** Delivery day, Europe/Berlin. */
  delivery_on: string;
  /** EUR/MWh. */
  amount: string;
  /** Feed that gave the value. */
  source: string;
  /** Which revision of that feed's value. */
  revision: number;
}

interface Subscriptions {
  /** The tenant. */
  organization_id: string;
  /** sub_ and 24 random characters. */
  id: string;
  /** Eight characters for people; null only for imported contracts. */
  number: string | null;
  /** The plan. */
  plan_id: string;
  /** As the plan: consumption or feed_in. */
  type: 'consumption' | 'feed_in';
  /** The contract partner. */
  customer_id: string;
  /** The household. */
  household_id: string;
  /** Address of delivery; null only for imported contracts. */
  address_id: string | null;
  /** Address of invoices: begins as a copy of the delivery address. */
  billing_address_id: string;
  /** The household's meter. */
  meter_id: string;
  /** How it is paid. */
  payment_method_id: string;
  /** Previous supplier; null for a move-in and for feed-in. */
  supplier_id: string | null;
  /** pending, active or ended. */
  status: 'pending' | 'active' | 'ended';
  /** kWh a year given at sign-up; for feed-in the expected feed-in. */
  estimated_usage: string;
  /** Day asked for, Europe/Berlin, moved to the earliest possible one. */
  intended_start_on: string;
  /** First confirmation of the grid operator; the right of withdrawal counts from here. */
  confirmed_at: string | null;
  /** Beginning of supply, midnight in Europe/Berlin; null until confirmed. */
  start_at: string | null;
  /** When the termination in force was recorded. */
  terminated_at: string | null;
  /** ORDINARY, MOVE_OUT or WITHDRAWAL. */
  termination_reason: 'ORDINARY' | 'MOVE_OUT' | 'WITHDRAWAL' | null;
  /** End of supply, exclusive. */
  end_at: string | null;
  /** The client's own values, at most 10 KB. Personal; for the client's own records; until erased. */
  metadata: Json | null;
  /** Instant of creation. */
  created_at: Generated<string>;
  /** Instant of the last change. */
  updated_at: Generated<string>;
  /** smart or analog, as the sign-up said; smart counts from the start of supply. Null: not kept then. */
  meter_type: 'smart' | 'analog' | null;
  /** Feed-in only: whether it is paid without value added tax (section 19 UStG). */
  is_tax_exempt: Generated<boolean>;
  /** Feed-in only: first day of operation of the plant, Europe/Berlin; null: not known. */
  plant_commissioned_on: string | null;
  /** Feed-in only: installed power of the plant in kW; null: not known. */
  plant_size_kw: string | null;
  /** When something was entered last that bills depend on and that has no instant of its own, a module of section 14a EnWG for instance; null: never, or all bills were looked at since. Not shown. */
  bills_changed_at: string | null;
  /** First day, Europe/Berlin, that any of the changes is about that no run has looked at; set with bills_changed_at. */
  bills_changed_from: string | null;
}

interface UsageDays {
  /** The tenant. */
  organization_id: string;
  /** Whose contract it is. */
  customer_id: string;
  /** The contract. */
  subscription_id: string;
  /** Day, Europe/Berlin. */
  day: string;
  /** Energy in kWh of the quarter hours that are known. Personal; for billing; 3 years. */
  kwh: string;
  /** How many quarter hours are known. */
  quarter_hours: number;
}

interface UsageGroups {
  /** one_person, two_persons, three_persons or house. */
  code: string;
  /** kWh a year. */
  kwh_year: string;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Survey and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
}

interface UsageQuarterHours {
  /** The tenant. */
  organization_id: string;
  /** Whose contract it is. */
  customer_id: string;
  /** The contract. */
  subscription_id: string;
  /** UTC start of the quarter hour. */
  interval_start: string;
  /** Energy in kWh, positive in both directions. Personal; for billing; 3 years. */
  kwh: string;
  /** Instant at which this value came in or was frozen. */
  kept_at: Generated<string>;
  /** own_measurement: from snapshots, frozen when the month was settled; metering_operator: imported. */
  source: 'own_measurement' | 'metering_operator';
}

interface VatRates {
  /** Share of the net amount: 0.19. */
  rate: string;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Law and paragraph, or the official price sheet and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
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

interface WebhookEndpoints {
  /** The tenant. */
  organization_id: string;
  /** whe_ and 24 random characters. */
  id: string;
  /** What it wants to hear; null: everything. */
  topics: string[] | null;
  /** From here on nothing is sent to it. */
  disabled_at: string | null;
  /** When it was asked for; it hears what happens once it is stored. */
  created_at: Generated<string>;
  /** address: requests go to its url. listener: a developer's command line takes them. */
  kind: Generated<'address' | 'listener'>;
  /** Where requests go; null for a listener. */
  url: string | null;
  /** For people; shown in lists and mails. */
  description: Generated<string>;
  /** Who is told when it fails or was disabled. Personal; for the operation of the endpoint; as long as the endpoint. */
  contact_email: string | null;
  /** Signs what is sent; encrypted. Null: a listener that has its own. */
  secret: Buffer | null;
  /** Signs as well until previous_secret_until; encrypted. */
  previous_secret: Buffer | null;
  /** End of the overlap of two secrets. */
  previous_secret_until: string | null;
  /** operator: by command. gone: it answered 410. long_failure: days without a success. */
  disabled_reason: 'operator' | 'gone' | 'long_failure' | null;
  /** From here on it is shown to nobody; its deliveries stay for their time. */
  deleted_at: string | null;
  /** First failed attempt since the last success; null: the last attempt was a success, or none was made for five days. */
  failing_since: string | null;
  /** Last attempt that was answered with 2xx. */
  last_success_at: string | null;
  /** Last attempt that was not. */
  last_failure_at: string | null;
  /** The mail about this failure was asked for at. */
  first_mail_at: string | null;
  /** It asked to be left alone until then, by Retry-After. */
  wait_until: string | null;
  /** It asked to be left alone and has not answered with 2xx since: one request at a time. */
  one_at_a_time: Generated<boolean>;
  /** The run that was asked for and has not begun, in job_runs; null: none. */
  asked_run: number | null;
  /** The instant at which that run is due. */
  asked_at: string | null;
  /** The run that serves it; null: none. */
  served_by: number | null;
  /** Last sign of life of that run: after a while another one may take over. */
  served_at: string | null;
}

interface WrongOneTimeCodes {
  /** The tenant. */
  organization_id: string;
  /** Order of typing. */
  id: GeneratedAlways<number>;
  /** HMAC-SHA-256 of the address, as in one_time_codes. */
  address_hash: Buffer;
  /** The tenth within 24 hours, or one after it: further codes are long for 24 hours. */
  lengthens: boolean;
  /** Instant of typing. */
  created_at: string;
}

interface ZipAreas {
  /** Five digits. */
  zip: string;
  /** Code of the operator. */
  operator: string;
  /** Class of the concession fee by inhabitants (section 2 KAV). */
  concession_class: 'T1' | 'T2' | 'T3' | 'T4';
  /** The operator's part of the zip, above 0 and at most 1. */
  share: string;
  /** Official key of the municipality, 8 digits; null: not known. */
  municipality_key: string | null;
  /** Name of the municipality; null: not known. */
  city: string | null;
  /** First day, Europe/Berlin. */
  valid_from: string;
  /** First day no longer valid; null: open. */
  valid_to: string | null;
  /** Law and paragraph, or the official price sheet and its year. */
  source: string;
  /** Day of the last confirmation; null: to be checked before go-live. */
  checked_on: string | null;
}

export interface Tables {
  addresses: Addresses;
  analysts: Analysts;
  asset_days: AssetDays;
  asset_quarter_hours: AssetQuarterHours;
  asset_snapshots: AssetSnapshots;
  assets: Assets;
  audit_chain: AuditChain;
  audit_log: AuditLog;
  audit_seals: AuditSeals;
  auth_clients: AuthClients;
  authorization_codes: AuthorizationCodes;
  authorization_requests: AuthorizationRequests;
  bank_entries: BankEntries;
  benchmarks: Benchmarks;
  billed_reference_rows: BilledReferenceRows;
  billing_portions: BillingPortions;
  billing_refusals: BillingRefusals;
  billing_runs: BillingRuns;
  billing_terms: BillingTerms;
  client_secrets: ClientSecrets;
  concession_fees: ConcessionFees;
  console_forms: ConsoleForms;
  console_sessions: ConsoleSessions;
  console_users: ConsoleUsers;
  customers: Customers;
  day_ahead_means: DayAheadMeans;
  delivery_attempts: DeliveryAttempts;
  delivery_days: DeliveryDays;
  dunning_holds: DunningHolds;
  dunning_steps: DunningSteps;
  eeg_rates: EegRates;
  energy_mixes: EnergyMixes;
  event_deliveries: EventDeliveries;
  events: Events;
  grants: Grants;
  grid_fee_reductions: GridFeeReductions;
  grid_fee_schedules: GridFeeSchedules;
  grid_fees: GridFees;
  grid_operators: GridOperators;
  households: Households;
  idempotency_keys: IdempotencyKeys;
  invoice_files: InvoiceFiles;
  invoice_ledgers: InvoiceLedgers;
  invoice_lines: InvoiceLines;
  invoices: Invoices;
  issuers: Issuers;
  job_runs: JobRuns;
  late_quarter_hours: LateQuarterHours;
  leads: Leads;
  levies: Levies;
  load_forecasts: LoadForecasts;
  load_profiles: LoadProfiles;
  magic_links: MagicLinks;
  market_partners: MarketPartners;
  market_values: MarketValues;
  meter_changes: MeterChanges;
  meter_orders: MeterOrders;
  meter_readings: MeterReadings;
  meter_states: MeterStates;
  metering_fees: MeteringFees;
  meters: Meters;
  one_time_codes: OneTimeCodes;
  organization_brands: OrganizationBrands;
  organizations: Organizations;
  payment_files: PaymentFiles;
  payment_methods: PaymentMethods;
  payments: Payments;
  plan_terms: PlanTerms;
  plan_terms_history: PlanTermsHistory;
  plans: Plans;
  portal_sessions: PortalSessions;
  price_alarms: PriceAlarms;
  price_changes: PriceChanges;
  price_day_changes: PriceDayChanges;
  price_day_sums: PriceDaySums;
  price_days: PriceDays;
  price_fetches: PriceFetches;
  price_forecast_captures: PriceForecastCaptures;
  price_forecast_days: PriceForecastDays;
  price_forecast_frozen: PriceForecastFrozen;
  price_forecast_values: PriceForecastValues;
  price_kind: PriceKind;
  price_payloads: PricePayloads;
  price_revisions: PriceRevisions;
  price_source_days: PriceSourceDays;
  price_sources: PriceSources;
  quarter_hour_progress: QuarterHourProgress;
  reference_changes: ReferenceChanges;
  reference_history: ReferenceHistory;
  reference_revision: ReferenceRevision;
  refresh_tokens: RefreshTokens;
  replaced_usage: ReplacedUsage;
  request_days: RequestDays;
  request_log: RequestLog;
  request_minutes: RequestMinutes;
  restricted_ids: RestrictedIds;
  revoked_tokens: RevokedTokens;
  savings_parameters: SavingsParameters;
  schedules: Schedules;
  schema_migrations: SchemaMigrations;
  settled_usage_months: SettledUsageMonths;
  signing_keys: SigningKeys;
  spot_prices: SpotPrices;
  subscriptions: Subscriptions;
  usage_days: UsageDays;
  usage_groups: UsageGroups;
  usage_quarter_hours: UsageQuarterHours;
  vat_rates: VatRates;
  visible_snapshots: VisibleSnapshots;
  webhook_endpoints: WebhookEndpoints;
  wrong_one_time_codes: WrongOneTimeCodes;
  zip_areas: ZipAreas;
}
