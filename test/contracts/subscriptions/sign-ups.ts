import { expect } from 'vitest';
import type { TestApi } from '../../setup/api.ts';
import type { Answer, ApiClient, RequestOptions } from '../../setup/client.ts';
import { insertReferenceRows } from '../../setup/reference-rows.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { openStateReader, type StateReader } from '../../setup/stored-state.ts';
import type { ErrorBody } from '../../telemetry/assets/devices.ts';
import { Contracts } from './contracts.ts';

export type Json = Record<string, unknown>;

/** A Monday; 08:40 in the morning is 10:40 in Berlin. */
export const SIGNED_UP_AT = '2026-10-05T08:40:12.345Z';
/** 14 days later: the earliest day of a consumption contract. */
export const EARLIEST = '2026-10-19';

export interface SignedUp {
  id: string;
  plan: string;
  customer: string;
  household: string;
  address: string;
  billing_address: string;
  meter: string;
  payment_method: string;
  supplier: string | null;
  number: string;
  status: string;
  type: string;
  estimated_usage: number;
  metadata: unknown;
  created_at: string;
  updated_at: string;
  [field: string]: unknown;
}

/** Someone who is supplied already: what a second sign-up names. */
export interface Known {
  id: string;
  customer: string;
  household: string;
  email: string;
  number: string;
}

/** An organization that sells supply with every product, and feed-in; and what sends sign-ups to it. */
export class SignUps {
  readonly contracts: Contracts;
  readonly api: TestApi;
  readonly plan: string;
  readonly feedInPlan: string;
  readonly #state: StateReader;
  readonly #clients = new Map<string, ApiClient>();
  #count = 0;

  private constructor(contracts: Contracts, plan: string, feedInPlan: string, state: StateReader) {
    this.contracts = contracts;
    this.api = contracts.api;
    this.plan = plan;
    this.feedInPlan = feedInPlan;
    this.#state = state;
  }

  static async start(instant = SIGNED_UP_AT, options: { alone?: boolean } = {}): Promise<SignUps> {
    const contracts = await Contracts.start(instant, options);
    await insertReferenceRows(contracts.api);
    const plan = await contracts.plan({
      terms: [
        {
          sells_module_1: true,
          sells_module_2: true,
          sells_module_3: true,
          smart_meter_product: 'smart-meter-partner-b',
        },
      ],
    });
    const feedIn = await contracts.plan({ type: 'feed_in' });
    return new SignUps(contracts, plan.id, feedIn.id, await openStateReader(contracts.api));
  }

  unique(): string {
    this.#count += 1;
    return `${this.#count}`;
  }

  person(fields: Json = {}): Json {
    const email = `jule.${this.unique()}@example.org`;
    return { type: 'person', first_name: 'Jule', last_name: 'Brandt', email, ...fields };
  }

  company(fields: Json = {}): Json {
    return { ...this.person(), type: 'company', company_name: 'Bäckerei Brandt GmbH', ...fields };
  }

  /** The same person as one who is known, by the e-mail address. */
  personOf({ email }: Known, fields: Json = {}): Json {
    return this.person({ email, ...fields });
  }

  /** The meter of somebody who is known. */
  meterOf({ number }: Known, fields: Json = {}): Json {
    return { number, type: 'analog', estimated_usage: 3000, ...fields };
  }

  /** Someone whose supply ends in time for another one. */
  async endingSoon(): Promise<Known> {
    const known = await this.known();
    await this.endAt(known.id, '2026-10-10T22:00:00Z');
    return known;
  }

  async endAt(id: string, instant: string): Promise<void> {
    await this.rows(
      `UPDATE subscriptions SET confirmed_at = created_at, start_at = '2026-01-31T23:00:00Z', status = 'active',
         terminated_at = created_at, termination_reason = 'ORDINARY', end_at = $2 WHERE id = $1`,
      [id, instant],
    );
  }

  meter(fields: Json = {}): Json {
    return {
      number: `1EMH${this.unique().padStart(10, '0')}`,
      type: 'analog',
      estimated_usage: 4888,
      ...fields,
    };
  }

