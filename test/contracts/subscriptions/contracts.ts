import { type StartOptions, startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import {
  createClient,
  createHousehold,
  createOrganization,
  createPlan,
  createSubscription,
  type TestClient,
  type TestHousehold,
  type TestSubscription,
  tokenFor,
} from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';

type SubscriptionInput = NonNullable<Parameters<typeof createSubscription>[3]>;
type PlanInput = NonNullable<Parameters<typeof createPlan>[2]>;

export interface EventRow {
  topic: string;
  context: Record<string, string>;
  timestamp: string;
}

/** One organization on a service whose clock is moved through the calendar. */
export class Contracts {
  readonly api: TestApi;
  readonly clock: FakeClock;
  readonly organization: string;
  readonly credentials: TestClient;

  private constructor(api: TestApi, clock: FakeClock, organization: string, credentials: TestClient) {
    this.api = api;
    this.clock = clock;
    this.organization = organization;
    this.credentials = credentials;
  }

  static async start(
    instant: string,
    options: Pick<StartOptions, 'alone' | 'referenceData'> = {},
  ): Promise<Contracts> {
    const clock = fakeClock(instant);
    const api = await startApi({ clock, ...options });
    const organization = await createOrganization(api.deps);
    return new Contracts(api, clock, organization, await createClient(api.deps, organization));
  }

  /** With a token of the moment: one of yesterday has expired. */
  async client(version?: string): Promise<ApiClient> {
    const token = await tokenFor(this.api, this.credentials);
    return this.api.client(token, version === undefined ? {} : { version });
  }

  async at(instant: string): Promise<ApiClient> {
    this.clock.set(instant);
    return await this.client();
  }

  household(input: Parameters<typeof createHousehold>[2] = {}): Promise<TestHousehold> {
    return createHousehold(this.api.deps, this.organization, input);
  }

  plan(input: PlanInput = {}) {
    return createPlan(this.api.deps, this.organization, input);
  }

  /** A contract of a new household, or of the given one. */
  async contract(
    input: SubscriptionInput & { household?: TestHousehold } = {},
  ): Promise<TestSubscription & { place: TestHousehold }> {
    const { household, ...columns } = input;
    const place = household ?? (await this.household());
    return { ...(await createSubscription(this.api.deps, this.organization, place, columns)), place };
  }

  /** A contract under supply since long ago. */
  active(input: Parameters<Contracts['contract']>[0] = {}) {
    return this.contract({
      status: 'active',
      start_at: '2024-12-31T23:00:00Z',
      confirmed_at: '2024-12-10T09:00:00Z',
      ...input,
    });
  }

  /** The topics that were told about a contract, oldest first. */
  async events(subscription: string): Promise<EventRow[]> {
    return await storedRows<EventRow>(
      this.api,
      `SELECT topic, context, timestamp FROM events WHERE context ->> 'subscription' = $1 ORDER BY timestamp, position`,
      [subscription],
    );
  }

  async topics(subscription: string): Promise<string[]> {
    return (await this.events(subscription)).map(({ topic }) => topic);
  }

  async row(subscription: string): Promise<Record<string, unknown>> {
    const columns = `status, to_json(start_at AT TIME ZONE 'UTC') #>> '{}' AS start_at,
      to_json(confirmed_at AT TIME ZONE 'UTC') #>> '{}' AS confirmed_at,
      to_json(end_at AT TIME ZONE 'UTC') #>> '{}' AS end_at,
      to_json(terminated_at AT TIME ZONE 'UTC') #>> '{}' AS terminated_at, termination_reason,
      to_json(updated_at AT TIME ZONE 'UTC') #>> '{}' AS updated_at`;
    const [row] = await storedRows<Record<string, unknown>>(
      this.api,
      `SELECT ${columns} FROM subscriptions WHERE id = $1`,
      [subscription],
    );
    if (row === undefined) throw new Error(`No subscription ${subscription}`);
    return row;
  }

  close(): Promise<void> {
    return this.api.close();
  }
}
