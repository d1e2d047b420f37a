import { importUsage } from '../../../src/contracts/usage/import.ts';
import { type StartOptions, startApi, type TestApi } from '../../setup/api.ts';
import type { Answer, ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import {
  createAsset,
  createClient,
  createHousehold,
  createOrganization,
  createSubscription,
  type TestClient,
  type TestHousehold,
  tokenFor,
} from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';

type SubscriptionInput = NonNullable<Parameters<typeof createSubscription>[3]>;

export interface UsageBody {
  object: string;
  meter_type: string;
  resolution: string;
  data: { start: string; usage: number; type: 'final' | 'preliminary' }[];
}

export interface Contract {
  id: string;
  meter: string;
  place: TestHousehold;
}

export interface Metered {
  api: TestApi;
  clock: FakeClock;
  organization: string;
  credentials: TestClient;
  /** With a token of the moment. */
  client(version?: string): Promise<ApiClient>;
  /** Supplied since 2025-01-01, Berlin. */
  contract(input?: SubscriptionInput & { at?: TestHousehold }): Promise<Contract>;
  usage(id: string, query?: string): Promise<Answer<UsageBody>>;
  /** The file of a metering operator. */
  import(id: string, lines: readonly string[]): ReturnType<typeof importUsage>;
  /** Power at the grid connection of the household, stored when it was measured; makes the asset at the first time. */
  measure(
    contract: Contract,
    rows: readonly (readonly [instant: string, kw: number | null])[],
    storedAt?: string,
  ): Promise<void>;
  /** Readings by day, straight into the table. */
  read(
    contract: Contract,
    rows: Readonly<Record<string, number | string>>,
    type?: string,
    register?: number,
  ): Promise<void>;
  close(): Promise<void>;
}

export async function startMetered(
  instant: string,
  options: Pick<StartOptions, 'alone' | 'log'> = {},
): Promise<Metered> {
  const clock = fakeClock(instant);
  const api = await startApi({ clock, referenceData: true, ...options });
  const act = () => ({ staff: 'tests', reason: 'test', command: 'test', now: clock.now().toISOString() });
  const organization = await createOrganization(api.deps);
  const credentials = await createClient(api.deps, organization);
  const client = async (version?: string) =>
    api.client(await tokenFor(api, credentials), version === undefined ? {} : { version });
  const keys = new Map<string, number>();
  return {
    api,
    clock,
    organization,
    credentials,
    client,
    contract: async ({ at, ...input } = {}) => {
      const place = at ?? (await createHousehold(api.deps, organization));
      const { id, meter } = await createSubscription(api.deps, organization, place, {
        status: 'active',
        start_at: '2024-12-31T23:00:00Z',
        confirmed_at: '2024-12-10T09:00:00Z',
        ...input,
      });
      return { id, meter, place };
    },
    usage: async (id, query = '') => (await client()).get<UsageBody>(`/subscriptions/${id}/usage?${query}`),
    import: (id, lines) => {
      const bytes = Buffer.from(['start,kwh', ...lines, ''].join('\n'));
      return importUsage(api.deps.database, organization, id, { name: 'usage.csv', bytes }, act());
    },
    measure: async ({ place }, rows, storedAt) => {
      const known = keys.get(place.household);
      const key = known ?? (await createAsset(api.deps, organization, place, { type: 'household_net' })).key;
      keys.set(place.household, key);
      await storedRows(
        api,
        `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw, created_at)
         SELECT $1, t, kw, coalesce($4::timestamptz, t) FROM unnest($2::timestamptz[], $3::double precision[]) AS row (t, kw)`,
        [key, rows.map(([at]) => at), rows.map(([, kw]) => kw), storedAt ?? null],
      );
    },
    read: async ({ id, meter, place }, rows, type = 'grid_reading', register = 1) => {
      await storedRows(
        api,
        `INSERT INTO meter_readings
           (organization_id, id, customer_id, subscription_id, meter_id, read_on, value, type, created_at, register)
         SELECT $1, 'mr_' || left(md5($4 || $7 || day || $9) || '0000', 24), $2, $3, $4, day::date, kwh, $7, $8, $9::int
           FROM unnest($5::text[], $6::numeric[]) AS row (day, kwh)`,
        [
          ...[organization, place.customer, id, meter],
          ...[Object.keys(rows), Object.values(rows), type, clock.now().toISOString(), String(register)],
        ],
      );
    },
    close: () => api.close(),
  };
}

/** `start usage type` of each interval. */
export function shown({ body }: Answer<UsageBody>): string[] {
  return body.data.map(({ start, usage, type }) => `${start} ${usage} ${type}`);
}

/** A line for every quarter hour of a span, with the same energy in each of them. */
export function quarterHours(
  from: string,
  until: string,
  kwh: number | ((index: number) => number),
): string[] {
  const lines: string[] = [];
  for (let start = Date.parse(from); start < Date.parse(until); start += 900_000) {
    lines.push(`${new Date(start).toISOString()},${typeof kwh === 'number' ? kwh : kwh(lines.length)}`);
  }
  return lines;
}

export function total({ body }: Answer<UsageBody>): number {
  return body.data.reduce((sum, { usage }) => sum + usage, 0);
}