  /** A new customer's supply, as good as it can be, with these fields in place of the usual ones. */
  body(fields: Json = {}): Json {
    return {
      plan: this.plan,
      customer: this.person(),
      address: { street: 'Am Mühlgraben', house_number: '7a', zip: '37073', city: 'Göttingen' },
      meter: this.meter(),
      payment_method: {
        type: 'sepa_debit',
        sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Jule Brandt' },
      },
      next_possible_start: true,
      ...fields,
    };
  }

  feedIn(fields: Json = {}): Json {
    return this.body({ plan: this.feedInPlan, meter: this.meter({ type: 'smart' }), ...fields });
  }

  async client(version?: string): Promise<ApiClient> {
    const key = `${version} ${this.contracts.clock.nowMilliseconds()}`;
    const client = this.#clients.get(key) ?? (await this.contracts.client(version));
    this.#clients.set(key, client);
    return client;
  }

  async post(body: Json, version?: string, options?: RequestOptions): Promise<Answer<SignedUp & ErrorBody>> {
    return await (await this.client(version)).post<SignedUp & ErrorBody>('/subscriptions', body, options);
  }

  /** Anything but 200 is a failure of the test. */
  async signUp(body: Json, version?: string): Promise<SignedUp> {
    const answer = await this.post(body, version);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** Status, and code, field and sentence of each entry; the organization has nothing afterwards that it had not before. */
  async refused(body: Json, version?: string): Promise<unknown[]> {
    const client = await this.client(version);
    const { organization } = this.contracts;
    const before = await this.#state.of(organization);
    const answer = await client.post<ErrorBody>('/subscriptions', body);
    expect(await this.#state.of(organization), answer.text).toEqual(before);
    if (answer.body.errors === undefined) return [answer.status, answer.body.message];
    const entries = answer.body.errors.map(({ code, field, message }) => `${code} ${field}: ${message}`);
    return [answer.status, ...entries];
  }

  /** Signs somebody up, and says what a later sign-up can name. */
  async known(fields: Json = {}): Promise<Known> {
    const body = this.body(fields);
    const { id, customer, household } = await this.signUp(body);
    const { email } = body.customer as { email: string };
    return { id, customer, household, email, number: (body.meter as { number: string }).number };
  }

  rows<Row = Json>(text: string, values: unknown[] = []): Promise<Row[]> {
    return storedRows<Row>(this.api, text, values);
  }

  /** The one row of a table with this id, in the form of JSON. */
  async row(table: string, id: string): Promise<Json> {
    const rows = await this.rows<{ row: Json }>(`SELECT to_jsonb(t) AS row FROM ${table} t WHERE id = $1`, [
      id,
    ]);
    if (rows.length !== 1) throw new Error(`${rows.length} rows of ${table} are ${id}`);
    return rows[0]?.row ?? {};
  }

  async close(): Promise<void> {
    await this.#state.close();
    await this.contracts.close();
  }
}

const RULES = {
  duplicate_meter_order: 'A meter order already exists',
  duplicate_grid_reduction: 'This module is already ordered',
  unsupported_product: 'The plan does not offer this product',
  unsupported_meter_order: 'A smart meter cannot be ordered here',
  unsupported_meter: 'This type of meter is not supported here',
  missing_module_1: 'Module 3 needs module 1',
  missing_smart_meter: 'Module 3 needs a smart meter',
  unserviceable_zip: 'This ZIP code cannot be supplied',
  invalid_iban: 'The IBAN is not valid',
  upgrade_api_version: 'Feed-in needs API version 2026-05-27.curie or later',
  missing_household: 'The household is missing or unknown',
  invalid_household_customer: 'The household belongs to another customer',
  invalid_household_meter: "The meter is not the household's meter",
  duplicate_consumption_subscription: 'The household already has a consumption subscription',
  duplicate_customer_email: 'A customer with this e-mail address exists',
} as const;

/** The entry of a rule as `refused` shows it. */
export function entry(code: keyof typeof RULES, field: string): string {
  return `${code} ${field}: ${RULES[code]}`;
}
